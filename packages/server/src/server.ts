import type { PromptTypes, ToolTypes, TypedServer } from "@toolwire/protocol";
import type { PromptDefinitions, ToolDefinitions } from "./definition/options.ts";
import type { PromptDefinition } from "./definition/prompt.ts";
import type { ResourceDefinition } from "./definition/resource.ts";
import type { ToolDefinition } from "./definition/tool.ts";
import type { Serving } from "./serving/contract.ts";

/** Definitions of one kind, which can be added and removed while the server runs; subscribers are told. */
export interface DefinitionSet<D> {
  /** Throws a `UsageError` if the definition is invalid, or the name is taken. */
  add(name: string, definition: D): void;
  /** Requests that are under way go on. Returns whether there was one. */
  remove(name: string): boolean;
  has(name: string): boolean;
  /** All names, in the order in which they are listed. */
  readonly names: readonly string[];
}

/** The resources of a server. */
export interface ResourceSet extends DefinitionSet<ResourceDefinition> {
  /** Tells everybody who watches this resource that its contents have changed. */
  updated(uri: string): void;
}

/**
 * A server definition, ready to be served over any number of bindings, connections and sessions at once. It is made by
 * `createServer`, and given to `serveStdio`, `serveHttp` and their like.
 */
export interface Server<Tools extends ToolTypes = ToolTypes, Prompts extends PromptTypes = PromptTypes>
  extends Serving, TypedServer<Tools, Prompts> {
  readonly name: string;
  readonly version: string;
  readonly tools: DefinitionSet<ToolDefinition>;
  readonly resources: ResourceSet;
  readonly prompts: DefinitionSet<PromptDefinition>;
  /**
   * Loads what is otherwise loaded when it is first needed: what serves legacy clients, and the validator of plain JSON
   * Schema, which checks all schemas. Rejects with what is wrong with the first bad one: a good test of a definition.
   */
  ready(): Promise<void>;
}

/** The types of tools or prompts by name, for `connect<typeof server>()`. */
export type TypesOf<Definitions extends ToolDefinitions | PromptDefinitions> = {
  readonly [K in keyof Definitions]-?: NonNullable<Definitions[K]>["~types"];
};
