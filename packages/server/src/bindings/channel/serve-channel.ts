/// <reference lib="esnext.disposable" preserve="true" />
import {
  AuthError,
  ErrorCode,
  hasFeature,
  toErrorResponse,
  type Channel,
  type Exchange,
  type Reply,
  type RequestMessage,
} from "@toolwire/protocol";
import {
  isObject,
  expectBoolean,
  expectLimit,
  expectMilliseconds,
  Multiplexer,
  shuttingDownError,
  type RequestLimit,
  expectFunction,
  expectOption,
  expectOptions,
  type OptionNames,
} from "@toolwire/protocol/internal";
import type { Cluster } from "../../cluster/cluster.ts";
import { expectCluster } from "../../cluster/options.ts";
import { bindingOf, type Origin, type Principal, type ServerBinding, type ServerConnection } from "../../binding.ts";
import type { Server } from "../../define/server.ts";
import { isPrincipal } from "../../origin.ts";
import { whenReached } from "../../timers.ts";
import { withTimeout } from "../admission/with-timeout.ts";

/** The options of {@link serveChannel}: facts about the connection, and limits. */
export interface ServeChannelOptions {
  /** The name of the binding, which middleware finds in `origin.binding`. Default `"memory"`. */
  readonly binding?: string | undefined;
  /**
   * The caller at the other end, if the binding has authenticated it. If its credentials expire, the connection ends then, as by
   * `close`.
   */
  readonly principal?: Principal | undefined;
  /**
   * Whether the caller is a part of this process, or has started it. Without a `principal`, it then has every scope. Default false: a
   * caller without a `principal` has none.
   */
  readonly isLocal?: boolean | undefined;
  /** Looks up a header of the connection by its lower-case name, if it has headers. */
  readonly header?: ((name: string) => string | undefined) | undefined;
  /**
   * How many requests may be in flight at once. More are refused with -32603. One that was cancelled or timed out counts
   * until its handler has stopped. Give connections of the same caller one `RequestLimit` to share,
   * such as a `CountedRequests`: otherwise each connection has a limit of its own. Default 16384.
   */
  readonly maxInFlight?: number | RequestLimit | undefined;
  /** What this process shares with others that serve the same clients. All bindings of a server have the same one. Default: nothing. */
  readonly cluster?: Cluster | undefined;
  /** How many milliseconds `close` waits for requests in flight. Default 5000. */
  readonly closeTimeout?: number | undefined;
}

/** A channel that is being served, as returned by {@link serveChannel}. */
export interface ServedChannel {
  /**
   * Stops waiting for answers of the client, for when it can send nothing more. Open and further questions to it fail
   * at once. Its own requests continue and are answered. A channel that tells of the end does this by itself, and is
   * closed once they are answered.
   */
  stopAsking(): void;
  /**
   * Ends subscriptions, waits for requests in flight, within `closeTimeout`, then ends the connection. Requests that come
   * meanwhile are refused, except `ping` and those that bring requested input. The client can still be asked questions.
   */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
  /** Resolves when either side has ended the connection. */
  readonly closed: Promise<void>;
}

const CHANNEL_OPTIONS: OptionNames<ServeChannelOptions> = {
  binding: true,
  principal: true,
  isLocal: true,
  header: true,
  maxInFlight: true,
  cluster: true,
  closeTimeout: true,
};

/**
 * Serves a server over one connection: any duplex pipe of messages. The client may use both eras on it, even at once.
 * stdio, WebSocket and contributed bindings are built on this. `createMemoryChannels` makes the two ends of a pipe in
 * one process.
 */
export function serveChannel(server: Server, channel: Channel, options: ServeChannelOptions = {}): ServedChannel {
  const binding = bindingOf(server, "serveChannel(server, channel)");
  expectOption("channel", channel, isChannel(channel), "an object with `open`, `send` and `close`");
  const { binding: name, principal, header } = expectOptions("serveChannel", options, CHANNEL_OPTIONS);
  expectOption("binding", name, name === undefined || typeof name === "string", "text");
  const isFine = principal === undefined || isPrincipal(principal);
  expectOption("principal", principal, isFine, 'an object with an `id`, such as { id: "ada" }');
  if (header !== undefined) expectFunction("header", header);
  expectBoolean("isLocal", options.isLocal, false);
  return openChannel(binding, channel, options);
}

function isChannel(value: unknown): value is Channel {
  return isObject(value) && ["open", "send", "close"].every((method) => typeof value[method] === "function");
}

