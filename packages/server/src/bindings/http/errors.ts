/** The refusals of HTTP requests: plain values, sent by {@link refuse}. */
import { ErrorCode, MalformedMessage, type RequestId, RpcError } from "@toolwire/protocol";
import type { ServerBinding } from "../../binding.ts";
import { type InsufficientScope, unsupportedRevision } from "../../errors.ts";
import { challengeFor } from "../admission/caller-check.ts";
import { internalError, retryLater, type Refusal } from "../admission/refusals.ts";
import { JSON_BODY, type BodyProblem } from "./adapter.ts";
import type { HttpRequest } from "./request.ts";

/** Responds to a request with a refusal, of which the server knows nothing yet. */
export function refuse(request: HttpRequest, refusal: Refusal): void {
  const { status, code = ErrorCode.InvalidRequest } = refusal;
  request.endpoint.server.refused({ binding: "http", status, code });
  sendRefusal(request, refusal);
}

/** Responds to a request with a refusal of the server. */
export function sendRefusal(request: HttpRequest, refusal: Refusal): void {
  const { status, code = ErrorCode.InvalidRequest, message, data, id, headers = [] } = refusal;
  // `JSON.stringify` leaves out members that are undefined.
  const body = JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } });
  request.respond(status, [...JSON_BODY, ...headers], body);
}

// Methods, headers and bodies.

/** The HTTP method has no meaning here. */
export function methodNotAllowed(method: string, allowed = "POST"): Refusal {
  const message = `There is nothing to ${method} here; use ${allowed}.`;
  return { status: 405, message, headers: ["Allow", allowed] };
}

/** The client accepts no form of response that the server can send. */
export function notAcceptable(id?: RequestId): Refusal {
  const message = "Answers are `application/json` or `text/event-stream`; list both in the `Accept` header.";
  return { status: 406, message, id };
}

/** The body is not JSON, by its own `Content-Type`. */
export function unsupportedMediaType(): Refusal {
  const message = "The body must be JSON in UTF-8, sent with `Content-Type: application/json`.";
  return { status: 415, message, headers: ["Accept", "application/json"] };
}

/** The body cannot be read. */
export function bodyNotReadable(request: HttpRequest, problem: BodyProblem): Refusal {
  const { server, settings } = request.endpoint;
  if (problem === "tooLarge") {
    return { status: 413, message: `The body is larger than the ${settings.maxBodyBytes} bytes allowed here.` };
  }
  if (problem === "notUtf8") return bodyNotParsable(request, "UTF-8.");
  const message = "The body was read before it came here: let this handler read it, or pass it on parsed.";
  return requestFailed(server, new Error(message));
}

/**
 * The body is not what it should be. A `Content-Encoding` (RFC 9110, section 8.4) is the likely reason, but it cannot be
 * refused beforehand: a framework that has decoded the body leaves the header as it was.
 */
export function bodyNotParsable(request: HttpRequest, expected: string): Refusal {
  const encoding = request.header("content-encoding")?.trim();
  if (encoding === undefined || /^(identity)?$/i.test(encoding)) {
    return { status: 400, code: ErrorCode.ParseError, message: `The body is not ${expected}` };
  }
  const message = `The body is encoded as ${JSON.stringify(encoding)}: send it as it is, without \`Content-Encoding\`.`;
  return { status: 415, message, headers: ["Accept-Encoding", "identity"] };
}

/** The body is JSON, but not a message; or handling it has failed. */
export function messageFailed(server: ServerBinding, error: unknown): Refusal {
  if (!(error instanceof MalformedMessage)) return requestFailed(server, error);
  return { status: 400, code: error.rpcCode, message: error.message, id: error.mayAnswer ? error.id : undefined };
}

// Rules of the protocol.

/** The message breaks a rule of the protocol. */
export function protocolError({ code, message, data }: RpcError, id?: RequestId): Refusal {
  return { status: 400, code, message, data, id };
}

/** The caller lacks scopes. The challenge names all that the request needs (2025-11-25, "Runtime Insufficient Scope Errors"). */
export function scopesMissing({ endpoint }: HttpRequest, error: InsufficientScope, id: RequestId): Refusal {
  const headers = challengeFor(endpoint.settings.callerCheck, error.scopes, endpoint.server);
  return { ...protocolError(error, id), status: 403, headers };
}

/** The `MCP-Protocol-Version` header names a revision that is not served here; `undefined` if it names none such. */
export function checkVersionHeader(request: HttpRequest, id?: RequestId): Refusal | undefined {
  const version = request.header("mcp-protocol-version");
  if (version === undefined || request.endpoint.serves(version)) return undefined;
  return protocolError(unsupportedRevision(version, request.endpoint.revisions, ""), id);
}

/** A request says its revision neither in its body nor in a header (2026-07-28, "Protocol Version Header"). */
export function versionMissing(id: RequestId): Refusal {
  const message = "Header mismatch: MCP-Protocol-Version is missing; it must name the version of the request.";
  return { status: 400, code: ErrorCode.HeaderMismatch, message, id };
}

/**
 * A header does not repeat a value of the body (2026-07-28, "Server Validation"). `value` is the header as it was sent;
 * `decoded` is `undefined` if it cannot be decoded.
 */
export function headerMismatch(
  name: string,
  value: string | undefined,
  decoded: string | undefined,
  source: string,
  expected: string,
): RpcError {
  const shown = JSON.stringify(value);
  let problem = `says ${shown}; it must`;
  if (value === undefined) problem = "is missing; it must";
  else if (decoded === undefined) {
    problem = `has the malformed value ${shown}; it must be plain ASCII or =?base64?...?= to`;
  }
  const message = `Header mismatch: ${name} ${problem} repeat ${source} of the body, ${JSON.stringify(expected)}.`;
  return new RpcError(ErrorCode.HeaderMismatch, message);
}

/** The body holds several messages, in a revision without batches. */
export function noBatches(): Refusal {
  return { status: 400, message: "Batches are part of 2025-03-26 only; send one message at a time." };
}

/** A response answers no request of the server. */
export function nothingAsked(): Refusal {
  return { status: 400, message: "Nothing was asked that this response could answer." };
}

// The state of the server.

/** Too many requests are in flight: the client may retry in a moment. */
export function tooManyRequests(status: 429 | 503, id?: RequestId): Refusal {
  const message =
    "Too many requests at once; try again when some have been answered. " +
    "One that was cancelled or timed out counts until its work has ended.";
  return retryLater(1, status, message, id);
}

/** A GET was pipelined: its stream would have to wait for a response that may never end. */
export function streamPipelined(): Refusal {
  return retryLater(1, 429, "A stream cannot be opened behind an answer that is not complete: use another connection.");
}

/** An unexpected error. It is reported to the operator, and must not end the process. */
export function requestFailed(server: ServerBinding, error: unknown): Refusal {
  server.diagnose({ level: "error", message: "A request could not be handled.", error });
  return internalError("Internal error");
}
