import type {
  ClientCapabilities,
  Era,
  Implementation,
  LoggingLevel,
  LogMessageParams,
  NotificationMessage,
  Revision,
  SchemaValidator,
} from "@toolwire/protocol";
import type { CacheOptions } from "./cache/server-cache.ts";
import type { ReconnectOptions } from "./connection/backoff.ts";
import type { DiagnosticListener } from "./diagnostics.ts";
import type { ClientExtension } from "./extensions/extension.ts";
import type { InputHandlers } from "./input/handlers.ts";
import type { ClientMiddleware } from "./middleware/middleware.ts";
import type { ClientObserver } from "./observer.ts";
import type { ServerMemory } from "./eras/server-memory.ts";
import type { TransportOptions } from "./target/endpoint.ts";

/**
 * The options of `connect` with a URL: how to reach it, and how to behave while connected. None is required. Options of a
 * transport are in a group of their own: `http` for `http:` URLs, `websocket` for `ws:` URLs.
 */
export interface ConnectOptions extends ClientOptions, TransportOptions {}

/**
 * The options of `connect` with any target: how to behave while connected. None is required. A command has the options of its
 * transport beside it, and a transport was made with options of its own.
 */
export interface ClientOptions extends InputHandlers {
  /** The client's name and version, which servers see. Default: those of this package. */
  readonly info?: Implementation | undefined;
  /**
   * Capabilities to declare beyond those of the handlers: experiments, and extensions that need no support of the client, with
   * names like `com.example/thing`. Those that do are given as `extensions`.
   */
  readonly capabilities?: ClientCapabilities | undefined;

  /**
   * Extensions of the protocol to support. None is on unless it is listed here. `client.use(extension)` returns what one of them
   * offers to the application.
   */
  readonly extensions?: readonly ClientExtension[] | undefined;

  /** The only revision to speak. Default: the newest that both sides speak. */
  readonly revision?: Revision | undefined;
  /** The only era to speak. Default: both. */
  readonly era?: Era | undefined;
  /**
   * Remembers which era servers speak; `false` probes every time. Default: a memory that all clients of this process
   * share.
   */
  readonly memory?: ServerMemory | false | undefined;
  /**
   * How many milliseconds to wait for the answer to `server/discover` before the legacy handshake is tried as well. The
   * first good answer to either counts. Default 2000.
   */
  readonly probeTimeout?: number | undefined;
  /** How many milliseconds connecting may take. Default 60 000. */
  readonly connectTimeout?: number | undefined;
  /** Cancels connecting when it aborts. Once connected, use `close()`. */
  readonly signal?: AbortSignal | undefined;
  /** How to reconnect after the connection was lost; `false` does not reconnect. */
  readonly reconnect?: ReconnectOptions | false | undefined;

  /** How many milliseconds a call waits without an answer or progress. Default 60 000. */
  readonly timeout?: number | undefined;
  /**
   * How many milliseconds a call waits in total, regardless of progress. Default 600 000, or `timeout` if that is
   * longer.
   */
  readonly maxTimeout?: number | undefined;
  /** How often a server may ask for input during one call. Default 10. */
  readonly maxRounds?: number | undefined;
  /** Functions around every call, the first one outermost. */
  readonly middleware?: readonly ClientMiddleware[] | undefined;
  /** Sees each request as it is sent, for telemetry: `clientTelemetry()` of `@toolwire/otel`. Default: none. */
  readonly observe?: ClientObserver | undefined;
  /** How results are cached; `false` turns the cache off. */
  readonly cache?: CacheOptions | false | undefined;
  /**
   * Whether structured results are validated against the output schemas of tools. `true`, the default, validates
   * results of tools that have been listed. `"always"` lists the tools first if necessary. `false` trusts servers.
   */
  readonly validate?: boolean | "always" | undefined;
  /** Validates structured results. Default: the validator of `@toolwire/json-schema` for untrusted schemas. */
  readonly validator?: SchemaValidator | undefined;

  /** The lowest severity of log messages to request, as with `setLogLevel()`. Servers without logging are not asked. */
  readonly logLevel?: LoggingLevel | undefined;
  /**
   * Gets log messages that no call claims with its own `onLog`. Where all calls share one channel (stdio, WebSocket),
   * the call of a message is not known, so it gets all of them there.
   */
  readonly onLog?: ((message: LogMessageParams) => void) | undefined;
  /** Gets all notifications except those about the progress of a call, including log messages that a call claims. */
  readonly onNotification?: ((message: NotificationMessage) => void) | undefined;
  /** Gets events that the operator of the client may want to know. Default: warnings go to the console. */
  readonly onDiagnostic?: DiagnosticListener | undefined;
}
