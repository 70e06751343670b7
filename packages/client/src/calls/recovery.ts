import { AuthError, type Meta, MetaKey, RpcError, TransportError } from "@toolwire/protocol";
import type { Connection } from "../connection/connection.ts";
import type { Link } from "../connection/link.ts";
import type { Call } from "./call.ts";
import { isShuttingDown } from "@toolwire/protocol/internal";
import type { RoundOptions } from "./rounds.ts";

/** Rejects a call that waited in vain for a connection. That of others was lost under them; this one has not been sent. */
export function throwUnsent(error: unknown): never {
  if (!(error instanceof TransportError) || error.code !== "CONNECTION_LOST") throw error;
  throw new TransportError(error.code, `${error.message} The call was not sent.`, { cause: error.cause });
}

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
  if (doubt === "guessed session") return settleGuess(call, error as TransportError, renewal);
  const renewed = await renewal.catch(() => {
    // A doubt that cannot be cleared up is no reason to keep the server's own words from the caller.
    throw error;
  });
  if (renewed.agreement.era !== era) {
    // A server that has looked into the call may have acted on it, whatever speaks there now.
    if (doubt === "era" && !isUnread(error)) throw error;
    call.sent = unstamped(call.sent);
    return;
  }
  // By -32022 a modern server says that it has not looked into the call. Any other that stays what it was has answered it.
  if (era === "modern" && doubt === "revision") return;
  renewed.isProven = true;
  throw error;
}

/** Whether a server that refused a request has not looked into it. */
function isUnread(error: unknown): boolean {
  return (error instanceof TransportError || error instanceof RpcError) && error.refusal?.isUnread === true;
}

/** Whether a session only seems to be lost: the server may have looked into the request and mean something else. */
export function isGuessedLoss(error: unknown): error is TransportError {
  return error instanceof TransportError && error.code === "SESSION_EXPIRED" && error.refusal?.isUnread === false;
}

/** Decides about a call whose refusal can mean two things: the session is gone, or the call ran and failed. */
async function settleGuess(
  { method, connection }: Call,
  { message, cause }: TransportError,
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

/**
 * Failures after which a call can be sent again: the connection ended before the call was sent, the server refused it unread, the
 * server expects other headers than the listed tool declared, the user must visit pages first (2025-11-25 only), or the agreed
 * session, revision or era is in doubt.
 */
export type Trouble = "unsent" | "headers" | "pages" | Doubt;

/**
 * Mends what a call has failed by. Resolves if it is to be sent again, and rejects with what its caller is to be told
 * otherwise. `findTool` looks up the tool of the call anew. Loaded with the first call that fails like this.
 */
export async function mendCall(
  call: Call,
  error: unknown,
  trouble: Trouble,
  options: RoundOptions & { readonly link: Link },
  findTool: () => Promise<void>,
): Promise<void> {
  if (trouble === "pages") {
    // As often as the server has pages to show, within the rounds that it may have.
    if (options.inputs.url === undefined) throw error;
    const { visitPages } = await import("../parts/legacy.ts");
    return visitPages(call, error as RpcError, options);
  }
  call.mended = [...call.mended, trouble];
  if (trouble === "unsent") {
    if (isShuttingDown(error)) options.link.retire(call.connection);
    // A connection that is still there has refused this call alone.
    if (options.link.current === call.connection) throw options.link.explain(error);
    await call.waitFor(options.link.ready(), "connecting again").catch(throwUnsent);
    return;
  }
  if (trouble !== "headers") return renewFor(call, error, trouble, options.link);
  const before = JSON.stringify(call.headers);
  await findTool();
  if (JSON.stringify(call.headers) === before) throw error;
}
