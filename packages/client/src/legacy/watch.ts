import { RpcError, TransportError } from "@toolwire/protocol";
import type { Connection } from "../connection/connection.ts";
import type { Watcher } from "../subscriptions/subscription.ts";
import { untilAborted, untilOver } from "../waiting.ts";

/** How many pages may await the word of their server that the user is done. */
const MAX_AWAITED_PAGES = 1000;

/** One page, which several calls may need. */
interface AwaitedPage {
  readonly completed: Promise<void>;
  readonly complete: () => void;
}

/** Pages that users were sent to, until their server says that they are done there, which only 2025-11-25 knows. */
export class AwaitedPages {
  readonly #awaited = new Map<unknown, AwaitedPage>();

  /** Resolves when the server says that the user is done with a page, which it may never do. */
  await(elicitationId: string): Promise<void> {
    const known = this.#awaited.get(elicitationId);
    if (known !== undefined) return known.completed;
    for (const oldest of this.#awaited.keys()) {
      if (this.#awaited.size < MAX_AWAITED_PAGES) break;
      this.#awaited.delete(oldest);
    }
    let complete = (): void => {};
    const completed = new Promise<void>((resolve) => {
      complete = resolve;
    });
    this.#awaited.set(elicitationId, { completed, complete });
    return completed;
  }

  /** The server says that the user is done with a page. Ids that nobody awaits are ignored, as the spec wants. */
  complete(elicitationId: unknown): void {
    this.#awaited.get(elicitationId)?.complete();
    this.#awaited.delete(elicitationId);
  }
}

/**
 * A resource that is subscribed to, on behalf of one or more subscriptions: the server is told of the first and the
 * last.
 */
interface Watched {
  /** How many subscriptions watch it, or wait to. */
  count: number;
  /** Whether the server agreed. */
  readonly agreed: Promise<boolean>;
}

const watched = new WeakMap<Connection, Map<string, Watched>>();

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
      // All of them, so that none is subscribed to after the failure of another was dealt with.
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
async function subscribeTo(connection: Connection, uri: string, { signal, timeout }: Watcher): Promise<boolean> {
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

/** On behalf of all who want it, so that one of them who leaves does not take the answer from the others. */
async function ask(connection: Connection, uri: string, timeout: number): Promise<boolean> {
  try {
    await connection.call("resources/subscribe", { uri }, { timeout });
    return true;
  } catch (error) {
    if (error instanceof RpcError) return false;
    throw error;
  }
}

function unsubscribeFrom(connection: Connection, uri: string): void {
  const all = watched.get(connection);
  const entry = all?.get(uri);
  if (all === undefined || entry === undefined || --entry.count > 0) return;
  all.delete(uri);
  // Nobody waits for this: if it fails, the server announces changes that nobody hears.
  entry.agreed
    .then(async (isAgreed) => {
      // Whoever has come meanwhile wants it to go on.
      if (isAgreed && !all.has(uri) && connection.wire.isOpen) {
        await connection.call("resources/unsubscribe", { uri }, {});
      }
    })
    .catch(() => {});
}
