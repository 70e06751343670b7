import { RpcError, TransportError } from "@toolwire/protocol";
import type { Connection } from "../connection/connection.ts";
import type { Watcher } from "../subscriptions/listen.ts";
import { untilAborted } from "../waiting.ts";

/** How many subscriptions watch each resource of a connection; the server is told of the first and the last. */
const watched = new WeakMap<Connection, Map<string, number>>();

/**
 * Watches a legacy server: it announces changes of lists by itself, and of single resources that were subscribed to. The
 * announcements come over the connection, to whoever hears all of its notifications. Rejects when the connection is lost.
 */
export async function watch(connection: Connection, watcher: Watcher): Promise<void> {
  const { filter, signal } = watcher;
  const { capabilities } = connection.agreement;
  const uris: string[] = [];
  try {
    if (capabilities.resources?.subscribe === true) {
      const subscribe = async (uri: string): Promise<void> => {
        if (await subscribeTo(connection, uri, watcher)) uris.push(uri);
      };
      await Promise.all([...new Set(filter.uris)].map(subscribe));
    }
    watcher.accepted({
      tools: filter.tools === true && capabilities.tools?.listChanged === true,
      prompts: filter.prompts === true && capabilities.prompts?.listChanged === true,
      resources: filter.resources === true && capabilities.resources?.listChanged === true,
      uris,
    });
    await untilAborted(connection.ended, signal);
  } catch (error) {
    for (const uri of uris) unsubscribeFrom(connection, uri);
    throw error;
  }
  throw new TransportError("CONNECTION_LOST", "The connection was lost, and the subscription with it.");
}

/** Resolves to whether the server agreed. */
async function subscribeTo(connection: Connection, uri: string, { signal, timeout }: Watcher): Promise<boolean> {
  const counts = watched.get(connection) ?? new Map<string, number>();
  watched.set(connection, counts);
  const count = counts.get(uri) ?? 0;
  counts.set(uri, count + 1);
  if (count > 0) return true;
  try {
    await connection.call("resources/subscribe", { uri }, { signal, timeout });
    return true;
  } catch (error) {
    counts.delete(uri);
    if (error instanceof RpcError) return false;
    throw error;
  }
}

function unsubscribeFrom(connection: Connection, uri: string): void {
  const counts = watched.get(connection);
  const count = counts?.get(uri) ?? 0;
  if (count > 1) {
    counts?.set(uri, count - 1);
    return;
  }
  counts?.delete(uri);
  // Nobody waits for this one: if it fails, the server announces changes that nobody hears.
  if (connection.wire.isOpen) connection.call("resources/unsubscribe", { uri }, {}).catch(() => {});
}
