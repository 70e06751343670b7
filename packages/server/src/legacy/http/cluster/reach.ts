/** Calls of the engine and of other nodes. Each has a deadline of ours: a client of an engine may wait for ever. */
import { ErrorCode, RpcError } from "@toolwire/protocol";
import { TIMED_OUT, withTimeout } from "../../../bindings/admission/with-timeout.ts";
import { type Cluster, ClusterError } from "../../../cluster/cluster.ts";
import { Unavailable } from "../../../errors.ts";

/** How long a call of the engine, or a message to another node with its reply, may take. */
const DEADLINE_MS = 2000;

/** Waits for the engine. Rejects with an `Unavailable` if it cannot do it now. */
export async function reach<T>(work: Promise<T>): Promise<T> {
  let result: T | typeof TIMED_OUT;
  try {
    result = await withTimeout(DEADLINE_MS, work);
  } catch (error) {
    throw explain(error);
  }
  if (result === TIMED_OUT) throw unavailable();
  return result;
}

/** The reply of another node, or why there is none: it has ended, or has nothing of what it was asked. */
export type Reply = { readonly value: unknown } | "gone" | "unknown";

/**
 * Sends a message to another node, twice if the first is not answered: it handles the message once. Rejects with an `Unavailable` if the
 * node is there but silent, or cannot be reached now.
 */
export async function askNode({ bus }: Cluster, node: string, kind: string, body: object): Promise<Reply> {
  const message = { id: crypto.randomUUID(), kind, body };
  const send = (): Promise<unknown> => bus.request(node, message, { timeout: DEADLINE_MS / 2 });
  try {
    const reply = await reach(
      send().catch((error: unknown) => (mayRetry(error) ? send() : Promise.reject(error as Error))),
    );
    return reply === null || reply === undefined ? "unknown" : { value: reply };
  } catch (error) {
    if (error instanceof NodeGone) return "gone";
    throw error;
  }
}

/** Sends a message to another node that may be lost. */
export function tellNode(cluster: Cluster, node: string, kind: string, body: object): void {
  askNode(cluster, node, kind, body).catch(() => undefined);
}

/** Sends a message to all other nodes, which may be lost. */
export function tellAll({ bus }: Cluster, kind: string, body: object): void {
  bus.broadcast({ id: crypto.randomUUID(), kind, body }).catch(() => undefined);
}

class NodeGone extends Error {}

function mayRetry(error: unknown): boolean {
  return error instanceof ClusterError && (error.code === "TIMEOUT" || error.code === "UNAVAILABLE");
}

function explain(error: unknown): unknown {
  if (!(error instanceof ClusterError)) return error;
  if (error.code === "NODE_GONE") return new NodeGone();
  if (error.code !== "TOO_LARGE") return unavailable(error);
  return new RpcError(ErrorCode.InvalidRequest, "This is larger than what can be passed on between servers.");
}

function unavailable(cause?: unknown): Unavailable {
  return new Unavailable(cause);
}
