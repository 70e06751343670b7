/** The base protocol: ids, metadata, capabilities, and the members that all requests and results share. */

import type { JsonObject } from "./json.ts";

/** Names a request so that its response can be matched to it. `1` and `"1"` are different ids. */
export type RequestId = string | number;

/** Identifies the request that a progress notification belongs to. The sender of the request chooses it. */
export type ProgressToken = string | number;

/** The position where the next page of a list begins. Only the server that issued it can read it; the empty string is valid. */
export type Cursor = string;

/** The severities of RFC 5424 by name, from the most talkative to the most severe. */
export const LOGGING_LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

/** The severity of a log message. */
export type LoggingLevel = (typeof LOGGING_LEVELS)[number];

/** A picture that represents something in a user interface. */
export interface Icon {
  /**
   * An `https:` or `data:` URI. Treat icons of others as untrusted: refuse other schemes, load them only from the
   * server's own origin, without credentials and within size limits, and detect the format from the bytes.
   */
  src: string;
  mimeType?: string | undefined;
  /** The sizes, such as `48x48`, or `any` for scalable formats. */
  sizes?: readonly string[] | undefined;
  /** The background that the icon is drawn for. */
  theme?: "light" | "dark" | undefined;
}

/** The name and version of a client or a server. Self-reported: show it, log it, but do not base decisions on it. */
export interface Implementation {
  /** The name of the program, for programs. */
  name: string;
  version: string;
  /** The name to show to people (since 2025-06-18). */
  title?: string | undefined;
  /** Its purpose (since 2025-11-25). */
  description?: string | undefined;
  /** Its home page (since 2025-11-25). */
  websiteUrl?: string | undefined;
  /** Since 2025-11-25. */
  icons?: readonly Icon[] | undefined;
}

/** Settings by extension id, such as `io.modelcontextprotocol/ui`; `{}` means supported without settings. */
export interface Extensions {
  readonly [id: string]: JsonObject | undefined;
}

/** The capabilities of a client. Absent ones are not supported. Others may add members of their own. */
export interface ClientCapabilities {
  /** The user can be asked: `form` and `url` name the modes, and `{}` means forms only (since 2025-06-18). */
  elicitation?: { form?: JsonObject | undefined; url?: JsonObject | undefined } | undefined;
  /** The model can be asked. `tools`: it can use tools; `context`: it can include context of servers. */
  sampling?: { tools?: JsonObject | undefined; context?: JsonObject | undefined } | undefined;
  /** The roots can be listed; `listChanged` announces changes (2025-11-25 and earlier). */
  roots?: { listChanged?: boolean | undefined } | undefined;
  /** Since 2026-07-28; older peers that know an extension read it here too. */
  extensions?: Extensions | undefined;
  /** Experimental capabilities, which no specification describes. */
  experimental?: Extensions | undefined;
}

/** The capabilities of a server. Absent ones are not supported. Others may add members of their own. */
export interface ServerCapabilities {
  tools?: { listChanged?: boolean | undefined } | undefined;
  /** `subscribe`: clients can subscribe to single resources. */
  resources?: { listChanged?: boolean | undefined; subscribe?: boolean | undefined } | undefined;
  prompts?: { listChanged?: boolean | undefined } | undefined;
  /** Arguments can be completed (since 2025-03-26). */
  completions?: JsonObject | undefined;
  /** Clients can request log messages. Deprecated since 2026-07-28, but still supported. */
  logging?: JsonObject | undefined;
  /** Since 2026-07-28; older peers that know an extension read it here too. */
  extensions?: Extensions | undefined;
  /** Experimental capabilities, which no specification describes. */
  experimental?: Extensions | undefined;
}

/** The `_meta` keys that the protocol reserves for itself. */
export const MetaKey = {
  /** The revision a request is written in (2026-07-28). */
  ProtocolVersion: "io.modelcontextprotocol/protocolVersion",
  /** The sender of a request (2026-07-28). */
  ClientInfo: "io.modelcontextprotocol/clientInfo",
  /** The capabilities of the sender of a request (2026-07-28). */
  ClientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  /** The lowest severity of log messages that a request wants (2026-07-28). */
  LogLevel: "io.modelcontextprotocol/logLevel",
  /** The server that produced a result (2026-07-28). */
  ServerInfo: "io.modelcontextprotocol/serverInfo",
  /** The id of the `subscriptions/listen` request that a notification belongs to (2026-07-28). */
  SubscriptionId: "io.modelcontextprotocol/subscriptionId",
  /** Asks for progress notifications (all revisions). */
  ProgressToken: "progressToken",
  /** W3C Trace Context: the position of a request in a trace. */
  TraceParent: "traceparent",
  /** W3C Trace Context: what tracing vendors add to it. */
  TraceState: "tracestate",
  /** W3C Baggage: key-value pairs that travel along a trace. */
  Baggage: "baggage",
} as const;

