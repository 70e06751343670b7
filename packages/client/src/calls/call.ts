import type { CallToolParams } from "@toolwire/protocol";
import type { CallSink } from "@toolwire/protocol/internal";
import type { Connection } from "../connection/connection.ts";
import type { KnownTool } from "../catalog/catalog.ts";
import { inTime } from "../waiting.ts";
import type { RequestOptions } from "./options.ts";

/** The time that calls have which do not say. */
export interface CallTimes {
  readonly timeout: number;
  readonly maxTimeout: number;
}

/** What happens to a call when something has come back for it. */
export interface CallOwner {
  readonly times: CallTimes;
  /** The final result, or the promise of one. Throws if it is none. */
  accept(call: Call, result: object): object | Promise<object>;
  /** The final result after all, or a rejection. */
  mend(call: Call, error: unknown): Promise<object>;
}

/** What whoever made a call may want to know about its result. */
export interface CallNote {
  /** It depends on answers that the server was given, which nobody else can be assumed to give. */
  wasAnswered?: boolean;
}

const NOTHING_MENDED: readonly string[] = [];

/** A request on its way, however often it has to be sent until there is a final result. */
export class Call implements CallSink {
  readonly method: string;
  /** As the caller gave them. */
  readonly params: object | undefined;
  readonly options: RequestOptions;
  readonly note: CallNote | undefined;
  /** As they are sent now: with answers to what the server asked. */
  sent: object | undefined;
  /** The tool that is called, if it is known. */
  tool: KnownTool | undefined;
  /** How often the server has asked something. */
  rounds = 0;
  /** The failures that the call was already sent again for. A lost session counts up to three times, others once. */
  mended: readonly string[] = NOTHING_MENDED;
  /** When it is given up whatever happens: in milliseconds of `performance.now()`. */
  latest: number;
  connection!: Connection;
  readonly #owner: CallOwner;
  /** Whole milliseconds of work on its behalf since the server was last heard of. Most calls need none. */
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
    this.latest = performance.now() - spent + ceilingOf(options, owner.times);
  }

  /** The name of the tool that is called. */
  get toolName(): string {
    return (this.params as CallToolParams).name;
  }

  /** The headers that repeat arguments of the call. */
  get headers(): Readonly<Record<string, string>> | undefined {
    return this.tool?.mirror?.((this.params as CallToolParams).arguments ?? {});
  }

  /** Notes who waits for the outcome of the next sending. */
  awaitedBy(resolve: (result: object | Promise<object>) => void, reject: (error: unknown) => void): void {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Whether it has all of its time before it, so that nothing needs to be reckoned. */
  get isFresh(): boolean {
    return this.#spent === 0 && !this.#wasAnswered;
  }

  /** What is left of the time, for the next sending. */
  get timeLeft(): CallTimes {
    const { timeout = this.#owner.times.timeout } = this.options;
    return {
      timeout: Math.max(timeout - this.#spent, 1),
      maxTimeout: Math.max(this.latest - performance.now(), 1),
    };
  }

  /**
   * Waits for something that is done on behalf of the call, no longer than the call itself may take, and than its caller
   * wants it. What that takes is missing from the time that the server gets.
   */
  async waitFor<T>(work: Promise<T>, doing: string): Promise<T> {
    const { timeout, maxTimeout } = this.timeLeft;
    const start = performance.now();
    const message = `No answer to ${this.method} in time: ${doing} took all of it.`;
    try {
      return await inTime(Math.min(timeout, maxTimeout), message, [this.options.signal], () => work);
    } finally {
      this.#spent += Math.ceil(performance.now() - start);
    }
  }

  result(result: object): void {
    this.#hear();
    try {
      this.#resolve(this.#owner.accept(this, result));
    } catch (error) {
      this.#reject(error);
    }
  }

  failed(error: unknown): void {
    this.#hear();
    this.#resolve(this.#owner.mend(this, error));
  }

  /** Any answer is a sign of life, from which the time without one is counted. */
  #hear(): void {
    this.#spent = 0;
    this.#wasAnswered = true;
  }
}

/** The time that a call has whatever progress there is: no less than its own `timeout`, unless it says so. */
export function ceilingOf({ timeout = 0, maxTimeout }: RequestOptions, times: CallTimes): number {
  return maxTimeout ?? Math.max(times.maxTimeout, timeout);
}
