/**
 * How the types of a server reach its client without either package importing the other: a server carries this phantom
 * property, `connect<typeof server>()` reads it. It never exists at run time.
 */
export interface TypedServer<Tools extends ToolTypes = ToolTypes> {
  readonly "~tools"?: Tools;
}

/** The argument and result types of each tool by name. */
export interface ToolTypes {
  readonly [name: string]: { readonly input: unknown; readonly output: unknown };
}