/** Any of the keys in {@link MetaKey}. */
export type MetaKey = (typeof MetaKey)[keyof typeof MetaKey];

/** Extra information about a message or a thing in it. Prefix your own keys with a domain: `com.example/key`. */
export interface Meta {
  readonly [key: string]: unknown;
}

/** The `_meta` of a request. The prefixed keys exist from 2026-07-28 on, where the first and third are required. */
export interface RequestMeta extends Meta {
  "io.modelcontextprotocol/protocolVersion"?: string | undefined;
  "io.modelcontextprotocol/clientInfo"?: Implementation | undefined;
  "io.modelcontextprotocol/clientCapabilities"?: ClientCapabilities | undefined;
  "io.modelcontextprotocol/logLevel"?: LoggingLevel | undefined;
  /** Set it to receive `notifications/progress` with this token. */
  progressToken?: ProgressToken | undefined;
  traceparent?: string | undefined;
  tracestate?: string | undefined;
  baggage?: string | undefined;
}

/** The `_meta` of a result. */
export interface ResultMeta extends Meta {
  "io.modelcontextprotocol/serverInfo"?: Implementation | undefined;
  /** Only on the result that ends a `subscriptions/listen`. */
  "io.modelcontextprotocol/subscriptionId"?: RequestId | undefined;
}

/** The `_meta` of a notification. */
export interface NotificationMeta extends Meta {
  "io.modelcontextprotocol/subscriptionId"?: RequestId | undefined;
}

/**
 * The kind of a result: `complete` is final, `input_required` asks for a retry with answers. Extensions may
 * add values. Results of 2025-11-25 and earlier do not carry it and count as `complete`.
 */
export type ResultType = "complete" | "input_required" | (string & {});

/** The members that all final results have in common. */
export interface Result {
  /** Filled in when the result is sent in a revision that requires it. */
  resultType?: "complete" | undefined;
  _meta?: ResultMeta | undefined;
}

/** The result of a request that returns nothing. */
export interface EmptyResult extends Result {}

/** The members that the parameters of all requests have in common. */
export interface RequestParams {
  _meta?: RequestMeta | undefined;
}

/** The members that the parameters of all notifications have in common. */
export interface NotificationParams {
  _meta?: NotificationMeta | undefined;
}

/** The callers that may reuse a cached result: `public` means all, `private` only those with the same authorization. */
export type CacheScope = "public" | "private";

/** How long, and for whom, a result may be cached. Absent in 2025-11-25 and earlier. */
export interface CacheHints {
  /** How many milliseconds the result is fresh. 0, or absent: it is stale at once. */
  ttlMs?: number | undefined;
  /** Default: `private`. */
  cacheScope?: CacheScope | undefined;
}

/** A result that a client may cache. */
export interface CacheableResult extends Result, CacheHints {}

/** The parameters of every list request. */
export interface ListParams extends RequestParams {
  /** From the `nextCursor` of the page before; absent for the first page. */
  cursor?: Cursor | undefined;
}

/** The members that every page of a list has. */
export interface ListResult extends CacheableResult {
  /** Present as long as there is another page. */
  nextCursor?: Cursor | undefined;
}

/** The capabilities and revisions of a server (2026-07-28). Its name and version are in `_meta`, as in every result. */
export interface DiscoverResult extends CacheableResult {
  /** The revisions that the server speaks, including those that this SDK does not know. */
  supportedVersions: readonly string[];
  capabilities: ServerCapabilities;
  /** Tells the model how to use the server. */
  instructions?: string | undefined;
}

/** Opens a connection of the legacy era (2025-11-25 and earlier). */
export interface InitializeParams extends RequestParams {
  /** The newest revision that the client wants to speak. */
  protocolVersion: string;
  clientInfo: Implementation;
  capabilities: ClientCapabilities;
}

/** The server's side of the handshake (2025-11-25 and earlier). */
export interface InitializeResult extends Result {
  /** The revision that the connection will speak: the client's, or the newest of the server's. */
  protocolVersion: string;
  serverInfo: Implementation;
  capabilities: ServerCapabilities;
  /** Tells the model how to use the server. */
  instructions?: string | undefined;
}
