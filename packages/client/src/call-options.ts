import type { LoggingLevel, LogMessageParams, Meta, Progress } from "@toolwire/protocol";
import type { CallMembers } from "./extensions/members.ts";

/** The options of a single request. */
export interface RequestOptions {
  /** Cancels the request when it aborts; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How many milliseconds to wait without an answer or progress. `Infinity` waits forever. */
  readonly timeout?: number | undefined;
  /**
   * How many milliseconds to wait in total, regardless of progress. If it is not given, it is at least this request's
   * own `timeout`.
   */
  readonly maxTimeout?: number | undefined;
  /**
   * Requests progress reports, and gets them. If it throws or rejects, the request is given up and rejects with that error,
   * unless it is over already.
   */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Gets the log messages of this request. Their content comes from the server: check it before you rely on it. Where
   * all requests share one channel (stdio, WebSocket), the protocol does not say which request a message belongs to.
   * There it gets all that arrive while the request is open. If it fails over HTTP, the request is given up, as with
   * {@link onProgress}. Elsewhere the failure is only reported, because it is unknown whose message it was.
   */
  readonly onLog?: ((message: LogMessageParams) => void) | undefined;
  /**
   * The lowest severity of log messages to request; `info` if only {@link onLog} is given. Legacy servers have one
   * level for the whole connection: `setLogLevel()`.
   */
  readonly logLevel?: LoggingLevel | undefined;
  /**
   * Further `_meta` of the request: the W3C `traceparent`, or keys of your own, such as `com.example/key`. They may
   * matter to the server, so a request with them is not answered from the cache. The protocol's own keys are set by the
   * client, except that a gateway can declare the capabilities of its caller to a modern server
   * (`io.modelcontextprotocol/clientCapabilities`).
   */
  readonly _meta?: Meta | undefined;
  /**
   * Values of `resultType` that an extension adds and that you understand. Others are rejected. With `input_required`, you get
   * the questions of a modern server as they are, and answer them by a call with `inputResponses` and `requestState`; no
   * handler is asked.
   */
  readonly resultTypes?: readonly string[] | undefined;
  /**
   * Whether the structured result of a tool is checked, in place of what `connect()` was told: `false` calls a tool all
   * the same whose output schema cannot be used, or that does not keep to it.
   */
  readonly validate?: boolean | "always" | undefined;
}

/** The options of a call of a tool: those of any request, and those that extensions add. */
export interface ToolCallOptions extends RequestOptions, CallMembers {}

/** The options of a notification. */
export interface NotifyOptions {
  /** Gives up sending it when it aborts. What is on its way by then may still arrive. */
  readonly signal?: AbortSignal | undefined;
  /** How many milliseconds sending it may take. Default: the client's `timeout`. */
  readonly timeout?: number | undefined;
}

/** The options of a request whose result may be cached. */
export interface FetchOptions extends RequestOptions {
  /** Whether to ask the server even if there is a fresh answer in the cache. */
  readonly fresh?: boolean | undefined;
}
