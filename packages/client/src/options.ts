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
import type { HttpTransportOptions } from "./http/options.ts";
import type { InputHandlers } from "./inputs/handlers.ts";
import type { Middleware } from "./middleware/middleware.ts";
import type { ServerMemory } from "./negotiation/server-memory.ts";

/** How to connect, and how to behave while connected. Nothing is required. */
export interface ConnectOptions extends InputHandlers, HttpTransportOptions {
  /** How the client presents itself to servers. Default: as this package, in its version. */
  readonly info?: Implementation | undefined;
  /**
   * Capabilities beyond those that follow from the handlers given: experiments, and extensions by names like
   * `com.example/thing`.
   */
  readonly capabilities?: ClientCapabilities | undefined;

  /** Speaks this revision or none. */
  readonly revision?: Revision | undefined;
  /** Speaks the revisions of this era only. */
  readonly era?: Era | undefined;
  /** Where to remember which era servers belong to; `false` finds out every time. Default: for this process. */
  readonly memory?: ServerMemory | false | undefined;
  /**
   * Milliseconds that a server may leave the first question of the modern era unanswered before the legacy handshake is
   * tried as well; whichever is answered first counts. Default 2000.
   */
  readonly probeTimeout?: number | undefined;
  /** Milliseconds that connecting may take. Default 60 000. */
  readonly connectTimeout?: number | undefined;
  /** Aborting it gives up connecting. Once connected, use `close()`. */
  readonly signal?: AbortSignal | undefined;
  /** How to connect again after the connection was lost; `false` does not. */
  readonly reconnect?: ReconnectOptions | false | undefined;

  /** Milliseconds without an answer or progress until a call is given up. Default 60 000. */
  readonly timeout?: number | undefined;
  /**
   * Milliseconds until a call is given up whatever progress there is. Default 600 000, or `timeout` if that is longer.
   */
  readonly maxTimeout?: number | undefined;
  /** How often a server may ask for input during one call. Default 10. */
  readonly maxRounds?: number | undefined;
  /** Code around every call, the first outermost. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** How results are kept for later; `false` keeps none. */
  readonly cache?: CacheOptions | false | undefined;
  /**
   * Whether structured results are checked against the output schemas of tools. `true`, the default, checks tools that
   * have been listed; `"always"` looks up a tool that has not before calling it; `false` believes servers.
   */
  readonly validate?: boolean | "always" | undefined;
  /** What checks them. Default: the one in `@toolwire/protocol/json-schema`, loaded when it is first needed. */
  readonly validator?: SchemaValidator | undefined;

  /** From which severity on log messages are wanted: as `setLogLevel()`, for servers that have logs. */
  readonly logLevel?: LoggingLevel | undefined;
  /**
   * Hears log messages that no call claims with its own `onLog`. Where all calls share one channel (stdio, WebSocket),
   * nobody can tell whose they are: there it hears all of them.
   */
  readonly onLog?: ((message: LogMessageParams) => void) | undefined;
  /** Hears all notifications but those about the progress of a call, also log messages that a call claims. */
  readonly onNotification?: ((message: NotificationMessage) => void) | undefined;
  /** Hears what whoever runs the client may want to know. Default: warnings go to the console. */
  readonly onDiagnostic?: DiagnosticListener | undefined;
}
