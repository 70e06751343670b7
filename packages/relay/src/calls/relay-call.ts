import type { Context } from "@toolwire/server";
import { askableOf } from "../questions/askable.ts";
import { explain, isLoginNeeded } from "./explain.ts";
import { sendInRounds } from "./rounds.ts";
import { send } from "./send.ts";
import type { CallTarget, RelayedMethod } from "./target.ts";

/** Sends a request of a caller to an upstream, and everything that belongs to it both ways. Resolves to the final result. */
export async function relayCall(
  target: CallTarget,
  method: RelayedMethod,
  params: object,
  ctx: Context,
): Promise<object> {
  const { connections, clear } = target;
  connections.begin(ctx.principal?.id);
  try {
    return clear(await relayOnce(target, method, params, ctx));
  } catch (error) {
    return await recover(target, method, params, ctx, error);
  } finally {
    connections.end();
  }
}

/** Has a caller log in who has to, and sends the request again: one that was refused was not executed. Throws for all other errors. */
async function recover(
  target: CallTarget,
  method: RelayedMethod,
  params: object,
  ctx: Context,
  error: unknown,
): Promise<object> {
  const { logIn, clear } = target;
  if (logIn === undefined || !isLoginNeeded(error)) throw explain(target, method, error, ctx);
  try {
    await logIn(ctx, error.scopes);
    return clear(await relayOnce(target, method, params, ctx));
  } catch (failure) {
    throw explain(target, method, failure, ctx);
  }
}

/**
 * Chooses the connection. Modern servers ask by an interim result, so that all calls share one. Legacy servers ask at any time, and do
 * not say for which call, so that a call whose caller can be asked something has one of its own.
 */
async function relayOnce(target: CallTarget, method: RelayedMethod, params: object, ctx: Context): Promise<object> {
  const { shared, leases } = target.connections;
  const client = shared.client ?? (await shared.open());
  const capabilities = askableOf(ctx.clientCapabilities);
  if (capabilities === undefined) return send(target, { client, isLeased: false }, method, params, ctx);
  if (client.era === "modern") return sendInRounds(target, client, capabilities, method, params, ctx);
  return leases.use(ctx.principal?.id, capabilities, ctx, (own) =>
    send(target, { client: own, isLeased: true }, method, params, ctx),
  );
}
