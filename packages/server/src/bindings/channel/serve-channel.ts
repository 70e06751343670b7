/// <reference lib="esnext.disposable" preserve="true" />
import {
  hasFeature,
  toErrorResponse,
  type Channel,
  type Exchange,
  type Reply,
  type RequestMessage,
} from "@toolwire/protocol";
import {
  isObject,
  resolveLimit,
  resolveMilliseconds,
  Multiplexer,
  shuttingDownError,
  type RequestLimit,
} from "@toolwire/protocol/internal";
import { expectFunction, expectOption, expectOptions, type OptionNames } from "../../define/check-options.ts";
import { bringLegacyEra } from "../../legacy/era.ts";
import { legacyEra } from "../../legacy/serve-legacy.ts";
import { furtherMethods } from "../../methods/further-methods.ts";
import { bringFurtherMethods } from "../../methods/on-demand.ts";
import { expectServing, type LegacySession, type Origin, type Principal, type Serving } from "../../binding.ts";
import { isPrincipal } from "../admission/callers.ts";
import { within } from "../admission/with-timeout.ts";

/** What a binding knows about its channel, and limits. */
export interface ServeChannelOptions {
  /** The name of the binding, which middleware finds in `origin.binding`. Default `"memory"`. */
  readonly binding?: string | undefined;
  /** The caller at the other end, if the binding has authenticated it. */
  readonly principal?: Principal | undefined;
  /** Looks up a header of the connection by its lower-case name, if it has headers. */
  readonly header?: ((name: string) => string | undefined) | undefined;
  /**
   * How many requests may be in flight at once. More are refused with -32603. One that was cancelled or timed out counts
   * until its handler has stopped. Give connections of the same caller one `RequestLimit` of `@toolwire/protocol/engine`
   * to share, such as a `CountedRequests`: otherwise each connection has a limit of its own. Default 16384.
   */
  readonly maxInFlight?: number | RequestLimit | undefined;
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
   * meanwhile are refused, except `ping` and those that bring the input that a call has asked for. The client can still be asked, and its answers are taken.
   */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
  /** Resolves when the connection has ended, whoever ended it. */
  readonly closed: Promise<void>;
}

const CHANNEL_OPTIONS: OptionNames<ServeChannelOptions> = {
  binding: true,
  principal: true,
  header: true,
  maxInFlight: true,
  closeTimeout: true,
};

/**
 * Serves a server over one connection: any duplex pipe of messages. The client may use both eras on it, even at once.
 * stdio, WebSocket and contributed bindings are built on this. `createMemoryChannels` makes the two ends of a pipe in
 * one process.
 */
export function serveChannel(server: Serving, channel: Channel, options: ServeChannelOptions = {}): ServedChannel {
  expectServing("serveChannel(server, channel)", server);
  expectOption("channel", channel, isChannel(channel), "an object with `open`, `send` and `close`");
  const { binding, principal, header } = expectOptions("serveChannel", options, CHANNEL_OPTIONS);
  expectOption("binding", binding, binding === undefined || typeof binding === "string", "text");
  const isFine = principal === undefined || isPrincipal(principal);
  expectOption("principal", principal, isFine, 'an object with an `id`, such as { id: "ada" }');
  if (header !== undefined) expectFunction("header", header);
  return openChannel(server, channel, options);
}

function isChannel(value: unknown): value is Channel {
  return isObject(value) && ["open", "send", "close"].every((method) => typeof value[method] === "function");
}

/** A channel that is being served, as bindings of this package see it. */
export interface OpenedChannel extends ServedChannel {
  /** What a handshake has established, if there was one. */
  readonly session: LegacySession;
  /** Whether it is closing or closed. */
  readonly isClosing: boolean;
}

/** Does what {@link serveChannel} does. Where messages differ in where they come from, `originOf` tells it of the latest. */
export function openChannel(
  server: Serving,
  channel: Channel,
  options: ServeChannelOptions,
  originOf: (shared: Origin) => Origin = (shared) => shared,
): OpenedChannel {
  const { binding = "memory", principal, header } = options;
  const { maxInFlight: given } = options;
  const maxInFlight = isLimit(given) ? given : resolveLimit("maxInFlight", given, 16_384);
  const closeTimeout = resolveMilliseconds("closeTimeout", options.closeTimeout, 5000);
  // What one client sends on one connection is heard in order, so nothing may have to be loaded first.
  bringLegacyEra(legacyEra);
  bringFurtherMethods(furtherMethods);
  const multiplexer = new Multiplexer(channel, { maxInFlight });
  const session = server.openSession({
    principal: principal?.id,
    notify: (message) => multiplexer.notify(message),
    exchange: (request, sink) => multiplexer.exchange(request, sink),
  });
  const origin: Origin = { binding, connection: multiplexer, principal, header, session };
  let closing: Promise<void> | undefined;
  let settle: (() => void) | undefined;
  const closed = new Promise<void>((resolve) => {
    settle = resolve;
  });

  const opening = multiplexer.open({
    request: (request, reply) => {
      // Whoever goes on asking would keep the requests in flight from ever being the last.
      if (closing !== undefined && isNew(request)) return refuse(request, reply);
      return server.serve(request, reply, originOf(origin));
    },
    notification: (message) => server.hear(message, originOf(origin)),
    violation: (error) =>
      server.diagnose({ level: "debug", message: `The client broke a rule: ${error.message}`, error }),
    rules: {
      allowsBatch: () => session.revision !== undefined && hasFeature(session.revision, "batches"),
      allowsErrorsWithoutId: () => session.revision === undefined || hasFeature(session.revision, "errorsWithoutId"),
    },
    // Nothing that the client is asked from now on can be answered, but it may wait for answers.
    inputEnded() {
      session.close();
      void close();
    },
    closed(reason) {
      session.close();
      if (reason !== undefined) {
        server.diagnose({ level: "info", message: `The connection was lost: ${reason.message}`, error: reason });
      }
      settle?.();
    },
  });
  opening?.catch((error: unknown) => {
    server.diagnose({ level: "error", message: "The channel could not be opened.", error });
    multiplexer.closed(error as Error);
  });

  return {
    session,
    get isClosing() {
      return closing !== undefined;
    },
    closed,
    stopAsking: () => session.close(),
    close,
    [Symbol.asyncDispose]: close,
  };

  function close(): Promise<void> {
    return (closing ??= end());
  }

  async function end(): Promise<void> {
    server.endSubscriptions(multiplexer);
    await within(closeTimeout, multiplexer.idle());
    await multiplexer.close();
    await closed;
  }
}

function isLimit(given: unknown): given is RequestLimit {
  return isObject(given) && "reached" in given && typeof given["add"] === "function";
}

const NO_WORK: Exchange = { cancel() {} };

/** Whether a request is the beginning of something, and not a sign of life or the next round of a call (2026-07-28). */
function isNew({ method, params }: RequestMessage): boolean {
  const { requestState, inputResponses } = (params ?? {}) as { requestState?: unknown; inputResponses?: unknown };
  return method !== "ping" && requestState === undefined && inputResponses === undefined;
}

function refuse({ id }: RequestMessage, reply: Reply): Exchange {
  reply.respond(toErrorResponse(id, shuttingDownError()));
  return NO_WORK;
}
