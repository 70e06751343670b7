import type { AnySchema, Icon, InferInput, InferOutput, Meta, ToolAnnotations } from "@toolwire/protocol";
import type { ServerMiddleware } from "./middleware.ts";
import type { Context } from "./context.ts";
import type { ToolMembers } from "./members.ts";
import type { Refused, TOOL_HINTS } from "./other-names.ts";
import type { ToolContent, ToolReply } from "./reply.ts";
import type { Scoped } from "./scopes.ts";

/**
 * Types that make the messages of the compiler helpful. It prints the names of types and the values of literal types, so a
 * message such as `not assignable to type 'ToolContent<"to return data, declare `output`">'` teaches more than the type itself.
 */

/** Takes the place of a type that follows from a schema if there is an object of schemas instead. Nothing else fits it. */
interface ObjectOfSchemas<Hint extends string> {
  readonly "~hint": Hint;
}

/**
 * `T`, which follows from the schema `S`, unless `S` is an object of schemas such as `{ city: z.string() }`, which is easily
 * mistaken for a schema. The type of the schema itself cannot depend on that: a function whose own parameter is a schema of
 * a generic type could then not pass it on.
 */
type UnlessObjectOfSchemas<S, Hint extends string, T> = S extends {
  readonly [name: string]: { readonly "~standard": object };
}
  ? keyof S extends never
    ? T
    : ObjectOfSchemas<Hint>
  : T;

/** Adds nothing to a union. It makes the union depend on the hint, because the compiler prints no argument without effect. */
export type PrintedHint<Hint extends string> = Hint extends string ? never : Hint;

/** A value, or the promise of one. */
export type Awaitable<T> = T | Promise<T>;

/** The members that tools, resources and prompts have in common when they are listed. */
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
  extends Listed, Scoped, ToolMembers, ToolSchemas<I, O>, Refused<typeof TOOL_HINTS> {
  /** Tells the model when and how to use the tool. */
  readonly description?: string | undefined;
  /** Hints for the client about what the tool does, such as `readOnlyHint`. */
  readonly annotations?: ToolAnnotations | undefined;
  /** Functions around every call of this tool, inside the server's own middleware. */
  readonly middleware?: readonly ServerMiddleware[] | undefined;
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

/** The return value of `run`: before the defaults and transforms of `output`. */
export type ToolReturn<O> = O extends AnySchema
  ? UnlessObjectOfSchemas<O, "wrap `output`, as in z.object({ … })", ToolData<InferInput<O>>>
  : ToolContent<"to return data, declare `output`">;

/**
 * The data that `output` promises, by itself or in a `reply()`. Lists may be read-only: the compiler infers literals
 * so.
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
 * An interface, because the compiler resolves interfaces lazily: JSON values contain lists of themselves.
 */
interface WrittenList<E> extends ReadonlyArray<Written<E>> {}

/** Tools take objects, so a schema of unknown type still describes an object. */
type ObjectOf<T> = unknown extends T ? { [argument: string]: unknown } : T;

/** A tool, made by {@link tool}. Pass it with its name to `createServer({ tools })` or `server.tools.add`. */
export interface ToolDefinition<Input = unknown, Output = unknown> extends Listed, Scoped, ToolMembers {
  readonly description?: string | undefined;
  readonly input?: AnySchema | undefined;
  readonly output?: AnySchema | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly middleware?: readonly ServerMiddleware[] | undefined;
  readonly run: (args: never, ctx: Context) => unknown;
  /**
   * Carries the types from {@link tool} to `connect<typeof server>()`. Does not exist at run time. The compiler prints the
   * name if a plain object is passed, so the name says how to make one.
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
