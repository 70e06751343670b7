import { AuthError, MetaKey, TransportError, type Meta } from "@toolwire/protocol";
import type { Connection } from "../connection/connection.ts";
import type { Link } from "../connection/link.ts";
import { unread } from "../http/refusal.ts";
import type { GuessedSessionLoss } from "../http/session-loss.ts";
import type { Call } from "./call.ts";
import { REPEATABLE_METHODS } from "./repeatable.ts";

/**
 * Why client and server may not have the same idea of each other any more: the session is gone, or seems to be, the revision
 * is not spoken, or what speaks there may be of another era by now.
 */
export type Doubt = "session" | "guessed session" | "revision" | "era";

/**
 * Agrees with the server anew, because it has refused a call for one of these reasons. Resolves if the call is to be sent
 * again, which is only so if the server cannot have acted on it, or if it does no harm twice; rejects with what its caller is
 * to be told otherwise.
 */
export async function renewFor(call: Call, error: unknown, doubt: Doubt, link: Link): Promise<void> {
  const { era } = call.connection.agreement;
  const renewal = call.waitFor(link.renew(call.connection), "agreeing with the server anew");
  if (doubt === "session") {
    await renewal;
    return;
  }
  if (doubt === "guessed session") return settleGuess(call, error as GuessedSessionLoss, renewal);
  const renewed = await renewal.catch(() => {
    // A doubt that cannot be cleared up is no reason to keep the server's own words from the caller.
    throw error;
  });
  if (renewed.agreement.era !== era) {
    // A server that has looked into the call may have acted on it, whatever speaks there now.
    if (doubt === "era" && !unread.has(error as Error)) throw error;
    call.sent = unstamped(call.sent);
    return;
  }
  // By -32022 a modern server says that it has not looked into the call. Any other that stays what it was has answered it.
  if (era === "modern" && doubt === "revision") return;
  renewed.isProven = true;
  throw error;
}

/** Decides about a call whose refusal can mean two things: the session is gone, or the call ran and failed. */
async function settleGuess(
  { method, connection }: Call,
  { message, cause }: GuessedSessionLoss,
  renewal: Promise<Connection>,
): Promise<void> {
  const renewed = await renewal.catch((failure: unknown) => {
    // Without a new session, the guess stays one: the server's own words say more.
    throw failure instanceof AuthError ? failure : cause;
  });
  // A server of another era has not understood the call, so nothing ran.
  if (renewed.agreement.era !== connection.agreement.era || REPEATABLE_METHODS.has(method)) return;
  const advice = "A new session is open. The call was not sent again, because it may have taken effect.";
  throw new TransportError("SESSION_EXPIRED", `${message} ${advice}`, { cause });
}

/**
 * The parameters without what a modern connection has put into them: to a legacy server they would mean nothing, or
 * harm.
 */
function unstamped(params: { readonly _meta?: Meta } | undefined): object | undefined {
  if (params?._meta?.[MetaKey.ProtocolVersion] === undefined) return params;
  const {
    [MetaKey.ProtocolVersion]: _revision,
    [MetaKey.ClientInfo]: _info,
    [MetaKey.ClientCapabilities]: _capabilities,
    [MetaKey.LogLevel]: _level,
    ...own
  } = params._meta;
  return { ...params, _meta: own };
}
