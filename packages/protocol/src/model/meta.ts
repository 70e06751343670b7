import type { RequestId } from "../messages/message.ts";
import type { ClientCapabilities } from "./capabilities.ts";
import type { Implementation } from "./implementation.ts";
import type { LoggingLevel } from "./logging-level.ts";
import type { ProgressToken } from "./tokens.ts";

/** The `_meta` keys that the protocol reserves for itself. */
export const MetaKey = {
  /** The revision a request is written in (2026-07-28). */
  ProtocolVersion: "io.modelcontextprotocol/protocolVersion",
  /** Who sends a request (2026-07-28). */
  ClientInfo: "io.modelcontextprotocol/clientInfo",
  /** What the sender of a request can do (2026-07-28). */
  ClientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  /** From which severity on a request wants log messages (2026-07-28). */
  LogLevel: "io.modelcontextprotocol/logLevel",
  /** Who produced a result (2026-07-28). */
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
