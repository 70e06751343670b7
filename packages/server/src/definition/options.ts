import type { Extensions, Icon, Revision, SchemaValidator } from "@toolwire/protocol";
import type { Secret } from "../input/secret.ts";
import type { Middleware } from "../middleware/middleware.ts";
import type { CacheHint } from "../registry/list-pages.ts";
import type { Diagnostic } from "../serving/contract.ts";
import type { PromptDefinition } from "./prompt.ts";
import type { ResourceDefinition } from "./resource.ts";
import type { ToolDefinition } from "./tool.ts";

/** Tools by name. */
export interface ToolDefinitions {
  readonly [name: string]: ToolDefinition;
}

/** Prompts by name. */
export interface PromptDefinitions {
  readonly [name: string]: PromptDefinition;
}

/** How long and for whom what the server says stays fresh (2026-07-28). */
export interface CacheHints {
  readonly discover?: CacheHint | undefined;
  readonly tools?: CacheHint | undefined;
  readonly resources?: CacheHint | undefined;
  readonly templates?: CacheHint | undefined;
  readonly prompts?: CacheHint | undefined;
  /** For contents of resources that say nothing about it themselves. */
  readonly read?: CacheHint | undefined;
}

/** What {@link createServer} takes. Limits are whole numbers; `Infinity` switches one off. */
export interface ServerOptions<
  Tools extends ToolDefinitions = ToolDefinitions,
  Prompts extends PromptDefinitions = PromptDefinitions,
> {
  /** Identifies the program. */
  readonly name: string;
  readonly version: string;
  /** What people call it. */
  readonly title?: string | undefined;
  /** What it is for. */
  readonly description?: string | undefined;
  /** Its home page. */
  readonly websiteUrl?: string | undefined;
  readonly icons?: readonly Icon[] | undefined;
  /** Tells the model how to make good use of the server. */
  readonly instructions?: string | undefined;

  readonly tools?: Tools | undefined;
  readonly resources?: { readonly [name: string]: ResourceDefinition } | undefined;
  readonly prompts?: Prompts | undefined;

  /** Around every request, the first one outermost. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** The most items in one page of a list. Default 1000. */
  readonly pageSize?: number | undefined;
  /** Default: nothing may be reused. */
  readonly cache?: CacheHints | undefined;
  /**
   * How a call of a tool that does not exist is answered: as an error of the protocol, or as a result for the model.
   */
  readonly unknownTool?: "error" | "result" | undefined;
  /**
   * The revisions to speak. Default: all. Without one before 2025-06-18, plain HTTP requests have to name their version
   * in the `MCP-Protocol-Version` header.
   */
  readonly revisions?: readonly Revision[] | undefined;
  /** Whether `ctx.log` reaches clients that ask for it. Default true. */
  readonly logging?: boolean | undefined;
  /** Whether modern results say which server they come from. Default true. */
  readonly serverInfo?: boolean | undefined;
  /** Extensions of the protocol that this server supports, with their settings. */
  readonly extensions?: Extensions | undefined;
  /** Capabilities that no specification describes. */
  readonly experimental?: Extensions | undefined;

  /**
   * Seals the state that travels through modern clients while they answer questions: at least 32 bytes, the same on
   * all machines that serve the same clients. Several: the first seals, all open, so that keys can be changed.
   * Default: random, so that questions do not survive a restart.
   */
  readonly stateKey?: Secret | readonly Secret[] | undefined;
  /** Milliseconds that a client may take to answer a question. Default ten minutes. */
  readonly inputTimeout?: number | undefined;
  /** The most `subscriptions/listen` streams of one connection. Default 100. */
  readonly maxSubscriptions?: number | undefined;

  /**
   * Checks values against plain JSON Schema. Default: the one of `@toolwire/protocol/json-schema`, loaded when needed.
   */
  readonly validator?: SchemaValidator | undefined;
  /** Hears what operators should know, such as the errors that callers only get an id of. Default: `console.error`. */
  readonly onDiagnostic?: ((event: Diagnostic) => void) | undefined;
}
