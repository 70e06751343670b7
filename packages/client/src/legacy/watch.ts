import { RpcError, TransportError } from "@toolwire/protocol";
import type { EraConnection, Watcher } from "../eras/era.ts";
import { explainMissingScopes } from "../transports/refusal.ts";
import { untilAborted, untilOver } from "../waiting.ts";

/** A resource that one or more subscriptions watch. The server is told when the first begins and when the last ends. */
interface Watched {
  /** How many subscriptions watch it, or wait for the agreement of the server. */
  count: number;
  /** Whether the server agreed. */
  readonly agreed: Promise<boolean>;
}

const watched = new WeakMap<EraConnection, Map<string, Watched>>();

/**
 * Watches a legacy server. It announces changes of lists on its own, and changes of resources that were subscribed to. The
 * announcements are notifications of the whole connection. Rejects when the connection is lost.
 */
export async function watch(connection: EraConnection, watcher: Watcher): Promise<void> {
  const { filter, signal } = watcher;
  const { capabilities } = connection.agreement;
  const uris: string[] = [];
  try {
    if (capabilities.resources?.subscribe === true) {
      const subscribe = async (uri: string): Promise<void> => {
        if (await subscribeTo(connection, uri, watcher)) uris.push(uri);
      };
      // Waits for all, so that none is subscribed to after the failure of another was handled.
      const outcomes = await Promise.allSettled([...new Set(filter.uris)].map(subscribe));
      for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    }
    watcher.accepted({
      tools: filter.tools === true && capabilities.tools?.listChanged === true,
      prompts: filter.prompts === true && capabilities.prompts?.listChanged === true,
      resources: filter.resources === true && capabilities.resources?.listChanged === true,
      uris,
    });
    await untilOver(connection.over.signal, signal);
  } catch (error) {
    for (const uri of uris) unsubscribeFrom(connection, uri);
    throw error;
  }
  throw new TransportError("CONNECTION_LOST", "The connection was lost, and the subscription with it.");
}

/** Resolves to whether the server agreed. */
async function subscribeTo(connection: EraConnection, uri: string, { signal, timeout }: Watcher): Promise<boolean> {
  const all = watched.get(connection) ?? new Map<string, Watched>();
  watched.set(connection, all);
  const entry = all.get(uri) ?? { count: 0, agreed: ask(connection, uri, timeout) };
  all.set(uri, entry);
  entry.count++;
  let isAgreed = false;
  try {
    isAgreed = await untilAborted(entry.agreed, signal);
    return isAgreed;
  } finally {
    if (!isAgreed) unsubscribeFrom(connection, uri);
  }
}

/** Asks without the signal of one subscription, so that its end does not take the answer from the others. */
async function ask(connection: EraConnection, uri: string, timeout: number): Promise<boolean> {
  try {
    await connection.call("resources/subscribe", { uri }, { timeout });
    return true;
  } catch (error) {
    // A caller that lacks scopes can get them, so it is told, as in the modern era.
    if (error instanceof RpcError && explainMissingScopes(error) === undefined) return false;
    throw error;
  }
}

function unsubscribeFrom(connection: EraConnection, uri: string): void {
  const all = watched.get(connection);
  const entry = all?.get(uri);
  if (all === undefined || entry === undefined || --entry.count > 0) return;
  all.delete(uri);
  // Errors are ignored: the server then announces changes that are of no interest.
  entry.agreed
    .then(async (isAgreed) => {
      // Another subscription may have begun to watch it meanwhile.
      if (isAgreed && !all.has(uri) && connection.isOpen) {
        await connection.call("resources/unsubscribe", { uri }, {});
      }
    })
    .catch(() => {});
}
