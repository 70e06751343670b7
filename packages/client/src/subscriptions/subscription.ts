/// <reference lib="esnext.disposable" preserve="true" />
import {
  AuthError,
  MetaKey,
  type NotificationMessage,
  ProtocolViolation,
  RpcError,
  TransportError,
} from "@toolwire/protocol";
import { checkType } from "../calls/results.ts";
import type { Connection } from "../connection/connection.ts";
import { after, follow, inTime, untilAborted, untilOver, wait } from "../waiting.ts";
import {
  type AcceptedFilter,
  type Change,
  type ChangeFilter,
  changesMissed,
  covers,
  fromWire,
  isFilter,
  NOTHING_ACCEPTED,
  toChange,
  toWire,
} from "./filter.ts";
import { Backoff, type ReconnectOptions } from "../connection/backoff.ts";
import type { Link } from "../connection/link.ts";
import { isPutOff } from "../connection/negotiate.ts";
import { watch } from "../legacy/watch.ts";
import { explain } from "../check-options.ts";

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

/** Gets changes. If it throws or rejects, that is reported, and it goes on to get further changes. */
export type ChangeListener = (change: Change) => void;

/** A subscription to changes. It is renewed after a reconnect. */
export interface Subscription {
  /** What the server agreed to announce when it was last asked. */
  readonly accepted: AcceptedFilter;
  /** Resolves when the subscription has ended: with the reason, if something failed. */
  readonly closed: Promise<Error | undefined>;
  /** Ends the subscription. Closing twice is safe. */
  close(): void;
  [Symbol.dispose](): void;
  /** Ends the subscription, and waits until the server has been told. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a subscription relies on. */
export interface SubscriptionOptions {
  readonly link: Link;
  readonly filter: ChangeFilter;
  readonly listener: ChangeListener;
  readonly timeout: number;
  readonly reconnect: ReconnectOptions | false | undefined;
  hear(message: NotificationMessage): void;
  /** Calls the listener, whatever that does. */
  tell(change: Change): void;
  /** There may have been changes that nobody heard of. */
  missed(): void;
}

/** How long a server that has ended a subscription may take to end the connection, too, in milliseconds. */
const FAREWELL_MS = 1000;

/** A subscription that is renewed whenever the connection is. */
export class KeptSubscription implements Subscription {
  readonly closed: Promise<Error | undefined>;
  readonly #options: SubscriptionOptions;
  readonly #stop = new AbortController();
  readonly #backoff: Backoff;
  readonly #watcher: Watcher;
  #accepted: AcceptedFilter | undefined;
  #agreed!: () => void;
  #resolveClosed!: (reason: Error | undefined) => void;

  constructor(options: SubscriptionOptions) {
    if (typeof options.listener !== "function") throw explain("subscribe", options.listener);
    if (!isFilter(options.filter)) throw explain("filter", options.filter);
    this.#options = options;
    this.#backoff = new Backoff(options.reconnect);
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#watcher = {
      filter: options.filter,
      timeout: options.timeout,
      signal: this.#stop.signal,
      accepted: (filter) => this.#accept(filter),
      changed: (change) => this.#tell(change),
      hear: (message) => options.hear(message),
    };
  }

  get accepted(): AcceptedFilter {
    return this.#accepted ?? NOTHING_ACCEPTED;
  }

