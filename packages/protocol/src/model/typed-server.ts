/**
 * How the types of a server reach its client without either package importing the other: a server carries these phantom
 * properties, `connect<typeof server>()` reads them. They never exist at run time.
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
