import { AuthError } from "@toolwire/protocol";
import { STATUS_CODES, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { headerOf } from "../node/header-of.ts";
import { isAllowedHost, isAllowedOrigin } from "../serving/allowed-hosts.ts";
import type { Principal } from "../serving/contract.ts";
import { readTarget } from "../serving/request-target.ts";
import { expectPrincipal, toDenial } from "../serving/denial.ts";
import { SUBPROTOCOL, type WebSocketOptions } from "./options.ts";

/** Why a connection was refused: what the client is told before the socket is closed. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** Checks a request for a connection and finds out who sends it. Throws a {@link Refusal} if it is not welcome. */
export async function admit(request: IncomingMessage, options: WebSocketOptions): Promise<Principal | undefined> {
  checkHeaders(request, options);
  const { authenticate } = options;
  if (authenticate === undefined) return undefined;
  try {
    const found = await authenticate({
      method: request.method ?? "GET",
      target: request.url ?? "/",
      header: (name) => headerOf(request, name.toLowerCase()),
      raw: request,
    });
    return expectPrincipal(found);
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    const { status, challenge } = toDenial(error);
    throw new Refusal(status, error.message, challenge === undefined ? {} : { "WWW-Authenticate": challenge });
  }
}

function checkHeaders(request: IncomingMessage, { allowedHosts, allowedOrigins }: WebSocketOptions): void {
  const { origin } = request.headers;
  const host = readTarget(request.url ?? "").authority ?? request.headers.host;
  if (!isAllowedHost(host, allowedHosts)) {
    throw new Refusal(403, `This server does not answer to the host ${quote(host)}: see its option allowedHosts.`);
  }
  if (!isAllowedOrigin(origin, allowedOrigins, allowedHosts)) {
    throw new Refusal(403, `Pages of ${quote(origin)} may not connect to this server: see its option allowedOrigins.`);
  }
  const offered = headerOf(request, "sec-websocket-protocol");
  if (offered !== undefined && !offered.split(",").some((name) => name.trim() === SUBPROTOCOL)) {
    throw new Refusal(400, `This server speaks the subprotocol "${SUBPROTOCOL}" only; ${quote(offered)} was offered.`);
  }
}

/** Answers a request for a connection with an HTTP error, and closes the socket. */
export function refuse(socket: Duplex, { status, message, headers }: Refusal): void {
  const fields = {
    ...headers,
    Connection: "close",
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(message)),
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on("error", () => {});
  // Node would leave the other half open for as long as the client likes.
  socket.once("finish", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${message}`);
}

/** Text from the client, cut and without anything that could break out of a line. */
function quote(text: string | undefined): string {
  return JSON.stringify((text ?? "").slice(0, 200));
}