  /** Asks the server; resolves when it has said what it agrees to. */
  async start(): Promise<this> {
    const agreed = new Promise<undefined>((resolve) => {
      this.#agreed = () => resolve(undefined);
    });
    void this.#keep();
    const error = await Promise.race([agreed, this.closed]);
    if (error !== undefined) throw error;
    // To a subscription that was there, the end of the client is no failure; to one that never was, it is.
    if (this.#accepted === undefined) this.#options.link.over.throwIfAborted();
    return this;
  }

  close(): void {
    this.#stop.abort(new DOMException("The subscription was closed.", "AbortError"));
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    await this.closed;
  }

  /** Takes what a legacy server announces to nobody in particular. */
  announce(message: NotificationMessage): void {
    const change = toChange(message);
    if (change !== undefined && covers(this.accepted, change)) this.#tell(change);
  }

  /** Tells of everything that may have changed while the server could not be heard. */
  catchUp(): void {
    for (const change of changesMissed(this.accepted)) this.#tell(change);
  }

  #accept(filter: AcceptedFilter): void {
    this.#backoff.succeeded();
    const isRenewed = this.#accepted !== undefined;
    this.#accepted = filter;
    this.#agreed();
    if (!isRenewed) return;
    // First: whoever is told looks again, and is not to find what was kept from before.
    this.#options.missed();
    this.catchUp();
  }

  #tell(change: Change): void {
    if (!this.#stop.signal.aborted) this.#options.tell(change);
  }

  async #keep(): Promise<void> {
    const { link } = this.#options;
    const { signal } = this.#stop;
    try {
      for (;;) {
        const connection = await untilAborted(link.ready(), signal);
        let failure: Error | undefined;
        try {
          if (await this.#isMeant(await this.#watch(connection))) break;
        } catch (error) {
          failure = error as Error;
          if (isFinal(error) || signal.aborted) throw error;
        }
        const delay = this.#accepted === undefined ? undefined : this.#backoff.failed();
        if (delay === undefined) {
          if (failure !== undefined) throw failure;
          break;
        }
        await inTime(Infinity, "", [link.over, signal], (limit) => wait(delay, limit));
      }
      this.#end(undefined);
    } catch (error) {
      this.#end((link.over.aborted ? link.over.reason : link.explain(error)) as Error);
    }
  }

  /**
   * Watches for as long as the server lets it, and resolves to the connection by which it did last: where the session
   * turns out to be forgotten, a new one is begun, as for any call.
   */
  async #watch(connection: Connection): Promise<Connection> {
    const begin = (over: Connection): Promise<void> =>
      (over.agreement.era === "modern" ? listen : watch)(over, this.#watcher);
    try {
      await begin(connection);
      return connection;
    } catch (error) {
      if (!(error instanceof TransportError) || error.code !== "SESSION_EXPIRED") throw error;
      const renewed = await untilAborted(this.#options.link.renew(connection), this.#stop.signal).catch((cause) => {
        // A server that cannot be agreed with now has not refused the subscription, whatever it says: it may come back.
        throw cause instanceof AuthError ? cause : error;
      });
      await begin(renewed);
      return renewed;
    }
  }

  /**
   * Whether a server that has ended the subscription properly wants no part of it any more. A server that shuts down ends
   * all of them like this (2026-07-28, "Graceful Closure"), and the one that takes its place is to be asked again. Where
   * there is a connection, it ends as well then; if it does not, the server means this subscription, and asking again would
   * not be polite. Over HTTP nothing tells a restart, or the end of the time that a platform gives to a request, from
   * a decision, so the server is asked again, as seldom as after a failure: if it has decided, it can say so by an error.
   */
  async #isMeant(connection: Connection): Promise<boolean> {
    if (connection.wire.hasHeaders) return false;
    const { timeout, link } = this.#options;
    const { signal } = this.#stop;
    await Promise.race([untilOver(connection.over.signal, signal), wait(Math.min(timeout, FAREWELL_MS), signal)]);
    return link.current === connection || link.over.aborted;
  }

  #end(reason: Error | undefined): void {
    const isWanted = this.#stop.signal.aborted || (reason instanceof TransportError && reason.code === "CLOSED");
    this.#stop.abort();
    this.#resolveClosed(isWanted ? undefined : reason);
  }
}

/** Whether it is of no use to ask again. */
function isFinal(error: unknown): boolean {
  const isRefused = error instanceof RpcError && !isPutOff(error);
  return isRefused || error instanceof AuthError || error instanceof ProtocolViolation;
}
