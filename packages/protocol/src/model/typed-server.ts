/**
 * Carries the types of a server's tools and prompts to `connect<typeof server>()`, so that neither package imports the
 * other. The properties are phantoms: they do not exist at run time.
 */
export interface TypedServer<Tools extends ToolTypes = ToolTypes, Prompts extends PromptTypes = PromptTypes> {
  readonly "~tools"?: Tools;
  readonly "~prompts"?: Prompts;
}

/** The argument and result types of each tool by name. */
export interface ToolTypes {
  readonly [name: string]: { readonly input: unknown; readonly output: unknown };
}

/** The argument types of each prompt by name. */
export interface PromptTypes {
  readonly [name: string]: { readonly arguments: unknown };
}
