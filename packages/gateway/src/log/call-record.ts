/** How a call ended. */
export type Outcome =
  | "ok"
  | "tool-error"
  | "invalid-arguments"
  | "unknown-tool"
  | "denied"
  | "rate-limited"
  | "timed-out"
  | "cancelled"
  | "error";

/** All outcomes, in the order in which charts stack them. */
export const OUTCOMES: readonly Outcome[] = [
  "ok",
  "tool-error",
  "invalid-arguments",
  "unknown-tool",
  "denied",
  "rate-limited",
  "timed-out",
  "cancelled",
  "error",
];

/** The steps of a call whose time is taken. The last two, log and return, come after the record is made. */
export type TimedStep = "validate" | "resolve" | "authorize" | "call" | "transform";

/** All of them, in their order. */
export const TIMED_STEPS: readonly TimedStep[] = ["validate", "resolve", "authorize", "call", "transform"];

/** One `tools/call`, as it is kept in the call log. */
export interface CallRecord {
  /** A UUID of version 7, made by the gateway that served the call. Written twice, it is kept once. */
  readonly id: string;
  /** When the call arrived, in milliseconds since 1970. */
  readonly at: number;
  /** The name of the gateway process that served it. */
  readonly node: string;
  /** The slug of the server. */
  readonly server: string;
  /** The name as the caller sent it. The log redacts it, and keeps 128 characters. */
  readonly tool: string;
  readonly source: "http" | "openapi" | "mcp" | "none";
  readonly principal?: string | undefined;
  readonly clientName?: string | undefined;
  readonly clientVersion?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly revision: string;
  readonly outcome: Outcome;
  /** The code of the JSON-RPC error, if the response is one. */
  readonly rpcCode?: number | undefined;
  /** The status of the API's HTTP response. */
  readonly httpStatus?: number | undefined;
  readonly attempts: number;
  /** From the arrival of the request to its result, in milliseconds. */
  readonly durationMs: number;
  /** Milliseconds by step. A step that was not reached is absent. */
  readonly steps: { readonly [Step in TimedStep]?: number };
  /** From the start of the call step to the head of the API's response. */
  readonly firstByteMs?: number | undefined;
  /** The length of the arguments as JSON. */
  readonly requestBytes: number;
  /** The length of the API's response, decoded. */
  readonly responseBytes: number;
  readonly isTruncated: boolean;
  /** The error text that the caller got. The log redacts it, and keeps 300 characters. */
  readonly error?: string | undefined;
  /** The trace id of the caller's `traceparent`. */
  readonly traceId?: string | undefined;
  /** Arguments and response. Only if the server's configuration asks for it. The log redacts them, and keeps 16 KiB of each. */
  readonly capture?: { readonly arguments: string; readonly response: string } | undefined;
}
