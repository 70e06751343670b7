import { AuthError, TransportError, UsageError } from "@toolwire/protocol";
import { attachWsSocket, Heartbeat, EventLoopTurns, type NetworkSocket, quoteWords } from "@toolwire/protocol/internal";
import { type FrameSocket, type SocketEvents, SUBPROTOCOL } from "@toolwire/protocol/channels";
import type { IncomingMessage } from "node:http";
import type { createConnection } from "node:net";
import type { WebSocket } from "ws";
import type { HttpConnector } from "../http/options.ts";
import type { WebSocketSettings } from "./create-channel.ts";

/** How much of a refusal's body is quoted, in characters. */
const QUOTED_LENGTH = 500;

/** Opens a WebSocket with the `ws` library, unless the signal is aborted first. */
export async function openSocket(
  url: URL,
  events: SocketEvents,
  settings: WebSocketSettings,
  signal: AbortSignal,
): Promise<FrameSocket> {
  // Loaded with the first connection: clients that speak HTTP or start programs never need it.
  const ws = await import("ws");
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const socket = createSocket(ws.WebSocket, url, settings);
    const giveUp = (): void => socket.terminate();
    signal.addEventListener("abort", giveUp, { once: true });
    let stream: NetworkSocket | undefined;
    socket.once("upgrade", (response) => {
      stream = response.socket;
    });
    socket.once("open", () => {
      signal.removeEventListener("abort", giveUp);
      if (stream === undefined) return;
      const heartbeat = new Heartbeat(settings.keepAliveInterval);
      resolve(attachWsSocket({ socket, stream, heartbeat, turns: new EventLoopTurns(setImmediate) }, events));
    });
    socket.once("unexpected-response", (_request, response) => {
      void readStart(response).then((text) => {
        const { statusCode: status = 0, headers } = response;
        const { refused, clear } = settings;
        const header = (name: string): string | undefined => {
          const value = headers[name]?.toString();
          // The nonce of a proof is no credential, and has to be sent as it is.
          return value === undefined || name === "dpop-nonce" ? value : clear(value);
        };
        refused?.(status, header);
        reject(refusalOf(url, status, header("www-authenticate"), clear(text)));
        socket.terminate();
      });
    });
    // `close` follows every error and ends an open channel; this rejects while the connection is being opened.
    socket.on("error", (cause) => {
      const message = `No WebSocket connection to ${url.origin}: ${cause.message}`;
      reject(new TransportError("CONNECT_FAILED", message, { cause }));
    });
  });
}

/** Throws a `UsageError` for an address or header fields that no request can have. */
function createSocket(Socket: typeof WebSocket, url: URL, settings: WebSocketSettings): WebSocket {
  try {
    return new Socket(url, SUBPROTOCOL, {
      headers: { ...settings.headers },
      handshakeTimeout: settings.openTimeout,
      maxPayload: settings.maxMessageBytes,
      // Compression costs more time and memory than messages of this size gain from it.
      perMessageDeflate: false,
      autoPong: false,
      ...(settings.connect !== undefined && { createConnection: connectWith(settings.connect, url) }),
    });
  } catch (error) {
    const message = `No WebSocket can be opened to ${url.origin} like this: ${(error as Error).message}`;
    throw new UsageError("INVALID_ARGUMENT", message);
  }
}

/** Makes the function that `node:http` calls for a connection. It may call back, though `ws` declares that it returns a socket. */
function connectWith(connect: HttpConnector, url: URL): typeof createConnection {
  const { port } = url;
  const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const protocol = url.protocol === "wss:" ? "https:" : "http:";
  return ((_options: unknown, callback: Parameters<HttpConnector>[1]) => {
    connect({ hostname, protocol, port }, callback);
  }) as unknown as typeof createConnection;
}

function refusalOf(url: URL, status: number, challenge: string | undefined, text: string): Error {
  const said = text.trim() === "" ? "" : ` It says: ${quoteWords(text.trim())}`;
  if (status === 401) {
    const message = `${url.origin} asks for credentials, or does not accept those in \`headers\`.${said}`;
    return new AuthError("UNAUTHORIZED", message, { challenge });
  }
  if (status === 403) {
    const message = `${url.origin} does not allow this connection with these credentials.${said}`;
    return new AuthError("FORBIDDEN", message, { challenge });
  }
  const place = url.origin + url.pathname;
  return new TransportError(
    "CONNECT_FAILED",
    `${place} opened no WebSocket but answered with HTTP status ${status}.${said}`,
  );
}

/** Reads the beginning of a body; empty if the connection breaks. */
async function readStart(response: IncomingMessage): Promise<string> {
  response.setEncoding("utf8");
  let text = "";
  try {
    for await (const part of response) {
      text += String(part);
      if (text.length >= QUOTED_LENGTH) break;
    }
  } catch {
    return "";
  }
  return text.slice(0, QUOTED_LENGTH);
}
