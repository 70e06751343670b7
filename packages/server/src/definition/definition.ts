import type { Implementation, ResultMeta, Revision, ServerCapabilities } from "@toolwire/protocol";
import type { PromptRegistry } from "../registry/prompts.ts";
import type { ResourceRegistry } from "../registry/resources.ts";
import type { Schemas } from "../registry/schemas.ts";
import type { ToolRegistry } from "../registry/tools.ts";
import type { Diagnostic } from "../serving/contract.ts";
import type { Subscriptions } from "../subscriptions/subscriptions.ts";
import type { CacheHints } from "./options.ts";

/** A server as its request handlers see it: compiled, and free of anything that belongs to one connection. */
export interface Definition {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  /** Newest first. */
  readonly revisions: readonly Revision[];
  readonly tools: ToolRegistry;
  readonly resources: ResourceRegistry;
  readonly prompts: PromptRegistry;
  readonly schemas: Schemas;
  readonly subscriptions: Subscriptions;
  readonly maxSubscriptions: number;
  /** The keys that seal what travels through clients; the first one seals, all open. None if none were given. */
  listStateKeys(): readonly Uint8Array<ArrayBuffer>[];

  /** What the server can do at this moment. */
  readonly capabilities: ServerCapabilities;
  readonly cache: CacheHints;
  readonly unknownTool: "error" | "result";
  readonly hasLogging: boolean;
  readonly inputTimeout: number;
  /** The `_meta` of every modern result. */
  readonly resultMeta: ResultMeta | undefined;

  diagnose(event: Diagnostic): void;
}
