/** Admission of WebSocket connections: the checks of the HTTP request that opens one. */
import { SUBPROTOCOL } from "@toolwire/protocol/channels";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Principal, ServerBinding } from "../../binding.ts";
import { isPrincipal } from "../../origin.ts";
import { isAllowedHost, isAllowedOrigin, namesSeveralHosts, readTarget } from "../admission/hosts.ts";
import { ADMISSION_TIMEOUT_MS, type AdmissionOptions } from "../admission/options.ts";
import {
  admissionTimedOut,
  authenticationFailed,
  hostNotAllowed,
  originNotAllowed,
  type Refusal,
  severalHosts,
  unauthenticated,
} from "../admission/refusals.ts";
import { headerOf, hostOf } from "../http/node/node-adapter.ts";

/** The outcome of admission. */
export type Admission = { readonly principal: Principal | undefined } | { readonly refusal: Refusal };

/**
 * Checks a request for a connection and authenticates its sender. Gives up if the client disconnects before, or if
 * `authenticate` takes too long.
 */
export function admit(
  request: IncomingMessage,
  socket: Duplex,
  options: AdmissionOptions,
  server: ServerBinding,
): Promise<Admission> {
  const refusal = checkHeaders(request, options);
  if (refusal !== undefined) return Promise.resolve({ refusal });
  return new Promise((resolve) => {
    const disconnected = (): void =>
      resolve({ refusal: { status: 408, message: "The client left before it was let in." } });
    const timer = setTimeout(() => resolve({ refusal: admissionTimedOut() }), ADMISSION_TIMEOUT_MS);
    // The socket keeps the process alive, not the timer.
    timer.unref();
    socket.once("close", disconnected).once("end", disconnected);
    // A socket that is not read does not report its end. Bytes that arrive early are kept.
    socket.read(0);
    void authenticate(request, options, server)
      .then(resolve)
      .finally(() => {
        clearTimeout(timer);
        socket.off("close", disconnected).off("end", disconnected);
      });
  });
}

async function authenticate(
  request: IncomingMessage,
  { authenticate: hook }: AdmissionOptions,
  server: ServerBinding,
): Promise<Admission> {
  if (hook === undefined) return { principal: undefined };
  const { method = "GET", url = "/" } = request;
  const header = (name: string): string | undefined => headerOf(request, name.toLowerCase());
  try {
    const principal = await hook({ method, target: url, header, raw: request });
    return isPrincipal(principal) ? { principal } : { refusal: unauthenticated() };
  } catch (error) {
    return { refusal: authenticationFailed(server, error) };
  }
}

function checkHeaders(
  request: IncomingMessage,
  { allowedHosts, allowedOrigins }: AdmissionOptions,
): Refusal | undefined {
  const { origin } = request.headers;
  const named = hostOf(request);
  if (namesSeveralHosts(named)) return severalHosts();
  const host = readTarget(request.url ?? "").authority ?? named;
  if (!isAllowedHost(host, allowedHosts)) return hostNotAllowed(host);
  if (origin !== undefined && !isAllowedOrigin(origin, allowedOrigins, allowedHosts)) return originNotAllowed(origin);
  const offered = headerOf(request, "sec-websocket-protocol");
  if (offered === undefined || offered.split(",").some((name) => name.trim() === SUBPROTOCOL)) return undefined;
  const message = `This server speaks the subprotocol "${SUBPROTOCOL}" only; ${JSON.stringify(offered)} was offered.`;
  return { status: 400, message };
}

/** Answers a request for a connection with an HTTP error, and closes the socket. */
export function refuseUpgrade(socket: Duplex, { status, message, headers = [] }: Refusal): void {
  const length = String(Buffer.byteLength(message));
  const fixed = ["Connection", "close", "Content-Type", "text/plain; charset=utf-8", "Content-Length", length];
  const fields = [...headers, ...fixed].map((text, index) => text + (index % 2 === 0 ? ": " : "\r\n"));
  socket.on("error", () => {});
  // Node would leave the other half open for as long as the client likes.
  socket.once("finish", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields.join("")}\r\n${message}`);
}
