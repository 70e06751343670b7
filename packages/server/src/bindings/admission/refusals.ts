/** What those are told who may not talk to us, on all bindings that begin with an HTTP request. */
import { AuthError, ErrorCode, type RequestId } from "@toolwire/protocol";
import type { ServerBinding } from "../../binding.ts";
import { TIMED_OUT } from "./with-timeout.ts";

/** An HTTP error, and the JSON-RPC error that goes with it where its body is one. */
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

/** The request is for somebody else. */
export function hostNotAllowed(host = ""): Refusal {
  const message = `The host ${JSON.stringify(host)} is not served here. To serve it, add it to \`allowedHosts\`.`;
  return { status: 403, message };
}

/** The request names several hosts: somebody on its way may have gone by another one (RFC 9112, section 3.2). */
export function severalHosts(): Refusal {
  return { status: 400, message: "A request has one `Host` header; this one has several." };
}

/** The request comes from a page that may not send any. */
export function originNotAllowed(origin: string): Refusal {
  const message = `Pages of ${JSON.stringify(origin)} may not call this server. To let them, add it to \`allowedOrigins\`.`;
  return { status: 403, message };
}

/** There is nothing at the path that was asked for; `path` is the right one, or lists them. */
export function pathNotFound(path: string): Refusal {
  return { status: 404, message: `There is no MCP endpoint at this path; it is ${path}.` };
}

/** Nothing new is begun while the server shuts down. */
export function shuttingDown(): Refusal {
  return retryLater(5, 503, "The server is shutting down.");
}

/** The authentication hook knows of nobody who calls like this. */
export function unauthenticated(): Refusal {
  return { status: 401, message: "Credentials are missing, or not accepted here.", headers: CHALLENGE };
}

/** The authentication hook has found nobody, or not in time. */
export function unidentified(found: unknown): Refusal {
  return found === TIMED_OUT ? admissionTimedOut() : unauthenticated();
}

/** Nobody has decided in time whether the caller may come in. */
export function admissionTimedOut(): Refusal {
  return retryLater(5, 503, "This took too long; try again.");
}

/** A 401 must have a challenge (RFC 9110, section 15.5.2). */
const CHALLENGE = ["WWW-Authenticate", "Bearer"];

/** The authentication hook has thrown: because it does not know the caller, or because it failed. */
export function authenticationFailed(server: ServerBinding, error: unknown): Refusal {
  if (!(error instanceof AuthError)) {
    server.diagnose({ level: "error", message: "The authentication hook failed; the request was refused.", error });
    return internalError("Authentication failed for a reason inside the server.");
  }
  const { code, message, challenge } = error;
  const status = code === "UNAUTHORIZED" ? 401 : 403;
  const sent = challenge?.replaceAll(UNSENDABLE, " ");
  if (sent !== undefined) return { status, message, headers: ["WWW-Authenticate", sent] };
  return { status, message, headers: status === 401 ? CHALLENGE : undefined };
}

/** What no header can carry. A hook may quote the caller in its challenge, who must not get to write further headers. */
const UNSENDABLE = /[^\t\u0020-\u007E\u0080-\u00FF]/g;

/** There are as many of these things as there may be. */
export function tooMany(things: string, seconds: number, id?: RequestId): Refusal {
  return retryLater(seconds, 503, `Too many ${things}; try again when some have ended.`, id);
}

/** One client has as many of these things as it may have. */
export function tooManyOfClient(things: string, seconds: number, id?: RequestId): Refusal {
  return retryLater(seconds, 429, `Too many ${things} of one client; end some, or try again later.`, id);
}

/** What is refused now may be done after so many seconds. */
export function retryLater(seconds: number, status: number, message: string, id?: RequestId): Refusal {
  return { status, code: ErrorCode.InternalError, message, id, headers: ["Retry-After", `${seconds}`] };
}

/** A failure that the client has no part in. */
export function internalError(message: string): Refusal {
  return { status: 500, code: ErrorCode.InternalError, message };
}
