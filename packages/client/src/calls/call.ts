import type { CallToolParams } from "@toolwire/protocol";
import type { CallSink } from "@toolwire/protocol/internal";
import type { Connection } from "../connection/connection.ts";
import type { KnownTool } from "../catalog/catalog.ts";
import type { GuardedRequest } from "../guarded-observer.ts";
import { inTime, type PausedTime } from "../waiting.ts";
import type { RequestOptions } from "../call-options.ts";

/** The time limits of calls that set none. */
export interface CallTimes {
  readonly timeout: number;
  readonly maxTimeout: number;
  /** The milliseconds so far in which no time counted for calls. */
  readonly pausedTime?: PausedTime;
}

/** A clock that stands still while no time counts for calls. */
function clockOf({ pausedTime }: Pick<CallTimes, "pausedTime">): number {
  return performance.now() - (pausedTime?.() ?? 0);
}

/** Decides what happens to a call when a result or an error comes back. */
export interface CallOwner {
  readonly times: CallTimes;
  /** Returns the final result, or a promise of it. Throws if the result is invalid. */
  accept(call: Call, result: object): object | Promise<object>;
  /** Resolves to the final result after another attempt, or rejects. */
  recover(call: Call, error: unknown): Promise<object>;
}

/** Notes about a result, for the sender of the call. */
export interface CallNote {
  /** Whether the result depends on answers of this user, so that it must not be shared. */
  wasAnswered?: boolean;
}

const NO_RECOVERIES: readonly string[] = [];

/** A call: a request, sent as often as necessary until there is a final result. */
export class Call implements CallSink {
  readonly method: string;
  /** The parameters as the caller gave them. */
  readonly params: object | undefined;
  readonly options: RequestOptions;
  readonly note: CallNote | undefined;
  /** The parameters as they are sent now, with answers to the server's questions. */
  sent: object | undefined;
  /** The tool that is called, if it is known. */
  tool: KnownTool | undefined;
  /** The observation of the request that was sent last. */
  observation: GuardedRequest | undefined;
  /** How often the server has asked for input. */
  rounds = 0;
  /** The failures that the call was already sent again for. A lost session counts up to three times, others once. */
  recoveries: readonly string[] = NO_RECOVERIES;
  /** When the call is given up regardless of progress: a time of {@link clockOf}. */
  latest: number;
  connection!: Connection;
  readonly #owner: CallOwner;
  /** The whole milliseconds of work for the call since the last answer of the server. Mostly 0. */
  #spent: number;
  #wasAnswered = false;
  #resolve!: (result: object | Promise<object>) => void;
  #reject!: (error: unknown) => void;

  constructor(
    owner: CallOwner,
    method: string,
    params: object | undefined,
    options: RequestOptions,
    note: CallNote | undefined,
    spent: number,
  ) {
    this.#owner = owner;
    this.method = method;
    this.params = params;
    this.sent = params;
    this.options = options;
    this.note = note;
    this.#spent = spent;
    this.latest = clockOf(owner.times) - spent + ceilingOf(options, owner.times);
  }

  /** The name of the tool that is called. */
  get toolName(): string {
    return (this.params as CallToolParams).name;
  }

  /** The headers that repeat arguments of the call. */
  get headers(): Readonly<Record<string, string>> | undefined {
    return this.tool?.paramHeaders?.((this.params as CallToolParams).arguments ?? {});
  }

  /** Sets the functions that get the outcome of the next sending. */
  awaitedBy(resolve: (result: object | Promise<object>) => void, reject: (error: unknown) => void): void {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Whether none of its time is used up, so that nothing needs to be calculated. */
  get isFresh(): boolean {
    return this.#spent === 0 && !this.#wasAnswered;
  }

  /** Whether all of its time is used up, progress or not. */
  get isOverdue(): boolean {
    return clockOf(this.#owner.times) >= this.latest;
  }

  /** The time that is left for the next sending. */
  get timeLeft(): CallTimes {
    const { timeout = this.#owner.times.timeout } = this.options;
    return {
      timeout: Math.max(timeout - this.#spent, 1),
      maxTimeout: Math.max(this.latest - clockOf(this.#owner.times), 1),
    };
  }

  /**
   * Waits for work that is done for the call, no longer than the call itself may take, or until it is cancelled. The time
   * that this takes is deducted from the time of the server.
   */
  async waitFor<T>(work: Promise<T>, doing: string): Promise<T> {
    const { timeout, maxTimeout } = this.timeLeft;
    const { times } = this.#owner;
    const start = clockOf(times);
    const message = `No answer to ${this.method} in time: ${doing} took all of it.`;
    try {
      const limit = Math.min(timeout, maxTimeout);
      return await inTime(limit, message, [this.options.signal], () => work, false, times.pausedTime);
    } finally {
      this.#spent += Math.ceil(clockOf(times) - start);
    }
  }

  result(result: object): void {
    this.#touch();
    try {
      this.#resolve(this.#owner.accept(this, result));
    } catch (error) {
      this.#reject(error);
    }
  }

  failed(error: unknown): void {
    this.#touch();
    this.#resolve(this.#owner.recover(this, error));
  }

  /** Resets the time without an answer. */
  #touch(): void {
    this.#spent = 0;
    this.#wasAnswered = true;
  }
}

/** The time that a call has regardless of progress: at least its own `timeout`, unless it sets `maxTimeout`. */
export function ceilingOf({ timeout = 0, maxTimeout }: RequestOptions, times: CallTimes): number {
  return maxTimeout ?? Math.max(times.maxTimeout, timeout);
}
