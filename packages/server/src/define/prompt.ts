import type {
  ContentBlock,
  GetPromptResult,
  InferInput,
  InferOutput,
  PromptMessage,
  StandardSchema,
} from "@toolwire/protocol";
import type { Context } from "./context.ts";
import type { PROMPT_HINTS, Refused } from "./other-names.ts";
import type { Complete } from "./resource.ts";
import type { Scoped } from "./scopes.ts";
import type { Awaitable, Listed } from "./tool.ts";

/**
 * An argument of a prompt. `Required` is the type of `required`, from which the compiler knows whether the value can be
 * absent.
 */
export interface PromptArgumentOptions<Required = unknown> {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly required?: (Required & boolean) | undefined;
  /** Suggests values while the user types. */
  readonly complete?: Complete | undefined;
  /** Refuses schemas, which have such a member. The arguments are described one by one, or by one schema. */
  readonly "~standard"?: "wrap schemas, as in arguments: z.object({ … })";
}

/** The return value of `get`: the text or content block of one user message, a list of messages, or a whole result. */
export type PromptReturn = string | ContentBlock | readonly PromptMessage[] | GetPromptResult;

/** The members that all prompts have in common. */
export interface PromptInfo extends Listed, Scoped, Refused<typeof PROMPT_HINTS> {
  readonly description?: string | undefined;
}

/** A prompt whose arguments are listed by name. `Args` has, for each argument, whether it is required. */
export interface PromptOptions<Args extends { readonly [name: string]: unknown }> extends PromptInfo {
  readonly arguments?: { readonly [K in keyof Args]: PromptArgumentOptions<Args[K]> } | undefined;
  get(args: PromptValues<Args>, ctx: Context): Awaitable<PromptReturn>;
}

/** The arguments that `get` receives. */
export type PromptValues<Args> = Flat<{ [K in keyof Args]: Args[K] extends true ? string : string | undefined }>;

/** The arguments that a client passes: optional ones may be left out. */
export type PromptInput<Args> = keyof Args extends never
  ? { readonly [argument: string]: never }
  : string extends keyof Args
    ? { readonly [argument: string]: string }
    : Flat<Named<Args, true> & Partial<Named<Args, false>>>;

/** The required arguments, or the optional ones. */
type Named<Args, Required extends boolean> = {
  readonly [K in keyof Args as (Args[K] extends true ? true : false) extends Required ? K : never]: string;
};

/** One object type in place of an intersection, for readable messages. Inferred, so that it has no other name. */
type Flat<T> = T extends infer Each ? { readonly [K in keyof Each]: Each[K] } : never;

/** A prompt whose arguments are described by a schema: an object of strings. */
export interface SchemaPromptOptions<S extends StandardSchema> extends PromptInfo {
  readonly arguments: S;
  /** Suggests values for the arguments. */
  readonly complete?: { readonly [name: string]: Complete } | undefined;
  get(args: InferOutput<S>, ctx: Context): Awaitable<PromptReturn>;
}

/** A prompt, made by {@link prompt}. Pass it with its name to `createServer({ prompts })` or `server.prompts.add`. */
export interface PromptDefinition<Args = unknown> extends PromptInfo {
  /** The arguments, listed by name or described by a schema. */
  readonly arguments?: { readonly [name: string]: PromptArgumentOptions } | StandardSchema | undefined;
  readonly complete?: { readonly [name: string]: Complete } | undefined;
  readonly get: (args: never, ctx: Context) => Awaitable<PromptReturn>;
  /**
   * Carries the types from {@link prompt} to `connect<typeof server>()`. Does not exist at run time. The compiler prints
   * the name if a plain object is passed, so the name says how to make one.
   */
  readonly "made by prompt()": { readonly arguments: Args };
}

/**
 * Defines a prompt.
 *
 * @example
 * ```ts
 * const review = prompt({
 *   description: "Asks for a code review",
 *   arguments: { code: { required: true } },
 *   get: ({ code }) => `Please review this:\n${code}`,
 * });
 * ```
 */
export function prompt<S extends StandardSchema>(options: SchemaPromptOptions<S>): PromptDefinition<InferInput<S>>;
export function prompt<const Args extends { readonly [name: string]: unknown } = {}>(
  options: PromptOptions<Args>,
): PromptDefinition<PromptInput<Args>>;
export function prompt(options: object): PromptDefinition {
  return options as PromptDefinition;
}
