import { type RequestMessage, TransportError } from "@toolwire/protocol";
import { explainRefusal, namesRequest, quoteBody, toRefusal } from "../../transports/http/errors.ts";
import type { FailedResponse } from "../../transports/http/message-sink.ts";

/**
 * How certain it is that a server has refused a message because it does not know its session. After a certain loss, the
 * message can be sent again in another session: the server has not looked into it. After a guess, only messages that are
 * safe to repeat can.
 */
export type SessionLoss = "certain" | "guess";

/**
 * The exact texts by which the official SDKs, their examples and older servers of this SDK say that they do not know a
 * session, by HTTP status. They do so before they look into a request, whether or not they repeat its id.
 */
const KNOWN_TEXTS: { readonly [status: number]: readonly string[] } = {
  400: ["Bad Request: Server not initialized", "Bad Request: No valid session ID provided"],
  401: ["Unauthorized: Session not found"],
  404: ["Session not found", "No such session, or it has ended. Open one with `initialize`, without `Mcp-Session-Id`."],
};

/**
 * Whether a failed response means that the session of its message is lost. `isNamed`: the response names the message, so
 * that the server, unless it says one of the known texts, has looked into the message and may mean anything.
 */
export function sessionLossOf({ status, error, text }: FailedResponse, isNamed: boolean): SessionLoss | undefined {
  const words = error?.error.message ?? text.trim();
  if (KNOWN_TEXTS[status]?.includes(words) === true) return "certain";
  if (isNamed) return undefined;
  // The specification asks for 404. Many servers say 400 with a general code or in words, and some 401.
  if (status === 404) return "certain";
  if (status === 400) return error?.error.code === -32_000 || /session/i.test(words) ? "guess" : undefined;
  return status === 401 && /session not found/i.test(words) ? "guess" : undefined;
}

/** The error of a certain loss. */
export function lostSession(response: FailedResponse, url: URL): TransportError {
  const message = `${url.origin} does not know this session.${quoteBody(response)}`;
  return new TransportError("SESSION_EXPIRED", message, { refusal: toRefusal(response.status, true) });
}

/** The error of a guess. Its `cause` is what the response means if the guess is wrong. */
export function guessedLoss(response: FailedResponse, url: URL, cause: Error): TransportError {
  const message = `${url.origin} may have forgotten this session.${quoteBody(response)}`;
  return new TransportError("SESSION_EXPIRED", message, { cause, refusal: toRefusal(response.status, false) });
}

/** Explains the refusal of a request that was sent in a session; `undefined` if the error in it is the response. */
export function explainSessionRefusal(response: FailedResponse, url: URL, request: RequestMessage): Error | undefined {
  const loss = sessionLossOf(response, namesRequest(response, request.id));
  if (loss === "certain") return lostSession(response, url);
  const failure = explainRefusal(response, url, request);
  return loss === "guess" && failure !== undefined ? guessedLoss(response, url, failure) : failure;
}
