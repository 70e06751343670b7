import { AuthError, type RpcError, TransportError } from "@toolwire/protocol";
import { isShuttingDown, UnsentError } from "@toolwire/protocol/internal";
import type { Connection } from "../connection/connection.ts";
import type { Link } from "../connection/link.ts";
import type { EraFailure } from "../eras/era.ts";
import { isPossibleSessionLoss, isSessionLoss, isUnread } from "../transports/refusal.ts";
import { wait } from "../waiting.ts";
import type { Call } from "./call.ts";
import { answerErrorQuestions, type RoundOptions } from "./rounds.ts";

/** Requests that change nothing, or nothing more when they are repeated, so that sending them again does no harm. */
export const REPEATABLE_METHODS: ReadonlySet<string> = new Set([
  "server/discover",
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "ping",
]);

/**
 * A failure after which a call can be sent again: the connection ended before the call was sent or looked at (`unsent`), the
 * server has forgotten the session, or may have, or the era knows what is wrong.
 */
type Failure = "unsent" | "session" | "possible session loss" | EraFailure;

/** Over how many more sessions or connections a call is sent, if each ends before the server has looked at the call. */
const MAX_RENEWALS = 3;

/** The parts of the client that recovery uses. */
export interface RecoveryOptions extends RoundOptions {
  readonly link: Link;
}

/**
 * Puts right what a call has failed by. Resolves if the call is to be sent again, which is only so if the server cannot have
 * acted on it or if it does no harm twice. Rejects otherwise, with the error for its caller. `findTool` lists the tools anew.
 */
export async function recoverCall(
  call: Call,
  error: unknown,
  options: RecoveryOptions,
  findTool: () => Promise<void>,
): Promise<void> {
  const { link } = options;
  const failure = failureOf(error, call);
  if (failure === undefined || !mayRecover(call, failure)) {
    // A refusal that comes again in a new session was not about the session.
    throw link.explain(isPossibleSessionLoss(error) ? error.cause : error);
  }
  // The number of rounds limits how often the server may ask, so these are not counted here.
  if (failure === "questions") return answerErrorQuestions(call, error as RpcError, options);
  call.recoveries = [...call.recoveries, failure];
  if (failure === "unsent") return waitForConnection(call, error, link);
  if (failure === "headers") return updateHeaders(call, error, findTool);
  return renewAgreement(call, error, failure, link);
}

/** Explains the error of a call that waited in vain for a connection: it was not sent. */
export function throwUnsent(error: unknown): never {
  if (!(error instanceof TransportError) || error.code !== "CONNECTION_LOST") throw error;
  throw new TransportError(error.code, `${error.message} The call was not sent.`, { cause: error.cause });
}

function failureOf(error: unknown, { method, connection }: Call): Failure | undefined {
  const { agreement, transport, isProven } = connection;
  const { hasHeaders } = transport;
  const failure = agreement.era.classify(error, { method, hasHeaders, isProven });
  if (failure !== undefined) return failure;
  if (isPossibleSessionLoss(error)) return "possible session loss";
  if (error instanceof UnsentError) return "unsent";
  if (isSessionLoss(error)) return "session";
  // A connection can be replaced by another. Over HTTP there is none.
  return !hasHeaders && isShuttingDown(error) ? "unsent" : undefined;
}

function mayRecover({ recoveries }: Call, failure: Failure): boolean {
  const times = recoveries.filter((earlier) => earlier === failure).length;
  return times < (failure === "session" || failure === "unsent" ? MAX_RENEWALS : 1);
}

async function waitForConnection(call: Call, error: unknown, link: Link): Promise<void> {
  if (isShuttingDown(error)) link.retire(call.connection);
  // A transport that ends may report that after the failure of its requests, but in the same turn of the event loop.
  else await wait(0, undefined);
  // A connection that is still there has refused this call alone.
  if (link.current === call.connection) throw link.explain(error);
  await call.waitFor(link.ready(), "connecting again").catch(throwUnsent);
}

/** Lists the tools anew. Rejects if the headers stay the same, because the server would refuse them again. */
async function updateHeaders(call: Call, error: unknown, findTool: () => Promise<void>): Promise<void> {
  const before = JSON.stringify(call.headers);
  await findTool();
  if (JSON.stringify(call.headers) === before) throw error;
}

async function renewAgreement(
  call: Call,
  error: unknown,
  failure: Exclude<Failure, "unsent" | "headers" | "questions">,
  link: Link,
): Promise<void> {
  const { era } = call.connection.agreement;
  const renewal = call.waitFor(link.renew(call.connection), "agreeing with the server anew");
  if (failure === "session") {
    await renewal;
    return;
  }
  if (isPossibleSessionLoss(error)) return settleSessionLoss(call, error, renewal);
  const renewed = await renewal.catch(() => {
    // The server's own error says more than that its era stays in doubt.
    throw error;
  });
  if (renewed.agreement.era !== era) {
    // A server that has looked into the call may have acted on it, whatever its era is now.
    if (failure === "doubtful era" && !isUnread(error)) throw error;
    call.sent = call.sent && (era.withoutRequestMeta?.(call.sent) ?? call.sent);
    return;
  }
  // The server has not looked into a call in a revision that it does not speak.
  if (failure === "revision") return;
  // The server is what it was, so it has answered the call.
  renewed.isProven = true;
  throw error;
}

/** Decides about a call whose refusal can mean two things: the session is gone, or the call ran and failed. */
async function settleSessionLoss(
  { method, connection }: Call,
  { message, cause }: { readonly message: string; readonly cause: Error },
  renewal: Promise<Connection>,
): Promise<void> {
  const renewed = await renewal.catch((failure: unknown) => {
    // Without a new session, it is still a guess: the server's own words say more.
    throw failure instanceof AuthError ? failure : cause;
  });
  // A server of another era has not understood the call, so nothing ran.
  if (renewed.agreement.era !== connection.agreement.era || REPEATABLE_METHODS.has(method)) return;
  const advice = "A new session is open. The call was not sent again, because it may have taken effect.";
  throw new TransportError("SESSION_EXPIRED", `${message} ${advice}`, { cause });
}
