import { TransportError, UsageError } from "@toolwire/protocol";
import { CloseCode, SUBPROTOCOL, type FrameSocket, type SocketEvents } from "@toolwire/protocol/channels";
import type { WebSocketSettings } from "./create-channel.ts";

/**
 * Opens a WebSocket with the platform's own class, as browsers, workers, Deno and newer Nodes have it, unless the
 * signal is aborted first.
 */
export function openSocket(
  url: URL,
  events: SocketEvents,
  settings: WebSocketSettings,
  signal: AbortSignal,
): Promise<FrameSocket> {
  if (Object.keys(settings.headers).length > 0) {
    return Promise.reject(cannot("send headers: use a cookie, or a short-lived ticket in the URL"));
  }
  if (settings.connect !== undefined) return Promise.reject(cannot("use `connect`: leave it out"));
  return new Promise((resolve, reject) => {
    const socket = createSocket(url);
    socket.binaryType = "arraybuffer";
    let isOpen = false;
    const giveUp = (): void => socket.close();
    const timer = setTimeout(giveUp, settings.openTimeout);
    signal.addEventListener("abort", giveUp, { once: true });

    const end = (code: number, reason: string): void => {
      clearTimeout(timer);
      if (isOpen) events.closed(code, reason);
      else reject(notOpened(url));
    };
    socket.addEventListener("open", () => {
      // Firefox and WebKit accept servers that select no subprotocol, though they should not (RFC 6455, 4.1).
      if (socket.protocol !== SUBPROTOCOL) {
        reject(notOpened(url));
        giveUp();
        return;
      }
      isOpen = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      resolve(adapt(socket, end));
    });
    socket.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (typeof data !== "string") {
        events.binary();
      } else if (data.length > settings.maxMessageBytes) {
        end(CloseCode.TooLarge, `more than ${settings.maxMessageBytes} characters in one message`);
        socket.close(toApplicationCode(CloseCode.TooLarge), "message too large");
      } else {
        events.text(data);
      }
    });
    socket.addEventListener("close", ({ code, reason }) => end(code, reason));
  });
}

/** Throws a `UsageError` for an address that this page may not use. */
function createSocket(url: URL): WebSocket {
  try {
    return new WebSocket(url, SUBPROTOCOL);
  } catch (error) {
    // The message may quote the URL, which may hold a secret.
    throw cannot(`use this URL: ${(error as Error).name}`);
  }
}

function adapt(socket: WebSocket, end: (code: number, reason: string) => void): FrameSocket {
  return {
    send: (text) => socket.send(text),
    close: (code, reason) => socket.close(toApplicationCode(code), reason),
    terminate() {
      // The platform may wait minutes for a peer that is gone: `end` does not.
      socket.close();
      end(CloseCode.Abnormal, "");
    },
    get bufferedAmount() {
      return socket.bufferedAmount;
    },
    get isOpen() {
      return socket.readyState === WebSocket.OPEN;
    },
  };
}

/** Maps a close code to one that scripts may send: 1000, or any from 3000 on (WebSockets Standard, `close`). */
function toApplicationCode(code: number): number {
  return code === CloseCode.Normal ? code : code + 3000;
}

function notOpened(url: URL): TransportError {
  const message =
    `No WebSocket connection to ${url.origin}${url.pathname}. The server may be down, or refuse this page's ` +
    `origin, or not speak the subprotocol "${SUBPROTOCOL}".`;
  return new TransportError("CONNECT_FAILED", message);
}

function cannot(what: string): UsageError {
  return new UsageError("INVALID_ARGUMENT", `The platform's WebSockets cannot ${what}.`);
}
