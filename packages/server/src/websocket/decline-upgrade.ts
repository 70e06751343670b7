import type { IncomingMessage, Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { Duplex } from "node:stream";
import { refuse } from "./admission.ts";

/*
 * Requests that would rather speak something else than WebSockets, as those of Java's HTTP client would by default: HTTP/2.
 * Who does not know a protocol goes on in HTTP (RFC 9110, section 7.8), but once somebody listens for upgrades, Node leaves
 * all of them to the listener.
 */

/** What servers have from Node 22.21 and 24.9 on: the option of that name, or what stands in for it. */
interface Deciding {
  shouldUpgradeCallback?: (this: unknown, request: IncomingMessage) => boolean;
}

/** Has an HTTP server answer such requests itself, where Node asks before it leaves a request to those who listen. */
export function declineAhead(http: HttpServer | HttpsServer, declines: (request: IncomingMessage) => boolean): void {
  const deciding = http as Deciding;
  const decide = deciding.shouldUpgradeCallback;
  if (typeof decide !== "function") return;
  deciding.shouldUpgradeCallback = (request) => !declines(request) && decide.call(http, request);
}

/** Lets an HTTP server of an older Node answer such a request: it comes in once more, without its wish. */
export function declineUpgrade(
  http: HttpServer | HttpsServer,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  // Node answers in order only what came in together: behind an answer under way, this one would never get out. Clients that
  // send ahead are used to sending again what was cut off (RFC 9112, section 9.3.2). There is no public way to tell, but
  // those Nodes do not change any more.
  const { _httpMessage: answerBefore } = socket as { _httpMessage?: unknown };
  if (answerBefore) return void socket.destroy();
  const { method, url, httpVersion, rawHeaders } = request;
  // Node drops fields beyond so many. Without the one that tells its length, a body would come in as another request.
  const most = http.maxHeadersCount ?? 1000;
  if (most > 0 && rawHeaders.length >= 2 * most) {
    return refuse(socket, { status: 431, message: "This request has too many header fields." });
  }
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    // What the connection is to be afterwards stays as it was said.
    if (name.toLowerCase() !== "upgrade") text += `${name}: ${value}\r\n`;
  }
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, "latin1"), head]));
  http.emit("setSecureContext" in http ? "secureConnection" : "connection", socket);
}
