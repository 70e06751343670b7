import type { MethodTypes, PromptTypes, ToolTypes, TypedServer } from "@toolwire/protocol";
import type { Principal } from "../origin.ts";
import type { PromptDefinitions, ToolDefinitions } from "./options.ts";
import type { PromptDefinition } from "./prompt.ts";
import type { ResourceDefinition } from "./resource.ts";
import type { ToolDefinition } from "./tool.ts";

/**
 * The tools, resources or prompts of a server. You can add and remove them while the server runs; subscribed clients
 * are notified.
 */
export interface DefinitionSet<D> {
  /** Adds a definition. Throws a `UsageError` if it is invalid, or if the name is taken. */
  add(name: string, definition: D): void;
  /** Removes a definition. Requests in flight continue. Returns whether it existed. */
  remove(name: string): boolean;
  has(name: string): boolean;
  /** All names, in the order in which they are listed. */
  readonly names: readonly string[];
}

/** The callers that an update of a resource concerns. */
export interface UpdateOptions {
  /**
   * The caller whose resource has changed, such as `ctx.principal`: only subscriptions of the same `id` are notified. Use it
   * if callers see different contents under one URI. `undefined` means callers without authentication. If the option is
   * left out, all subscriptions to the URI are notified.
   */
  readonly principal?: Pick<Principal, "id"> | undefined;
}

/** The resources of a server. */
export interface ResourceSet extends DefinitionSet<ResourceDefinition> {
  /** Notifies clients that subscribed to this resource that its contents have changed: all, or those of one caller. */
  updated(uri: string, options?: UpdateOptions): void;
}

/**
 * A server definition, which can be served over any number of bindings, connections and sessions at once. Make it with
 * `createServer`, and pass it to `serveStdio`, `serveHttp` or another binding.
 */
export interface Server<
  Tools extends ToolTypes = ToolTypes,
  Prompts extends PromptTypes = PromptTypes,
  Methods extends MethodTypes = MethodTypes,
> extends TypedServer<Tools, Prompts, Methods> {
  readonly name: string;
  readonly version: string;
  readonly tools: DefinitionSet<ToolDefinition>;
  readonly resources: ResourceSet;
  readonly prompts: DefinitionSet<PromptDefinition>;
}

/** The types of tools by name, for `connect<typeof server>()`. */
export type ToolTypesOf<Tools extends ToolDefinitions> = {
  readonly [K in keyof Tools]-?: NonNullable<Tools[K]>["made by tool()"];
};

/** The types of prompts by name, for `connect<typeof server>()`. */
export type PromptTypesOf<Prompts extends PromptDefinitions> = {
  readonly [K in keyof Prompts]-?: NonNullable<Prompts[K]>["made by prompt()"];
};
