import { SUBPROTOCOL } from "@toolwire/protocol/channels";
import { type IncomingMessage, type Server as HttpServer, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { headerOf, hostOf } from "../http/node/node-adapter.ts";
import type { AdmissionOptions } from "../admission/options.ts";
import { isAllowedHost, isAllowedOrigin, namesSeveralHosts, readTarget } from "../admission/hosts.ts";
import type { Principal } from "../../binding.ts";
import { isPrincipal } from "../admission/callers.ts";
import {
  unauthenticated,
  hostNotAllowed,
  originNotAllowed,
  severalHosts,
  type Refusal,
} from "../admission/refusals.ts";
import type { Server as HttpsServer } from "node:https";

/** A connection was refused: what the client is told before the socket is closed. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/**
 * Checks a request for a connection and finds out who sends it. Throws {@link Refused} if it is not welcome, or what the
 * authentication hook throws.
 */
export async function admit(request: IncomingMessage, options: AdmissionOptions): Promise<Principal | undefined> {
  checkHeaders(request, options);
  const { authenticate } = options;
  if (authenticate === undefined) return undefined;
  const { method = "GET", url = "/" } = request;
  const header = (name: string): string | undefined => headerOf(request, name.toLowerCase());
  const caller = await authenticate({ method, target: url, header, raw: request });
  if (isPrincipal(caller)) return caller;
  throw new Refused(unauthenticated());
}

function checkHeaders(request: IncomingMessage, { allowedHosts, allowedOrigins }: AdmissionOptions): void {
  const { origin } = request.headers;
  const named = hostOf(request);
  if (namesSeveralHosts(named)) throw new Refused(severalHosts());
  const host = readTarget(request.url ?? "").authority ?? named;
  if (!isAllowedHost(host, allowedHosts)) throw new Refused(hostNotAllowed(host));
  if (origin !== undefined && !isAllowedOrigin(origin, allowedOrigins, allowedHosts)) {
    throw new Refused(originNotAllowed(origin));
  }
  const offered = headerOf(request, "sec-websocket-protocol");
  if (offered !== undefined && !offered.split(",").some((name) => name.trim() === SUBPROTOCOL)) {
    const message = `This server speaks the subprotocol "${SUBPROTOCOL}" only; ${JSON.stringify(offered)} was offered.`;
    throw new Refused({ status: 400, message });
  }
}

/** Answers a request for a connection with an HTTP error, and closes the socket. */
export function refuse(socket: Duplex, { status, message, headers = [] }: Refusal): void {
  const length = String(Buffer.byteLength(message));
  const fixed = ["Connection", "close", "Content-Type", "text/plain; charset=utf-8", "Content-Length", length];
  const fields = [...headers, ...fixed].map((text, index) => text + (index % 2 === 0 ? ": " : "\r\n"));
  socket.on("error", () => {});
  // Node would leave the other half open for as long as the client likes.
  socket.once("finish", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields.join("")}\r\n${message}`);
}

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
