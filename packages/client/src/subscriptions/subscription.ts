/// <reference lib="esnext.disposable" preserve="true" />
import { AuthError, type NotificationMessage, ProtocolViolation, RpcError, TransportError } from "@toolwire/protocol";
import { expectOption } from "@toolwire/protocol/internal";
import { invalidCall } from "../check-options.ts";
import { Backoff, type ReconnectOptions } from "../connection/backoff.ts";
import type { Connection } from "../connection/connection.ts";
import type { Link } from "../connection/link.ts";
import { MAX_SHUTDOWN_MS } from "../connection/retiring.ts";
import type { Watcher } from "../eras/era.ts";
import {
  type AcceptedFilter,
  type AcceptedTopics,
  type Change,
  changesMissed,
  covers,
  isFilter,
  NOTHING_ACCEPTED,
  toChange,
  type WatchedFilter,
} from "../messages/changes.ts";
import { isSessionLoss, isTemporary } from "../transports/refusal.ts";
import { inTime, untilAborted, untilOver, wait } from "../waiting.ts";

/** Gets changes. If it throws or rejects, that is reported, and it goes on to get further changes. */
export type ChangeListener = (change: Change) => void;

/** A subscription to changes. It is renewed after a reconnect. */
export interface Subscription {
  /** The changes that the server agreed to announce when it was last asked. */
  readonly accepted: AcceptedFilter;
  /** Resolves when the subscription has ended: with the reason, if something failed. */
  readonly closed: Promise<Error | undefined>;
  /** Ends the subscription. Closing twice is safe. */
  close(): void;
  [Symbol.dispose](): void;
  /** Ends the subscription, and waits until the server has been told. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The settings of a subscription, and the parts of the client that it uses. */
export interface SubscriptionOptions {
  readonly link: Link;
  readonly filter: WatchedFilter;
  readonly listener: ChangeListener;
  readonly timeout: number;
  readonly reconnect: ReconnectOptions | false | undefined;
  /** Gets every notification that comes with the subscription. */
  notification(message: NotificationMessage): void;
  /** Calls the listener, and reports its errors. */
  tell(change: Change): void;
  /** Called when changes may have been missed. */
  missed(): void;
  /** Called when it goes on after a gap, for what is not told as a change. */
  resumed?(): void;
}

/** How many milliseconds a server that has ended a subscription may take to end an idle connection, too. */
const SHUTDOWN_MS = 1000;

/** A subscription that is renewed whenever the connection is. */
export class KeptSubscription implements Subscription {
  readonly closed: Promise<Error | undefined>;
  readonly #options: SubscriptionOptions;
  readonly #stop = new AbortController();
  readonly #backoff: Backoff;
  readonly #watcher: Watcher;
  #accepted: AcceptedTopics | undefined;
  #agreed!: () => void;
  #resolveClosed!: (reason: Error | undefined) => void;

  constructor(options: SubscriptionOptions) {
    if (typeof options.listener !== "function") {
      const expected = "a function that hears of changes second: subscribe(filter, listener)";
      throw invalidCall("subscribe", expected, options.listener);
    }
    expectOption("filter", options.filter, isFilter(options.filter), "{ tools, prompts, resources, uris }");
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
      notification: (message) => options.notification(message),
    };
  }

  get accepted(): AcceptedTopics {
    return this.#accepted ?? NOTHING_ACCEPTED;
  }

  /** Whether the server has said what it agrees to. Until then, nothing on the stream belongs to the subscription. */
  get isAccepted(): boolean {
    return this.#accepted !== undefined && !this.#stop.signal.aborted;
  }

  /** Asks the server; resolves when it has said what it agrees to. */
  async start(): Promise<this> {
    const agreed = new Promise<undefined>((resolve) => {
      this.#agreed = () => resolve(undefined);
    });
    void this.#keep();
    const error = await Promise.race([agreed, this.closed]);
    if (error !== undefined) throw error;
    // The end of the client is no failure for a subscription that was accepted, but it is for one that was not.
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

  /** Takes an announcement to the whole connection, in eras in which changes are announced like that. */
  announce(message: NotificationMessage): void {
    const change = toChange(message);
    if (change !== undefined && covers(this.accepted, change)) this.#tell(change);
  }

  /** Announces everything that may have changed while the server could not be heard. */
  catchUp(): void {
    for (const change of changesMissed(this.accepted)) this.#tell(change);
    if (!this.#stop.signal.aborted) this.#options.resumed?.();
  }

  #accept(filter: AcceptedTopics): void {
    this.#backoff.succeeded();
    const isRenewed = this.#accepted !== undefined;
    this.#accepted = filter;
    this.#agreed();
    if (!isRenewed) return;
    // Caches are cleared first: a listener that looks again must not find what they kept from before.
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
          if (await this.#isDecision(await this.#watch(connection))) break;
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
   * Watches until the server ends that, and resolves to the connection that was used last: if the server has forgotten the
   * session, a new one is opened, as for any call.
   */
  async #watch(connection: Connection): Promise<Connection> {
    const begin = (over: Connection): Promise<void> => over.agreement.era.watch(over, this.#watcher);
    try {
      await begin(connection);
      return connection;
    } catch (error) {
      if (!isSessionLoss(error)) throw error;
      const renewed = await untilAborted(this.#options.link.renew(connection), this.#stop.signal).catch((cause) => {
        // A failed negotiation is no refusal of the subscription: the server may come back.
        throw cause instanceof AuthError ? cause : error;
      });
      await begin(renewed);
      return renewed;
    }
  }

  /**
   * Whether a server that has ended the subscription properly does not want it renewed. A server that shuts down ends all
   * subscriptions like this (2026-07-28, "Graceful Closure"), and its successor has to be asked again. Where there is a
   * connection, the server then ends it, too; if it does not, it means this subscription, which is not renewed. Over HTTP, a
   * restart or the time limit of a platform looks the same as a decision. So the server is asked again, as rarely as after a
   * failure; it can refuse by an error.
   */
  async #isDecision(connection: Connection): Promise<boolean> {
    if (connection.transport.hasHeaders) return false;
    const { timeout, link } = this.#options;
    const { signal } = this.#stop;
    // Before it ends the connection, the server answers the calls that are under way.
    const isBusy = connection.transport.caller.pendingCalls().length > 0;
    const longest = isBusy ? MAX_SHUTDOWN_MS : Math.min(timeout, SHUTDOWN_MS);
    await Promise.race([untilOver(connection.over.signal, signal), wait(longest, signal)]);
    return link.current === connection || link.over.aborted;
  }

  #end(reason: Error | undefined): void {
    const isWanted = this.#stop.signal.aborted || (reason instanceof TransportError && reason.code === "CLOSED");
    this.#stop.abort();
    this.#resolveClosed(isWanted ? undefined : reason);
  }
}

/** Whether asking again is useless. */
function isFinal(error: unknown): boolean {
  const isRefused = error instanceof RpcError && !isTemporary(error);
  return isRefused || error instanceof AuthError || error instanceof ProtocolViolation;
}
