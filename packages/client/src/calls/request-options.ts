import type { LoggingLevel, LogMessageParams, Meta, Progress } from "@toolwire/protocol";

/** What can be set for a single request. */
export interface RequestOptions {
  /** Aborting it cancels the request; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds without an answer or progress until the request is given up. `Infinity` waits forever. */
  readonly timeout?: number | undefined;
  /**
   * Milliseconds until the request is given up whatever progress there is; unless given, no less than its own
   * `timeout`.
   */
  readonly maxTimeout?: number | undefined;
  /** Asks the server for progress reports and hears them. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Hears log messages of this request. What is in them is the word of the server: check it before you rely on it.
   * Where all requests share one channel (stdio, WebSocket), the protocol does not say to which of them a message
   * belongs: there it hears all that come while the request is open.
   */
  readonly onLog?: ((message: LogMessageParams) => void) | undefined;
  /** From which severity on; `info` if only {@link onLog} is given. Legacy servers have one level: `setLogLevel()`. */
  readonly logLevel?: LoggingLevel | undefined;
  /**
   * More `_meta` for the request: `traceparent` as W3C has it, or keys of your own, such as `com.example/key`. As they
   * may matter to the server, a request with any is not answered from the cache.
   */
  readonly meta?: Meta | undefined;
  /** Values of `resultType` that an extension adds and the caller understands; others are refused. */
  readonly resultTypes?: readonly string[] | undefined;
  /**
   * Whether the structured result of a tool is checked, in place of what `connect()` was told: `false` calls a tool all
   * the same whose output schema cannot be used, or that does not keep to it.
   */
  readonly validate?: boolean | "always" | undefined;
}

/** What can be set for a request whose result may be cached. */
export interface FetchOptions extends RequestOptions {
  /** Asks the server even if there is a fresh answer in the cache. */
  readonly fresh?: boolean | undefined;
}
