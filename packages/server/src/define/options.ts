import type { CacheScope, Extensions, Icon, Revision, SchemaValidator } from "@toolwire/protocol";
import type { OptionNames } from "@toolwire/protocol/internal";
import type { ServerDiagnostic } from "../diagnostics.ts";
import type { ServerExtension } from "./extension.ts";
import type { DefinitionLinter } from "./lint.ts";
import type { ServerMiddleware } from "./middleware.ts";
import type { ServerObserver } from "./observer.ts";
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

/** A key, as text or bytes: at least 32 random bytes. */
export type Secret = string | Uint8Array;

/** How long, and for whom, clients may cache a result. */
export interface CacheHint {
  /** How many milliseconds clients may use the result. Default 0: not at all. */
  readonly ttlMs?: number | undefined;
  /** Whether callers may share the result: `public` only if all of them get the same. Default `private`. */
  readonly scope?: CacheScope | undefined;
}

/** How long, and for whom, clients may cache what the server returns (2026-07-28). */
export interface CacheHints {
  readonly discover?: CacheHint | undefined;
  readonly tools?: CacheHint | undefined;
  readonly resources?: CacheHint | undefined;
  readonly templates?: CacheHint | undefined;
  readonly prompts?: CacheHint | undefined;
  /** For resource contents that set no cache hint of their own. */
  readonly read?: CacheHint | undefined;
}

/** The options of {@link createServer}. Limits are whole numbers; `Infinity` turns one off. */
export interface ServerOptions<
  Tools extends ToolDefinitions = ToolDefinitions,
  Prompts extends PromptDefinitions = PromptDefinitions,
  Added extends readonly ServerExtension[] = readonly ServerExtension[],
> {
  /** The name of the server, for programs. */
  readonly name: string;
  readonly version: string;
  /** The name of the server, for people. */
  readonly title?: string | undefined;
  /** Describes the purpose of the server. */
  readonly description?: string | undefined;
  /** Its home page. */
  readonly websiteUrl?: string | undefined;
  readonly icons?: readonly Icon[] | undefined;
  /** Tells the model how to use the server. */
  readonly instructions?: string | undefined;

  readonly tools?: Tools | undefined;
  readonly resources?: { readonly [name: string]: ResourceDefinition } | undefined;
  readonly prompts?: Prompts | undefined;

  /** Functions around every request, the first one outermost. */
  readonly middleware?: readonly ServerMiddleware[] | undefined;
  /** Sees requests, refusals, questions and sessions, for telemetry: `serverTelemetry()` of `@toolwire/otel`. Default: none. */
  readonly observe?: ServerObserver | undefined;
  /**
   * Looks once at what the server offers, right after it was made, and its findings become diagnostics: `lint()` of
   * `@toolwire/lint`. Default: nobody looks.
   */
  readonly lint?: DefinitionLinter | undefined;
  /** The most items in one page of a list. Default 1000. */
  readonly pageSize?: number | undefined;
  /** How long clients may cache results. Default: not at all. */
  readonly cache?: CacheHints | undefined;
  /**
   * How a call to an unknown tool is answered: as a JSON-RPC error, or as a result that the model reads. Default
   * `"error"`.
   */
  readonly unknownTool?: "error" | "result" | undefined;
  /**
   * The revisions to speak. Default: all. Without a revision before 2025-06-18, plain HTTP requests must have the
   * `MCP-Protocol-Version` header.
   */
  readonly revisions?: readonly Revision[] | undefined;
  /** Whether `ctx.log` reaches clients that ask for it. Default true. */
  readonly logging?: boolean | undefined;
  /** Whether modern results contain the server's name and version. Default true. */
  readonly serverInfo?: boolean | undefined;
  /** Extensions of the protocol that this server supports. */
  readonly extensions?: Added | undefined;
  /** Experimental capabilities, which no specification describes. */
  readonly experimental?: Extensions | undefined;

  /**
   * The key that seals what travels through clients: the state of questions, and the cursors of `resources/list` where a
   * family of resources has a `list`. At least 32 bytes, the same on all machines that serve the same clients. With a list,
   * the first key seals and all of them open, so that you can rotate keys. State that one server has sealed opens at others with
   * the same key and `name`, whatever their version: give servers that do different things different names, or keys.
   * Default: keys that nodes share, if a binding has a cluster. Otherwise random, so questions and these cursors do not survive a restart.
   */
  readonly stateKey?: Secret | readonly Secret[] | undefined;
  /** How many milliseconds a client may take to answer a question. Default 600 000. */
  readonly inputTimeout?: number | undefined;
  /** How many `subscriptions/listen` streams one authenticated caller, or else one connection, may have open. Default 100. */
  readonly maxSubscriptions?: number | undefined;

  /**
   * Validates values against plain JSON Schema. Default: the interpreter of `@toolwire/json-schema`. For large values,
   * `createAjvValidator()` of `@toolwire/json-schema/ajv` is faster.
   */
  readonly validator?: SchemaValidator | undefined;
  /**
   * Receives events for operators, such as the errors of which callers get only an id. It is not awaited, and may fail.
   * Default: `console.error`.
   */
  readonly onDiagnostic?: ((event: ServerDiagnostic) => void) | undefined;
}

/** The names of {@link ServerOptions}. */
export const SERVER_OPTIONS: OptionNames<ServerOptions> = {
  name: true,
  version: true,
  title: true,
  description: true,
  websiteUrl: true,
  icons: true,
  instructions: true,
  tools: true,
  resources: true,
  prompts: true,
  middleware: true,
  observe: true,
  lint: true,
  pageSize: true,
  cache: true,
  unknownTool: true,
  revisions: true,
  logging: true,
  serverInfo: true,
  extensions: true,
  experimental: true,
  stateKey: true,
  inputTimeout: true,
  maxSubscriptions: true,
  validator: true,
  onDiagnostic: true,
};

/** The names of {@link CacheHints}. */
export const CACHED_RESULTS: OptionNames<CacheHints> = {
  discover: true,
  tools: true,
  resources: true,
  templates: true,
  prompts: true,
  read: true,
};
