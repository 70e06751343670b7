import type {
  ContentBlock,
  GetPromptResult,
  InferOutput,
  PromptMessage,
  SchemaDescription,
  StandardSchema,
} from "@toolwire/protocol";
import { compilePrompt } from "../registry/compile-prompt.ts";
import type { CompiledPrompt } from "../registry/prompts.ts";
import type { Compilable } from "../registry/registry.ts";
import type { Context } from "../request/context.ts";
import type { Complete } from "./resource.ts";
import type { Awaitable, Listed } from "./tool.ts";

/** A value that a prompt is filled in with. `Required` is what the compiler found out about `required`. */
export interface PromptArgumentOptions<Required = unknown> {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly required?: Required;
  /** Suggests values while the user types. */
  readonly complete?: Complete | undefined;
}

/** What `get` returns: the text of one user message, or messages. */
export type PromptReturn = string | ContentBlock | readonly PromptMessage[] | GetPromptResult;

/** What all prompts may say about themselves. */
export interface PromptInfo extends Listed {
  readonly description?: string | undefined;
}

/** A prompt whose arguments are listed by name; `Args` says of each whether it is required. */
export interface PromptOptions<Args extends { readonly [name: string]: unknown }> extends PromptInfo {
  readonly arguments?: { readonly [K in keyof Args]: PromptArgumentOptions<Args[K]> } | undefined;
  get(args: PromptValues<Args>, ctx: Context): Awaitable<PromptReturn>;
}

/** The arguments as `get` receives them. */
export type PromptValues<Args> = { readonly [K in keyof Args]: Args[K] extends true ? string : string | undefined };

/** A prompt whose arguments are described by a schema of an object of strings. */
export interface SchemaPromptOptions<S extends StandardSchema> extends PromptInfo {
  readonly arguments: S;
  /** Suggests values for the arguments. */
  readonly complete?: { readonly [name: string]: Complete } | undefined;
  get(args: InferOutput<S>, ctx: Context): Awaitable<PromptReturn>;
}

/** A prompt, whichever way its arguments are described. */
export interface UncompiledPrompt extends PromptInfo {
  readonly arguments?: { readonly [name: string]: PromptArgumentOptions } | StandardSchema | undefined;
  readonly complete?: { readonly [name: string]: Complete } | undefined;
  readonly get: (args: never, ctx: Context) => Awaitable<PromptReturn>;
}

/** A prompt, to be put under its name in `createServer({ prompts })` or `server.prompts.add`. */
export interface PromptDefinition
  extends UncompiledPrompt, Compilable<CompiledPrompt, [describe: (schema: StandardSchema) => SchemaDescription]> {}

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
export function prompt<S extends StandardSchema>(options: SchemaPromptOptions<S>): PromptDefinition;
export function prompt<const Args extends { readonly [name: string]: unknown }>(
  options: PromptOptions<Args>,
): PromptDefinition;
export function prompt(options: UncompiledPrompt): PromptDefinition {
  return { ...options, "~compile": (name, order, describe) => compilePrompt(options, name, order, describe) };
}
