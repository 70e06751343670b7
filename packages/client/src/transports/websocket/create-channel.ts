import { expectBytes, expectMilliseconds } from "@toolwire/protocol/internal";
import { expectHeaders } from "../../check-options.ts";
import {
  type AuthFields,
  type ClientAuth,
  httpUrlOf,
  isAuthRefusal,
  refuseSecondCredentials,
  RequestAuth,
  timeAuth,
} from "../client-auth.ts";
import { type GivenHeaders, type HeadersNow, readHeaders } from "../http/headers.ts";
import type { HttpConnector } from "../http/options.ts";
import { type Channel } from "@toolwire/protocol";
import { createSocketChannel, type FrameSocket, type SocketEvents } from "@toolwire/protocol/channels";
import { openSocket } from "#open-socket";
import { type SendsSecrets, SentSecrets } from "../sent-secrets.ts";
import { readServerUrl } from "../../server-url.ts";
import { untilAborted } from "../../waiting.ts";

/** How to open a WebSocket to a server, and limits. */
export interface WebSocketOptions {
  /**
   * Headers of the request that opens the connection, such as `Authorization`: fixed, or a function. Browsers cannot
   * send any.
   */
  readonly headers?: GivenHeaders | (() => GivenHeaders | Promise<GivenHeaders>) | undefined;
  /** Gets and renews the credentials of the connection; see `@toolwire/client/auth`. Not for browsers. */
  readonly auth?: ClientAuth | undefined;
  /** How many milliseconds opening may take, once the headers are known. Default 30 000. */
  readonly openTimeout?: number | undefined;
  /**
   * How often the server is pinged, in milliseconds. If it stays silent, the connection is closed. Default 30 000.
   * Browsers cannot ping; there, the server's own pings keep the connection alive.
   */
  readonly keepAliveInterval?: number | undefined;
  /** The largest message to accept from the server, in bytes. A larger one ends the connection. Default 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How many bytes may wait for a server that does not read. Beyond that, the connection ends. Default 256 MiB. */
  readonly maxQueuedBytes?: number | undefined;
  /** Opens the connection, for example to allowed addresses only. Node only. */
  readonly connect?: HttpConnector | undefined;
}

/** The options with all defaults filled in, and the header fields at the time of opening. */
export interface WebSocketSettings {
  readonly headers: HeadersNow;
  readonly openTimeout: number;
  readonly keepAliveInterval: number;
  readonly maxMessageBytes: number;
  readonly maxQueuedBytes: number;
  readonly connect: HttpConnector | undefined;
  /** Called before opening fails because the server answered with another status than 101. */
  readonly refused?: RefusalListener | undefined;
  /** Clears what the server has sent of the credentials of the connection. */
  readonly clear: (text: string) => string;
}

/** Gets the head of an HTTP response that refuses a connection. */
type RefusalListener = (status: number, header: (name: string) => string | undefined) => void;

/** The HTTP status by which a server opens a WebSocket. */
const SWITCHING_PROTOCOLS = 101;

/** Fills in the defaults. Throws a `UsageError` for values that make no sense. */
export function resolveSettings(options: WebSocketOptions): Omit<WebSocketSettings, "headers" | "refused" | "clear"> {
  return {
    openTimeout: expectMilliseconds("openTimeout", options.openTimeout, 30_000),
    keepAliveInterval: expectMilliseconds("keepAliveInterval", options.keepAliveInterval, 30_000, 1),
    maxMessageBytes: expectBytes("maxMessageBytes", options.maxMessageBytes, 64 * 1024 * 1024),
    maxQueuedBytes: expectBytes("maxQueuedBytes", options.maxQueuedBytes, 256 * 1024 * 1024),
    connect: options.connect,
  };
}

/**
 * Makes a channel to a server at a `ws:` or `wss:` URL. Opening the channel opens the connection. A channel can be
 * opened only once: to connect again, call this again. It uses the `ws` library in Node and the platform's own
 * `WebSocket` everywhere else.
 */
export function createWebSocketChannel(url: string | URL, options: WebSocketOptions = {}): Channel {
  const target = readServerUrl(url, ["ws:", "wss:"]);
  const settings = resolveSettings(options);
  const secrets = new SentSecrets();
  secrets.seeUrl(target);
  const openWith = async (
    headers: HeadersNow,
    events: SocketEvents,
    signal: AbortSignal,
    refused?: RefusalListener,
  ): Promise<FrameSocket> => {
    secrets.see(headers);
    const clear = (text: string): string => secrets.clear(text);
    try {
      return await openSocket(target, events, { ...settings, headers, refused, clear }, signal);
    } catch (error) {
      throw error instanceof Error ? secrets.clearError(error) : error;
    }
  };
  const open = async (events: SocketEvents, signal: AbortSignal): Promise<FrameSocket> => {
    const headers = await untilAborted(headersNow(options.headers), signal);
    const { auth } = options;
    if (auth === undefined) return openWith(headers, events, signal);
    refuseSecondCredentials(headers);
    return openAuthorized(auth, target, signal, (fields, refused) =>
      openWith({ ...headers, ...fields }, events, signal, refused),
    );
  };
  return clearChannel(createSocketChannel(open, { ...settings, side: "client" }), secrets);
}

/** Clears credentials from what a channel delivers, where it becomes an error or a diagnostic. */
function clearChannel(channel: Channel, secrets: SentSecrets): Channel & SendsSecrets {
  return {
    open: (receiver) =>
      channel.open({
        message: (message) => receiver.message("result" in message ? message : secrets.clearMessage(message)),
        batch: (items) => receiver.batch(items.map((item) => secrets.clearMessage(item))),
        malformed: (error) => receiver.malformed(secrets.clearError(error)),
        ...(receiver.inputEnded !== undefined && { inputEnded: () => receiver.inputEnded!() }),
        ...(receiver.outputEnded !== undefined && { outputEnded: () => receiver.outputEnded!() }),
        closed: (reason) => receiver.closed(reason && secrets.clearError(reason)),
      }),
    send: (message) => channel.send(message),
    close: (reason) => channel.close(reason),
    clear: (text) => secrets.clear(text),
  };
}

/** Opens a connection with credentials; again with others, if the server refuses them. */
async function openAuthorized(
  auth: ClientAuth,
  target: URL,
  signal: AbortSignal,
  open: (fields: AuthFields, refused: RefusalListener) => Promise<FrameSocket>,
): Promise<FrameSocket> {
  const url = httpUrlOf(target);
  const request = new RequestAuth(timeAuth(auth), { url, http: {} });
  for (;;) {
    const fields = await untilAborted(Promise.resolve(request.fields(url, "GET")), signal);
    let refusal: Parameters<RefusalListener> | undefined;
    try {
      const socket = await open(fields, (...head) => {
        refusal = head;
      });
      request.answered(SWITCHING_PROTOCOLS, () => undefined);
      return socket;
    } catch (error) {
      if (refusal === undefined) throw error;
      const [status, header] = refusal;
      request.answered(status, header);
      if (!isAuthRefusal(status)) throw error;
      await untilAborted(request.refused(status, header, signal), signal);
    }
  }
}

/** Reads the header fields once: there is only one request. */
async function headersNow(given: WebSocketOptions["headers"]): Promise<HeadersNow> {
  const now = typeof given === "function" ? await given() : given;
  return readHeaders(expectHeaders(now) ?? {});
}
