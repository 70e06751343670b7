import type { Implementation, ResultMeta, Revision, ServerCapabilities } from "@toolwire/protocol";
import type { AttachedCluster } from "../cluster/attached.ts";
import type { RateLimitStore } from "../cluster/stores.ts";
import type { Signature } from "../content/text-result.ts";
import type { GuardedObserver } from "../define/guarded-observer.ts";
import type { ServerMiddleware } from "../define/middleware.ts";
import type { CacheHints } from "../define/options.ts";
import type { ServerDiagnostic } from "../diagnostics.ts";
import type { CompiledExtensions } from "../extensions/compiled-extensions.ts";
import type { Subscriptions } from "../subscriptions/subscriptions.ts";
import type { PromptRegistry } from "./prompts.ts";
import type { ResourceRegistry } from "./resources.ts";
import type { Schemas } from "./schemas.ts";
import type { ToolRegistry } from "./tools.ts";

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
  /** What this process shares with others, if a binding has brought it. */
  readonly cluster: AttachedCluster;
  /** Counts requests to this server over all nodes of the cluster, if there is one. */
  readonly limits: RateLimitStore | undefined;
  /** The keys that seal state which travels through clients. The first one seals, all of them open. Empty by default. */
  listStateKeys(): readonly Uint8Array[];

  /** What the server has, whatever the revision. */
  readonly capabilities: ServerCapabilities;
  /** What it declares in a revision: its capabilities, and those of its extensions. */
  capabilitiesIn(revision: Revision): ServerCapabilities;
  /** The extensions of the server; `undefined` if it has none. */
  readonly extensions: CompiledExtensions | undefined;
  readonly cache: CacheHints;
  readonly unknownTool: "error" | "result";
  readonly hasLogging: boolean;
  readonly inputTimeout: number;
  /** The `_meta` of every modern result. */
  readonly resultMeta: ResultMeta | undefined;
  /** The same members as text, for tool results that are a single text. */
  readonly signature: Signature;

  /** Functions around every request; `undefined` if there are none. */
  readonly middleware: readonly ServerMiddleware[] | undefined;
  /** Sees what the server does; `undefined` if nobody looks. */
  readonly observer: GuardedObserver | undefined;

  /** Tells the operator something. Never fails. */
  diagnose(event: ServerDiagnostic): void;
}
