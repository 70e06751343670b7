import { TransportError, type RequestMessage, type Outgoing } from "@toolwire/protocol";
import type { Refusal } from "../answer-reader.ts";
import { toFailure } from "../failure.ts";
import { namesRequest } from "../refusal.ts";
import { forgottenSession, GuessedSessionLoss, sessionLossOf } from "../session-loss.ts";
import { HttpStatusError } from "../status-error.ts";

/**
 * What the failure of one POST says about the connection of an HTTP+SSE pair. `up`: nothing, the message alone has failed.
 * `unreachable`: no other message will arrive either, but answers may still come on the stream. `gone`: the server does not know
 * the connection any more.
 */
export type ConnectionState = "up" | "unreachable" | "gone";

/** The state of the connection after a POST has failed with this error. */
export function stateAfter(error: Error): ConnectionState {
  // Gateways say so of a server that they cannot reach.
  if (error instanceof HttpStatusError) return error.status === 502 || error.status === 504 ? "unreachable" : "up";
  const code = error instanceof TransportError ? error.code : undefined;
  if (code === "SESSION_EXPIRED") return "gone";
  return code === "CONNECT_FAILED" || code === "CONNECTION_LOST" ? "unreachable" : "up";
}

/** What the refusal of a message means. The session is part of the address, so a server that has lost it says what others say. */
export function explainPostRefusal(refusal: Refusal, url: URL, message: Outgoing): Error {
  const failure = toFailure(refusal, url);
  const { id, method } = message as Partial<RequestMessage>;
  // The address was named a moment ago: if nothing is there, it never was right.
  if (method === "initialize") return failure;
  const loss = sessionLossOf(refusal, id !== undefined && namesRequest(refusal, id));
  if (loss === "certain") return forgottenSession(refusal, url);
  return loss === "guess" ? new GuessedSessionLoss(refusal, url, failure) : failure;
}

/** What calls that wait for an answer are told, after the connection was given up because of another message. */
export function lossBy(cause: Error): TransportError {
  const message = `The connection was given up, because a message could not be delivered. ${cause.message}`;
  return new TransportError("CONNECTION_LOST", message, { cause });
}
