import type { Client } from "@toolwire/client";
import type { Context } from "@toolwire/server";
import { askableOf } from "../questions/askable.ts";
import { explain, isLoginNeeded } from "./explain.ts";
import { followTask } from "./follow-task.ts";
import { isTask } from "./read-task.ts";
import { sendInRounds } from "./rounds.ts";
import { send } from "./send.ts";
import type { CallTarget, RelayedMethod, RelayedRequest } from "./target.ts";
import { taskOf, type TaskSupport } from "./task-support.ts";

/** Sends a request of a caller to an upstream, and everything that belongs to it both ways. Resolves to the final result. */
export async function relayCall(
  target: CallTarget,
  method: RelayedMethod,
  params: object,
  ctx: Context,
  tasks: TaskSupport | undefined,
): Promise<object> {
  const { connections, clear } = target;
  const request: RelayedRequest = { method, params, ctx, known: [params, ctx._meta], tasks };
  connections.begin(ctx.principal?.id);
  try {
    return clear(await relayOnce(target, request), request.known);
  } catch (error) {
    return await recover(target, request, error);
  } finally {
    connections.end();
  }
}

/** Has a caller log in who has to, and sends the request again: one that was refused was not executed. Throws for all other errors. */
async function recover(target: CallTarget, request: RelayedRequest, error: unknown): Promise<object> {
  const { logIn, clear } = target;
  if (logIn === undefined || !isLoginNeeded(error)) throw explain(target, request, error);
  try {
    await logIn(request.ctx, error.scopes);
    return clear(await relayOnce(target, request), request.known);
  } catch (failure) {
    throw explain(target, request, failure);
  }
}

/**
 * Chooses the connection. Modern servers ask by an interim result, so that all calls share one. Legacy servers ask at any time, and do
 * not say for which call, so that a call whose caller can be asked something has one of its own.
 */
async function relayOnce(target: CallTarget, request: RelayedRequest): Promise<object> {
  const { shared, leases } = target.connections;
  const { ctx, known } = request;
  const client = shared.client ?? (await shared.open());
  const capabilities = askableOf(ctx.clientCapabilities);
  // A tool of 2025-11-25 is called as a task, or not: a caller that may have one gets it before.
  if (client.era === "legacy" && request.tasks !== undefined) await taskOf(ctx)?.begin();
  if (capabilities === undefined) {
    const result = await send(target, { client, isLeased: false }, request);
    return isTask(result) ? followTask(target, request, result) : result;
  }
  if (client.era === "modern") return sendInRounds(target, client, capabilities, request);
  const work = (own: Client): Promise<object> => send(target, { client: own, isLeased: true }, request);
  return leases.use(ctx.principal?.id, capabilities, ctx, work, known);
}
