import { AuthError, ProtocolViolation, RpcError, TransportError, type NotificationMessage } from "@toolwire/protocol";
import { Backoff, type ReconnectOptions } from "../connection/backoff.ts";
import type { Link } from "../connection/link.ts";
import { watch } from "../legacy/watch.ts";
import { untilAborted, wait } from "../waiting.ts";
import {
  changesMissed,
  covers,
  NOTHING_ACCEPTED,
  toChange,
  type AcceptedFilter,
  type Change,
  type ChangeFilter,
} from "./filter.ts";
import { listen, type Watcher } from "./listen.ts";

/** Hears of changes. */
export type ChangeListener = (change: Change) => void;

/** A standing order to be told of changes, which outlives the connection it was given over. */
export interface Subscription {
  /** What the server agreed to announce, the last time it was asked. */
  readonly accepted: AcceptedFilter;
  /** Resolves when there will be no more changes: with the reason, if something failed. */
  readonly closed: Promise<Error | undefined>;
  /** Ends the subscription. Closing twice is safe. */
  close(): void;
  [Symbol.dispose](): void;
}

/** What a subscription relies on. */
export interface SubscriptionOptions {
  readonly link: Link;
  readonly filter: ChangeFilter;
  readonly listener: ChangeListener;
  readonly timeout: number;
  readonly reconnect: ReconnectOptions | undefined;
  hear(message: NotificationMessage): void;
}

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
    this.#options = options;
    this.#backoff = new Backoff(options.reconnect ?? { attempts: 0 });
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
    return this;
  }

  close(): void {
    this.#stop.abort(new DOMException("The subscription was closed.", "AbortError"));
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Takes what a legacy server announces to nobody in particular. */
  announce(message: NotificationMessage): void {
    const change = toChange(message);
    if (change !== undefined && covers(this.accepted, change)) this.#tell(change);
  }

  #accept(filter: AcceptedFilter): void {
    this.#backoff.succeeded();
    const isRenewed = this.#accepted !== undefined;
    this.#accepted = filter;
    this.#agreed();
    if (isRenewed) for (const change of changesMissed(filter)) this.#tell(change);
  }

  #tell(change: Change): void {
    if (this.#stop.signal.aborted) return;
    try {
      this.#options.listener(change);
    } catch (error) {
      // Whoever listens has failed, and no other change will find them better prepared.
      this.#end(error as Error);
    }
  }

  async #keep(): Promise<void> {
    const { link } = this.#options;
    const { signal } = this.#stop;
    try {
      for (;;) {
        const connection = await untilAborted(link.ready(), signal);
        try {
          await (connection.agreement.era === "modern" ? listen : watch)(connection, this.#watcher);
          // The server has ended it on purpose: asking again would not be polite.
          this.#end(undefined);
          return;
        } catch (error) {
          if (error instanceof TransportError && error.code === "SESSION_EXPIRED") {
            await untilAborted(link.renew(connection), signal);
          }
          const delay = isFinal(error) || this.#accepted === undefined ? undefined : this.#backoff.failed();
          if (delay === undefined || signal.aborted) throw error;
          await wait(delay, signal);
        }
      }
    } catch (error) {
      this.#end(link.over.aborted ? (link.over.reason as Error) : (error as Error));
    }
  }

  #end(reason: Error | undefined): void {
    const isWanted = this.#stop.signal.aborted || (reason instanceof TransportError && reason.code === "CLOSED");
    this.#stop.abort();
    this.#resolveClosed(isWanted ? undefined : reason);
  }
}

/** Whether it is of no use to ask again. */
function isFinal(error: unknown): boolean {
  return error instanceof RpcError || error instanceof AuthError || error instanceof ProtocolViolation;
}
