/** Admission of WebSocket connections: the checks of the HTTP request that opens one. */
import { SUBPROTOCOL } from "@toolwire/protocol/channels";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { ServerBinding } from "../../binding.ts";
import type { Admission } from "../admission/auth.ts";
import {
  type AdmissionSettings,
  isAllowedHost,
  isAllowedOrigin,
  namesSeveralHosts,
  readTarget,
} from "../admission/hosts.ts";
import { ADMISSION_TIMEOUT_MS } from "../admission/options.ts";
import {
  admissionFailed,
  admissionTimedOut,
  hostNotAllowed,
  originNotAllowed,
  type Refusal,
  severalHosts,
} from "../admission/refusals.ts";
import { headerOf, hostOf } from "../http/node/node-adapter.ts";

/** Checks a request for a connection and authenticates its sender. Gives up if the client disconnects before, or after a time. */
export function admit(
  request: IncomingMessage,
  socket: Duplex,
  settings: AdmissionSettings,
  server: ServerBinding,
): Promise<Admission> {
  const refusal = checkHost(request, settings) ?? checkHeaders(request, settings);
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
    void authenticate(request, settings, server)
      .then(resolve)
      .finally(() => {
        clearTimeout(timer);
        socket.off("close", disconnected).off("end", disconnected);
      });
  });
}

async function authenticate(
  request: IncomingMessage,
  { callerCheck }: AdmissionSettings,
  server: ServerBinding,
): Promise<Admission> {
  if (callerCheck === undefined) return { principal: undefined };
  const { method = "GET", url = "/" } = request;
  const header = (name: string): string | undefined => headerOf(request, name.toLowerCase());
  try {
    const address = request.socket.remoteAddress;
    return await callerCheck.admit({ method, target: url, header, raw: request, address });
  } catch (error) {
    return { refusal: admissionFailed(server, error) };
  }
}

/** Checks which host a request is for. */
export function checkHost(request: IncomingMessage, { allowedHosts }: AdmissionSettings): Refusal | undefined {
  const named = hostOf(request);
  if (namesSeveralHosts(named)) return severalHosts();
  const host = readTarget(request.url ?? "").authority ?? named;
  return isAllowedHost(host, allowedHosts) ? undefined : hostNotAllowed(host);
}

function checkHeaders(
  request: IncomingMessage,
  { allowedHosts, allowedOrigins }: AdmissionSettings,
): Refusal | undefined {
  const { origin } = request.headers;
  if (origin !== undefined && !isAllowedOrigin(origin, allowedOrigins, allowedHosts)) return originNotAllowed(origin);
  const offered = headerOf(request, "sec-websocket-protocol");
  if (offered === undefined || offered.split(",").some((name) => name.trim() === SUBPROTOCOL)) return undefined;
  const message = `This server speaks the subprotocol "${SUBPROTOCOL}" only; ${JSON.stringify(offered)} was offered.`;
  return { status: 400, message };
}

/** Writes header fields, whose names and values come in turn, as lines. */
export function writeFields(fields: readonly string[]): string[] {
  return fields.flatMap((name, index) => (index % 2 === 0 ? `${name}: ${fields[index + 1]}` : []));
}

/** Answers a request for a connection with an HTTP error, and closes the socket. */
export function refuseUpgrade(socket: Duplex, { status, message, headers = [] }: Refusal): void {
  const length = String(Buffer.byteLength(message));
  const fixed = ["Connection", "close", "Content-Type", "text/plain; charset=utf-8", "Content-Length", length];
  const lines = writeFields([...headers, ...fixed]).map((line) => `${line}\r\n`);
  socket.on("error", () => {});
  // Node would leave the other half open for as long as the client likes.
  socket.once("finish", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${message}`);
}
