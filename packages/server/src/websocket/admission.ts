import { SUBPROTOCOL } from "@toolwire/protocol/channels";
import { STATUS_CODES, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { headerOf, hostOf } from "../node/header-of.ts";
import type { AdmissionOptions } from "../serving/admission-options.ts";
import { isAllowedHost, isAllowedOrigin, namesSeveral } from "../serving/allowed-hosts.ts";
import type { Principal } from "../serving/contract.ts";
import { isPrincipal } from "../serving/is-principal.ts";
import { anonymous, foreignHost, foreignOrigin, severalHosts, type Refusal } from "../serving/refusals.ts";
import { readTarget } from "../serving/request-target.ts";

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
  throw new Refused(anonymous());
}

function checkHeaders(request: IncomingMessage, { allowedHosts, allowedOrigins }: AdmissionOptions): void {
  const { origin } = request.headers;
  const named = hostOf(request);
  if (namesSeveral(named)) throw new Refused(severalHosts());
  const host = readTarget(request.url ?? "").authority ?? named;
  if (!isAllowedHost(host, allowedHosts)) throw new Refused(foreignHost(host));
  if (origin !== undefined && !isAllowedOrigin(origin, allowedOrigins, allowedHosts)) {
    throw new Refused(foreignOrigin(origin));
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
