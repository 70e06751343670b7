import { TransportError } from "@toolwire/protocol";
import type { Refusal } from "./answer-reader.ts";
import { wordsOf } from "./failure.ts";

/**
 * How sure it is that a server has refused a message because it does not know its session. After a certain loss, the message
 * can be sent again in another session: nothing has looked into it. After a guess, only what does no harm twice can.
 */
export type SessionLoss = "certain" | "guess";

/**
 * What the official SDKs, their examples and older servers of this SDK say, word for word, when they do not know a session,
 * by the HTTP status that they say it with. They do so before they look into a request, whether or not they repeat its id.
 */
const WORDINGS: { readonly [status: number]: readonly string[] } = {
  400: ["Bad Request: Server not initialized", "Bad Request: No valid session ID provided"],
  401: ["Unauthorized: Session not found"],
  404: ["Session not found", "No such session, or it has ended. Open one with `initialize`, without `Mcp-Session-Id`."],
};

/**
 * Whether a refusal is the loss of the session that its message was sent in. `isNamed` says that it names the message: then,
 * unless its words are known, the server has looked into the message, and the refusal may be about anything.
 */
export function sessionLossOf({ status, error, text }: Refusal, isNamed: boolean): SessionLoss | undefined {
  const said = error?.error.message ?? text.trim();
  if (WORDINGS[status]?.includes(said) === true) return "certain";
  if (isNamed) return undefined;
  // Many servers do not say 404, as the specification wants it: some say 400 with a general code or in words, and some 401.
  if (status === 404) return "certain";
  if (status === 400) return error?.error.code === -32_000 || /session/i.test(said) ? "guess" : undefined;
  return status === 401 && /session not found/i.test(said) ? "guess" : undefined;
}

/** The error of a certain loss. */
export function forgottenSession(refusal: Refusal, url: URL): TransportError {
  return new TransportError("SESSION_EXPIRED", `${url.origin} does not know this session.${wordsOf(refusal)}`);
}

/** The error of a guess. Its `cause` is what the refusal means if the guess is wrong. */
export class GuessedSessionLoss extends TransportError {
  declare readonly cause: Error;

  constructor(refusal: Refusal, url: URL, cause: Error) {
    super("SESSION_EXPIRED", `${url.origin} may have forgotten this session.${wordsOf(refusal)}`, { cause });
  }
}
