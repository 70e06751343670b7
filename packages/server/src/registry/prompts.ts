import type { Prompt } from "@toolwire/protocol";
import type { PromptDefinition, PromptReturn } from "../definition/prompt.ts";
import type { Complete } from "../definition/resource.ts";
import type { Context } from "../request/context.ts";
import type { ListSettings } from "./list-pages.ts";
import { Registry, type Entry } from "./registry.ts";
import type { Schemas } from "./schemas.ts";

/** Arguments of a prompt as they come: text by name. */
export type PromptStrings = { readonly [name: string]: string };

/** A prompt that is ready to be filled in. */
export interface CompiledPrompt extends Entry {
  /** As clients see it. */
  readonly listing: Prompt;
  readonly complete: ReadonlyMap<string, Complete>;
  /** Checks the arguments; throws an `RpcError` that lists what is wrong with them. */
  readonly check: (args: PromptStrings) => unknown;
  get(args: unknown, ctx: Context): PromptReturn | Promise<PromptReturn>;
}

/** The prompts of a server. */
export class PromptRegistry extends Registry<PromptDefinition, CompiledPrompt> {
  readonly #schemas: Schemas;

  constructor(schemas: Schemas, settings: ListSettings, onChange: () => void) {
    super("prompt", settings, onChange);
    this.#schemas = schemas;
  }

  protected override compile(name: string, definition: PromptDefinition, order: number): CompiledPrompt {
    return definition["~compile"](name, order, (schema) => this.#schemas.describe(schema, "input"));
  }
}
