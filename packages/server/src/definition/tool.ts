import type { AnySchema, Icon, InferInput, InferOutput, Meta, ToolAnnotations } from "@toolwire/protocol";
import type { ToolReply } from "../content/reply.ts";
import type { ToolContent } from "../content/tool-result.ts";
import type { Middleware } from "../middleware/middleware.ts";
import type { Context } from "../request/context.ts";
import type { UnlessObjectOfSchemas } from "./compiler-hints.ts";
import type { Refused, TOOL_HINTS } from "./other-names.ts";

/** A value, or the promise of one. */
export type Awaitable<T> = T | Promise<T>;

/** What tools, resources and prompts have in common when they are listed. */
export interface Listed {
  /** The name to show to people. */
  readonly title?: string | undefined;
  readonly icons?: readonly Icon[] | undefined;
  readonly _meta?: Meta | undefined;
}

/** The schemas of a tool. */
interface ToolSchemas<I, O> {
  /** The schema of the arguments, an object. Absent: the tool takes none. */
  readonly input?: I;
  /** The schema of what `run` returns. Absent: `run` returns text or content blocks. */
  readonly output?: O;
}

/** The options of {@link tool}. `R` is the exact type that `run` returns, so that literals keep their types. */
export interface ToolOptions<I extends AnySchema | undefined, O extends AnySchema | undefined, R = ToolReturn<O>>
  extends Listed, ToolSchemas<I, O>, Refused<typeof TOOL_HINTS> {
  /** Tells the model when and how to use the tool. */
  readonly description?: string | undefined;
  /** Hints for the client about what the tool does, such as `readOnlyHint`. */
  readonly annotations?: ToolAnnotations | undefined;
  /** Functions around every call of this tool, inside the server's own middleware. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** Does the work. It is only called with valid arguments. */
  run(args: ToolArguments<I>, ctx: Context): Awaitable<R>;
}

/**
 * The options of {@link tool}, and their schemas once more. Schemas are inferred from the second part even if `run` is
 * missing or misspelt, so that the compiler complains about that and not about the schemas.
 */
export type GivenTool<I extends AnySchema | undefined, O extends AnySchema | undefined, R> = ToolOptions<I, O, R> &
  ToolSchemas<I, O>;

/** The arguments that `run` gets: after defaults and transforms. */
export type ToolArguments<I> = I extends AnySchema
  ? UnlessObjectOfSchemas<I, "wrap `input`, as in z.object({ … })", ObjectOf<InferOutput<I>>>
  : { readonly [argument: string]: never };

/** What `run` may return: before the defaults and transforms of `output`. */
export type ToolReturn<O> = O extends AnySchema
  ? UnlessObjectOfSchemas<O, "wrap `output`, as in z.object({ … })", ToolData<InferInput<O>>>
  : ToolContent<"to return data, declare `output`">;

/**
 * The data that `output` promises, by itself or in a `reply()`. Lists may be ones that nobody is going to change, as those
 * are that the compiler finds written down.
 */
export type ToolData<T> = T | ToolReply<T> | Written<T> | ToolReply<Written<T>>;

type Written<T> = T extends readonly (infer E)[]
  ? number extends T["length"]
    ? WrittenList<E>
    : { readonly [K in keyof T]: Written<T[K]> }
  : T extends object
    ? { [K in keyof T]: Written<T[K]> }
    : T;

/**
 * An interface, because the compiler looks into those only as far as it has to: JSON values hold lists of themselves.
 */
interface WrittenList<E> extends ReadonlyArray<Written<E>> {}

/** Tools take objects, so a schema of which nothing is known still describes one. */
type ObjectOf<T> = unknown extends T ? { [argument: string]: unknown } : T;

/** A tool, made by {@link tool}. Pass it with its name to `createServer({ tools })` or `server.tools.add`. */
export interface ToolDefinition<Input = unknown, Output = unknown> extends Listed {
  readonly description?: string | undefined;
  readonly input?: AnySchema | undefined;
  readonly output?: AnySchema | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly middleware?: readonly Middleware[] | undefined;
  readonly run: (args: never, ctx: Context) => unknown;
  /**
   * Carries the types from {@link tool} to `connect<typeof server>()`. Does not exist at run time. The compiler prints the
   * name if somebody passes a plain object, so it says what to do.
   */
  readonly "made by tool()": { readonly input: Input; readonly output: Output };
}

/**
 * Defines a tool.
 *
 * @example
 * ```ts
 * const add = tool({
 *   description: "Adds two numbers",
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   run: ({ a, b }) => `${a + b}`,
 * });
 * ```
 */
export function tool<
  const I extends AnySchema | undefined = undefined,
  const O extends AnySchema | undefined = undefined,
  const R extends ToolReturn<O> = ToolReturn<O>,
>(options: GivenTool<I, O, R>): ToolDefinition<ToolInput<I>, ToolOutput<O>> {
  return options as object as ToolDefinition<ToolInput<I>, ToolOutput<O>>;
}

/** The arguments that a client may pass: before defaults and transforms. */
export type ToolInput<I> = I extends AnySchema ? ObjectOf<InferInput<I>> : { readonly [argument: string]: never };

/** The structured result that a client gets: after defaults and transforms. */
export type ToolOutput<O> = O extends AnySchema ? InferOutput<O> : unknown;
