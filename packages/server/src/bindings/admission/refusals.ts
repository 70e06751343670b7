/** The refusals that all bindings share which begin with an HTTP request. */
import { type AuthError, ErrorCode, type RequestId } from "@toolwire/protocol";
import type { ServerBinding } from "../../binding.ts";

/** An HTTP error response, and the JSON-RPC error in its body, on bindings that send one. */
export interface Refusal {
  readonly status: number;
  /** `InvalidRequest` if absent. */
  readonly code?: number;
  readonly message: string;
  readonly data?: unknown;
  /** The request that is refused, where its id could be read. */
  readonly id?: RequestId | undefined;
  /** Names and values in turn. */
  readonly headers?: readonly string[] | undefined;
}

/** The request is for another host. */
export function hostNotAllowed(host = ""): Refusal {
  const message = `The host ${JSON.stringify(host)} is not served here. To serve it, add it to \`allowedHosts\`.`;
  return { status: 403, message };
}

/** The request names several hosts: a proxy may have routed it by another one (RFC 9112, section 3.2). */
export function severalHosts(): Refusal {
  return { status: 400, message: "A request has one `Host` header; this one has several." };
}

/** The request comes from a web page that is not allowed. */
export function originNotAllowed(origin: string): Refusal {
  const message = `Pages of ${JSON.stringify(origin)} may not call this server. To let them, add it to \`allowedOrigins\`.`;
  return { status: 403, message };
}

/** There is no endpoint at the requested path. `path` is the right one, or lists them. */
export function pathNotFound(path: string): Refusal {
  return { status: 404, message: `There is no MCP endpoint at this path; it is ${path}.` };
}

/** The server shuts down, and accepts nothing new. */
export function shuttingDown(): Refusal {
  return retryLater(5, 503, "The server is shutting down.");
}

/** `authenticate` returned no principal. */
export function unauthenticated(): Refusal {
  return { status: 401, message: "Credentials are missing, or not accepted here.", headers: CHALLENGE };
}

/** `auth` or `authenticate` took too long. */
export function admissionTimedOut(): Refusal {
  return retryLater(5, 503, "This took too long; try again.");
}

/** A 401 must have a challenge (RFC 9110, section 15.5.2). */
const CHALLENGE = ["WWW-Authenticate", "Bearer"];

/** `auth` or `authenticate` has failed. */
export function admissionFailed(server: ServerBinding, error: unknown): Refusal {
  server.diagnose({ level: "error", message: "The authentication hook failed; the request was refused.", error });
  return internalError("Authentication failed for a reason inside the server.");
}

/** `authenticate` refuses the caller by an `AuthError`. */
export function accessRefused({ code, message, challenge }: AuthError): Refusal {
  const status = code === "UNAUTHORIZED" ? 401 : 403;
  const sent = challenge?.replaceAll(UNSENDABLE, " ");
  if (sent !== undefined) return { status, message, headers: ["WWW-Authenticate", sent] };
  return { status, message, headers: status === 401 ? CHALLENGE : undefined };
}

/** Characters that a header cannot carry. A challenge may quote the caller, who must not be able to add headers. */
const UNSENDABLE = /[^\t\u0020-\u007E\u0080-\u00FF]/g;

/** The limit of these things is reached. */
export function tooMany(things: string, seconds: number, id?: RequestId): Refusal {
  return retryLater(seconds, 503, `Too many ${things}; try again when some have ended.`, id);
}

/** The limit of these things for one client is reached. */
export function tooManyOfClient(things: string, seconds: number, id?: RequestId): Refusal {
  return retryLater(seconds, 429, `Too many ${things} of one client; end some, or try again later.`, id);
}

/** The client may retry after so many seconds. */
export function retryLater(seconds: number, status: number, message: string, id?: RequestId): Refusal {
  return { status, code: ErrorCode.InternalError, message, id, headers: ["Retry-After", `${seconds}`] };
}

/** An unexpected error, which the client has not caused. */
export function internalError(message: string): Refusal {
  return { status: 500, code: ErrorCode.InternalError, message };
}
