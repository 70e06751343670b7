/** What those are told who are refused. Whoever keeps to the rules never is, so this is loaded with the first. */
import { AuthError, ErrorCode, MalformedMessage, type RequestId } from "@toolwire/protocol";
import { unsupportedRevision } from "../errors.ts";
import type { Serving } from "../serving/contract.ts";
import { toDenial } from "../serving/denial.ts";
import type { HttpCall } from "./call.ts";

// Who may talk to us at all.

/** The request is for somebody else. */
export function refuseHost(call: HttpCall, host = ""): void {
  const message = `The host ${JSON.stringify(host)} is not served here. To serve it, add it to \`allowedHosts\`.`;
  call.refuse(403, ErrorCode.InvalidRequest, message);
}

/** The request comes from a page that may not send any. */
export function refuseOrigin(call: HttpCall, origin: string): void {
  const message = `Pages of ${JSON.stringify(origin)} may not call this server. To let them, add it to \`allowedOrigins\`.`;
  call.refuse(403, ErrorCode.InvalidRequest, message);
}

/** There is nothing at the path that was asked for; `path` is the right one. */
export function refusePath(call: HttpCall, path: string): void {
  call.refuse(404, ErrorCode.InvalidRequest, `There is no MCP endpoint at this path; it is ${path}.`);
}

/** Nothing new is begun while the server shuts down. */
export function refuseClosing(call: HttpCall): void {
  call.refuse(503, ErrorCode.InternalError, "The server is shutting down.", { headers: ["Retry-After", "5"] });
}

/** The authentication hook has thrown: because it does not know the caller, or because it failed. */
export function refuseCaller(call: HttpCall, serving: Serving, error: unknown): void {
  if (!(error instanceof AuthError)) {
    const message = "The authentication hook failed; the request was refused.";
    serving.diagnose({ level: "error", message, error });
    return call.refuse(500, ErrorCode.InternalError, "Authentication failed for a reason inside the server.");
  }
  const { status, challenge } = toDenial(error);
  call.refuse(status, ErrorCode.InvalidRequest, error.message, {
    headers: challenge === undefined ? undefined : ["WWW-Authenticate", challenge],
  });
}

// How a request has to look.

/** Only POST means something here. */
export function refuseMethod(call: HttpCall): void {
  const message = `Send messages by POST; there is nothing to ${call.front.method} here.`;
  call.refuse(405, ErrorCode.InvalidRequest, message, { headers: ["Allow", "POST"] });
}

/** There is no form of answer that both sides know. */
export function refuseAccept(call: HttpCall, id?: RequestId): void {
  const message = "Answers are `application/json` or `text/event-stream`; list both in the `Accept` header.";
  call.refuse(406, ErrorCode.InvalidRequest, message, { id });
}

/** The `MCP-Protocol-Version` header names a revision that is not spoken here. */
export function refuseVersion(call: HttpCall, serving: Serving, version: string, id?: RequestId): void {
  const { code, message, data } = unsupportedRevision(version, serving.revisions, "");
  call.refuse(400, code, message, { id, data });
}

/** The body is something else than JSON, and says so. */
export function refuseType(call: HttpCall): void {
  const message = "The body must be JSON in UTF-8, sent with `Content-Type: application/json`.";
  call.refuse(415, ErrorCode.InvalidRequest, message, { headers: ["Accept", "application/json"] });
}

/** The body is larger than this. */
export function refuseLarge(call: HttpCall, maxBodyBytes: number): void {
  const message = `The body is larger than the ${maxBodyBytes} bytes allowed here.`;
  call.refuse(413, ErrorCode.InvalidRequest, message);
}

/**
 * The body is not what it should be. If it is encoded (RFC 9110, section 8.4), that is why. To look for that first would
 * refuse what a framework has decoded: the header stays as it was.
 */
export function refuseUnreadable(call: HttpCall, expected: string): void {
  const encoding = call.header("content-encoding")?.trim();
  if (encoding === undefined || /^(identity)?$/i.test(encoding)) {
    return call.refuse(400, ErrorCode.ParseError, `The body is not ${expected}`);
  }
  const message = `The body is encoded as ${JSON.stringify(encoding)}, which is not decoded here: send it as it is, without \`Content-Encoding\`.`;
  call.refuse(415, ErrorCode.InvalidRequest, message, { headers: ["Accept-Encoding", "identity"] });
}

/** The body is JSON, but no message; or it is one, and something failed over it. */
export function refuseMessage(call: HttpCall, serving: Serving, error: unknown): void {
  if (!(error instanceof MalformedMessage)) return refuseBroken(call, serving, error);
  call.refuse(400, error.rpcCode, error.message, { id: error.mayAnswer ? error.id : undefined });
}

// What we cannot do.

/** Too much at once: the client may try again in a moment. */
export function refuseBusy(call: HttpCall, status: 429 | 503, id?: RequestId): void {
  const message = "Too many requests are in the works at once; wait for some to be answered, then try again.";
  call.refuse(status, ErrorCode.InternalError, message, { id, headers: ["Retry-After", "1"] });
}

/** Something failed that nothing a client sends should make fail; it must not end the process. */
export function refuseBroken(call: HttpCall, serving: Serving, error: unknown): void {
  serving.diagnose({ level: "error", message: "A request could not be handled.", error });
  call.refuse(500, ErrorCode.InternalError, "Internal error");
}

/** Somebody has read the body before us, and has not passed it on. */
export function refuseConsumed(call: HttpCall, serving: Serving): void {
  const message = "The body of a request was read before it came here: let this handler read it, or pass it on parsed.";
  refuseBroken(call, serving, new Error(message));
}
