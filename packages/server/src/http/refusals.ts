/** What those are told who are refused. Whoever keeps to the rules never is, so this is loaded with the first. */
import { AuthError, ErrorCode, MalformedMessage, type RequestId, type RpcError } from "@toolwire/protocol";
import { unsupportedRevision } from "../errors.ts";
import type { Serving } from "../serving/contract.ts";
import { toDenial } from "../serving/denial.ts";
import { JSON_BODY, type HttpCall } from "./call.ts";
import type { BodyProblem, HeaderList } from "./front.ts";

/** An HTTP error whose body is a JSON-RPC error. */
export interface Refusal {
  readonly status: number;
  /** `InvalidRequest` if absent. */
  readonly code?: number;
  readonly message: string;
  readonly data?: unknown;
  /** The request that is refused, where its id could be read. */
  readonly id?: RequestId | undefined;
  readonly headers?: HeaderList | undefined;
}

/** Answers a call with a refusal. */
export function refuse(call: HttpCall, refusal: Refusal): void {
  const { status, code = ErrorCode.InvalidRequest, message, data, id, headers = [] } = refusal;
  // What is undefined does not appear in the text.
  const body = JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } });
  call.send(status, [...JSON_BODY, ...headers], body);
}

/** The request was understood, and breaks a rule. */
export function ruledOut({ code, message, data }: RpcError, id?: RequestId): Refusal {
  return { status: 400, code, message, data, id };
}

// Who may talk to us at all.

/** The request is for somebody else. */
export function foreignHost(host = ""): Refusal {
  const message = `The host ${JSON.stringify(host)} is not served here. To serve it, add it to \`allowedHosts\`.`;
  return { status: 403, message };
}

/** The request comes from a page that may not send any. */
export function foreignOrigin(origin: string): Refusal {
  const message = `Pages of ${JSON.stringify(origin)} may not call this server. To let them, add it to \`allowedOrigins\`.`;
  return { status: 403, message };
}

/** There is nothing at the path that was asked for; `path` is the right one. */
export function wrongPath(path: string): Refusal {
  return { status: 404, message: `There is no MCP endpoint at this path; it is ${path}.` };
}

/** Nothing new is begun while the server shuts down. */
export function shuttingDown(): Refusal {
  return tryAgain(5, 503, "The server is shutting down.");
}

/** The authentication hook has thrown: because it does not know the caller, or because it failed. */
export function unwelcome(serving: Serving, error: unknown): Refusal {
  if (!(error instanceof AuthError)) {
    serving.diagnose({ level: "error", message: "The authentication hook failed; the request was refused.", error });
    return internal("Authentication failed for a reason inside the server.");
  }
  const { status, challenge } = toDenial(error);
  return {
    status,
    message: error.message,
    headers: challenge === undefined ? undefined : ["WWW-Authenticate", challenge],
  };
}

// How a request has to look.

/** Only these methods mean something here. */
export function wrongMethod({ front: { method } }: HttpCall, allowed = "POST"): Refusal {
  const message = `There is nothing to ${method} here; use ${allowed}.`;
  return { status: 405, message, headers: ["Allow", allowed] };
}

/** There is no form of answer that both sides know. */
export function wrongAccept(id?: RequestId): Refusal {
  const message = "Answers are `application/json` or `text/event-stream`; list both in the `Accept` header.";
  return { status: 406, message, id };
}

/** The `MCP-Protocol-Version` header names a revision that is not spoken here. */
export function wrongVersion({ revisions }: Serving, version: string, id?: RequestId): Refusal {
  return ruledOut(unsupportedRevision(version, revisions, ""), id);
}

/** The body is something else than JSON, and says so. */
export function wrongType(): Refusal {
  const message = "The body must be JSON in UTF-8, sent with `Content-Type: application/json`.";
  return { status: 415, message, headers: ["Accept", "application/json"] };
}

/** There is no body to be had. */
export function unusableBody(call: HttpCall, problem: BodyProblem): Refusal {
  const { serving, settings } = call.endpoint;
  if (problem === "tooLarge") {
    return { status: 413, message: `The body is larger than the ${settings.maxBodyBytes} bytes allowed here.` };
  }
  if (problem === "notUtf8") return unreadable(call, "UTF-8.");
  const message = "The body of a request was read before it came here: let this handler read it, or pass it on parsed.";
  return broken(serving, new Error(message));
}

/**
 * The body is not what it should be. If it is encoded (RFC 9110, section 8.4), that is why. To look for that first would
 * refuse what a framework has decoded: the header stays as it was.
 */
export function unreadable(call: HttpCall, expected: string): Refusal {
  const encoding = call.header("content-encoding")?.trim();
  if (encoding === undefined || /^(identity)?$/i.test(encoding)) {
    return { status: 400, code: ErrorCode.ParseError, message: `The body is not ${expected}` };
  }
  const message = `The body is encoded as ${JSON.stringify(encoding)}, which is not decoded here: send it as it is, without \`Content-Encoding\`.`;
  return { status: 415, message, headers: ["Accept-Encoding", "identity"] };
}

/** The body is JSON, but no message; or it is one, and something failed over it. */
export function unusable(serving: Serving, error: unknown): Refusal {
  if (!(error instanceof MalformedMessage)) return broken(serving, error);
  return { status: 400, code: error.rpcCode, message: error.message, id: error.mayAnswer ? error.id : undefined };
}

// What we cannot do.

/** Too much at once: the client may try again in a moment. */
export function busy(status: 429 | 503, id?: RequestId): Refusal {
  return tryAgain(1, status, "Too many requests are in the works; try again when some have been answered.", id);
}

/** What is refused now may be done after so many seconds. */
export function tryAgain(seconds: number, status: number, message: string, id?: RequestId): Refusal {
  return { status, code: ErrorCode.InternalError, message, id, headers: ["Retry-After", `${seconds}`] };
}

/** Something failed that nothing a client sends should make fail; it must not end the process. */
export function broken(serving: Serving, error: unknown): Refusal {
  serving.diagnose({ level: "error", message: "A request could not be handled.", error });
  return internal("Internal error");
}

/** A failure that the client has no part in. */
export function internal(message: string): Refusal {
  return { status: 500, code: ErrorCode.InternalError, message };
}