/** A channel that is being served, as bindings of this package see it. */
export interface OpenedChannel extends ServedChannel {
  /** The state that the server keeps for the connection. */
  readonly connection: ServerConnection;
  /** Whether it is closing or closed. */
  readonly isClosing: boolean;
}

/** Serves a channel with checked options. `originOf` gives the origin of the latest message, where messages differ in it. */
export function openChannel(
  server: ServerBinding,
  channel: Channel,
  options: ServeChannelOptions,
  originOf: (shared: Origin) => Origin = (shared) => shared,
): OpenedChannel {
  const { binding = "memory", principal, isLocal, header, maxInFlight: given } = options;
  const maxInFlight = isLimit(given) ? given : expectLimit("maxInFlight", given, 16_384);
  const closeTimeout = expectMilliseconds("closeTimeout", options.closeTimeout, 5000);
  const cluster = expectCluster("cluster", options.cluster);
  const closeServer = server.open(cluster);
  const multiplexer = new Multiplexer(channel, { maxInFlight });
  const connection = server.openConnection({
    principal: principal?.id,
    notify: (message) => multiplexer.notify(message),
    exchange: (request, sink) => multiplexer.exchange(request, sink),
  });
  const origin: Origin = { binding, connection: multiplexer, principal, isLocal, header, state: connection };
  let closing: Promise<void> | undefined;
  /** Whether it ends because the credentials of the client have expired. Then a retry is new work, too. */
  let isExpired = false;
  let settle: (() => void) | undefined;
  let detached: Promise<void> | undefined;
  const closed = new Promise<void>((resolve) => {
    settle = resolve;
  });

  const { expiresAt } = principal ?? {};
  const forgetExpiry = expiresAt === undefined ? undefined : whenReached(expiresAt, expire);

  const opening = multiplexer.open({
    request: (request, reply) => {
      // A client that goes on sending requests could otherwise delay the end for as long as it likes.
      const isRefused = closing !== undefined && (isExpired ? request.method !== "ping" : isNew(request));
      if (isRefused) {
        server.refused({ binding: origin.binding, code: ErrorCode.InternalError });
        return refuse(request, reply);
      }
      return server.serve(request, reply, originOf(origin));
    },
    notification: (message) => server.hear(message, originOf(origin)),
    violation: (error) =>
      server.diagnose({ level: "debug", message: `The client broke a rule: ${error.message}`, error }),
    rules: {
      allowsBatch: () => connection.revision !== undefined && hasFeature(connection.revision, "batches"),
      allowsErrorsWithoutId: () =>
        connection.revision === undefined || hasFeature(connection.revision, "errorsWithoutId"),
    },
    // The client can answer no more questions, but may still wait for responses.
    inputEnded() {
      connection.close();
      void close();
    },
    closed(reason) {
      forgetExpiry?.();
      connection.close();
      if (reason !== undefined) {
        server.diagnose({ level: "info", message: `The connection was lost: ${reason.message}`, error: reason });
      }
      detached = closeServer();
      settle?.();
    },
  });
  opening?.catch((error: unknown) => {
    server.diagnose({ level: "error", message: "The channel could not be opened.", error });
    multiplexer.closed(error as Error);
  });

  return {
    connection,
    get isClosing() {
      return closing !== undefined;
    },
    closed,
    stopAsking: () => connection.close(),
    close,
    [Symbol.asyncDispose]: close,
  };

  function close(): Promise<void> {
    return (closing ??= end());
  }

  function expire(): void {
    isExpired = true;
    closing ??= end(new AuthError("UNAUTHORIZED", "the credentials have expired"));
    // The end is not awaited.
    closing.catch((error: unknown) => {
      server.diagnose({
        level: "error",
        message: "A connection whose credentials have expired was not closed.",
        error,
      });
    });
  }

  async function end(reason?: Error): Promise<void> {
    server.endSubscriptions(multiplexer);
    await withTimeout(closeTimeout, multiplexer.idle());
    await multiplexer.close(reason);
    await closed;
    await detached;
  }
}

function isLimit(given: unknown): given is RequestLimit {
  return isObject(given) && "reached" in given && typeof given["add"] === "function";
}

const NO_WORK: Exchange = { cancel() {} };

/** Whether a request begins new work: a `ping` does not, and neither does a retry that brings requested input. */
function isNew({ method, params }: RequestMessage): boolean {
  const { requestState, inputResponses } = (params ?? {}) as { requestState?: unknown; inputResponses?: unknown };
  return method !== "ping" && requestState === undefined && inputResponses === undefined;
}

function refuse({ id }: RequestMessage, reply: Reply): Exchange {
  reply.respond(toErrorResponse(id, shuttingDownError()));
  return NO_WORK;
}
