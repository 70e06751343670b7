import { MetaKey, TransportError, type NotificationMessage } from "@toolwire/protocol";
import { checkType } from "../calls/results.ts";
import type { Connection } from "../connection/connection.ts";
import { after, follow } from "../waiting.ts";
import { fromWire, toChange, toWire, type AcceptedFilter, type Change, type ChangeFilter } from "./filter.ts";

/** Who hears what comes of a subscription, while one connection lasts. */
export interface Watcher {
  readonly filter: ChangeFilter;
  /** Aborted when the subscription is closed. */
  readonly signal: AbortSignal;
  /** Milliseconds that the server may take to say what it agrees to. */
  readonly timeout: number;
  accepted(filter: AcceptedFilter): void;
  changed(change: Change): void;
  /** Hears every notification, for others who care about changes. */
  hear(message: NotificationMessage): void;
}

const METHOD = "subscriptions/listen";

/** What the notifications of a subscription may hold. */
interface Parts {
  readonly notifications?: unknown;
  readonly requestId?: unknown;
  readonly _meta?: { readonly [key: string]: unknown };
}

/**
 * Watches a modern server: one long request, whose answer is a stream of changes. Resolves when the server ends it on
 * purpose, and rejects when it breaks.
 */
export async function listen(connection: Connection, watcher: Watcher): Promise<void> {
  const { filter, signal, timeout } = watcher;
  const stop = new AbortController();
  const unfollow = follow(signal, stop);
  const message = "The server did not acknowledge the subscription in time.";
  const timer = after(timeout, () => stop.abort(new TransportError("TIMEOUT", message)));
  let id: unknown;
  let isAccepted = false;
  let isEnded = false;
  const onNotification = (notification: NotificationMessage): void => {
    watcher.hear(notification);
    const { notifications, requestId, _meta } = (notification.params ?? {}) as Parts;
    if (notification.method === "notifications/subscriptions/acknowledged") {
      clearTimeout(timer);
      id = _meta?.[MetaKey.SubscriptionId];
      isAccepted = true;
      watcher.accepted(fromWire(notifications, filter));
    } else if (notification.method === "notifications/cancelled") {
      // Whatever else it names is unknown here, and such cancellations are to be ignored.
      if (id !== undefined && requestId !== id) return;
      isEnded = true;
      stop.abort();
    } else if (isAccepted) {
      const change = toChange(notification);
      if (change !== undefined) watcher.changed(change);
    }
  };
  try {
    const result = await connection.call(
      METHOD,
      { notifications: toWire(filter) },
      { signal: stop.signal, timeout: Infinity, onNotification },
    );
    checkType(METHOD, result);
  } catch (error) {
    if (!isEnded) throw error;
  } finally {
    clearTimeout(timer);
    unfollow?.();
  }
}
