/** The answers to HTTP requests that are refused. */
import { ErrorCode, MalformedMessage, type RequestId, RpcError } from "@toolwire/protocol";
import { internal, tryAgain, type Refusal } from "../admission/refusals.ts";
import { JSON_BODY, type BodyProblem } from "./adapter.ts";
import type { HttpCall } from "./request.ts";

export {
  foreignHost,
  foreignOrigin,
  severalHosts,
  shuttingDown,
  unidentified,
  unwelcome,
  wrongPath,
} from "../admission/refusals.ts";

/** Answers a call with a refusal, unless it has been answered otherwise. */
export function refuse(call: HttpCall, refusal: Refusal | void): void {
  if (refusal === undefined) return;
  const { status, code = ErrorCode.InvalidRequest, message, data, id, headers = [] } = refusal;
  // What is undefined does not appear in the text.
  const body = JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } });
  call.send(status, [...JSON_BODY, ...headers], body);
}

/** The request was understood, and breaks a rule. */
export function ruledOut({ code, message, data }: RpcError, id?: RequestId): Refusal {
  return { status: 400, code, message, data, id };
}

/** Answers the question of a browser whether a page may send what it is about to. */
export function answerPreflight(call: HttpCall): void {
  const allowed = ["Access-Control-Allow-Methods", "GET, POST, DELETE", "Access-Control-Max-Age", "600"];
  // `Mcp-Param-*` headers have no fixed names, so what is asked for is allowed.
  const requested = call.header("access-control-request-headers");
  call.send(204, requested === undefined ? allowed : [...allowed, "Access-Control-Allow-Headers", requested]);
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

/** A header does not repeat what the body says: it is absent, `said` something else, or cannot be decoded. */
export function mismatch(
  name: string,
  value: string | undefined,
  said: string | undefined,
  source: string,
  expected: string,
): RpcError {
  const shown = JSON.stringify(value);
  let problem = `says ${shown}; it must`;
  if (value === undefined) problem = "is missing; it must";
  else if (said === undefined) {
    problem = `has the malformed value ${shown}; it must be plain ASCII or =?base64?...?= to`;
  }
  const message = `Header mismatch: ${name} ${problem} repeat ${source} of the body, ${JSON.stringify(expected)}.`;
  return new RpcError(ErrorCode.HeaderMismatch, message);
}

/** The body is something else than JSON, and says so. */
export function wrongType(): Refusal {
  const message = "The body must be JSON in UTF-8, sent with `Content-Type: application/json`.";
  return { status: 415, message, headers: ["Accept", "application/json"] };
}

/** There is no body to be had. */
export function unusableBody(call: HttpCall, problem: BodyProblem): Refusal {
  if (problem === "tooLarge") {
    const { maxBodyBytes } = call.endpoint.settings;
    return { status: 413, message: `The body is larger than the ${maxBodyBytes} bytes allowed here.` };
  }
  if (problem === "notUtf8") return unreadable(call, "UTF-8.");
  const message = "The body was read before it came here: let this handler read it, or pass it on parsed.";
  return broken(call, new Error(message));
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
  const message = `The body is encoded as ${JSON.stringify(encoding)}: send it as it is, without \`Content-Encoding\`.`;
  return { status: 415, message, headers: ["Accept-Encoding", "identity"] };
}

/** The body is JSON, but no message; or it is one, and something failed over it. */
export function unusable(call: HttpCall, error: unknown): Refusal {
  if (!(error instanceof MalformedMessage)) return broken(call, error);
  return { status: 400, code: error.rpcCode, message: error.message, id: error.mayAnswer ? error.id : undefined };
}

// What we cannot do.

/** Too much at once: the client may try again in a moment. */
export function busy(status: 429 | 503, id?: RequestId): Refusal {
  const message =
    "Too many requests at once; try again when some have been answered. " +
    "One that was cancelled or timed out counts until its work has ended.";
  return tryAgain(1, status, message, id);
}

/** A stream would have to wait for an answer that may never end, with all that is sent on it. */
export function streamBehind(): Refusal {
  return tryAgain(1, 429, "A stream cannot be opened behind an answer that is not complete: use another connection.");
}

/** Something failed that nothing a client sends should make fail; it must not end the process. */
export function broken({ endpoint }: HttpCall, error: unknown): Refusal {
  endpoint.serving.diagnose({ level: "error", message: "A request could not be handled.", error });
  return internal("Internal error");
}
