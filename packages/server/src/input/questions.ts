import { UsageError, type InputRequest, type InputRequiredResult, type RetryParams } from "@toolwire/protocol";
import type { Awaitable } from "../define/tool.ts";
import { expectKey, expectWork } from "./ask.ts";

/** What an answer was read to be: a value to go on with, or a reason why it is none. */
export type Reading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** How a request asks its client: by sending requests, or by an interim answer and being run again. */
export interface Questions {
  /** Asks, and resolves to what `read` makes of the answer. */
  ask<T>(key: string, request: InputRequest, read: (answer: unknown) => Awaitable<Reading<T>>): Promise<T>;
  /** Does something once for this request, however often its handler runs. */
  once<T>(key: string, work: () => Awaitable<T>): Promise<T>;
  /** The interim answer, if there are questions that only the next round can answer. */
  interim(): Promise<InputRequiredResult> | undefined;
  /** Takes up the answers that came with the request. */
  resume(params: RetryParams): Promise<void>;
  /** The request is about to be answered: what the client was asked meanwhile, and not answered, is taken back. */
  end?(): void;
}

/** Makes sure that no two questions of a request have the same key, by which their answers are told apart. */
export class Keys {
  readonly #used = new Set<string>();

  claim(key: string): void {
    if (this.#used.has(key)) {
      throw new UsageError(
        "INVALID_ARGUMENT",
        `The key "${key}" was used for another question of this request: give each its own.`,
      );
    }
    this.#used.add(key);
  }
}

/** Work done once per key; whoever asks again while it is under way waits for the same outcome. */
export class Memo {
  readonly #results = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Awaitable<T>): Promise<T> {
    expectKey(key, "once");
    expectWork(work);
    let result = this.#results.get(key);
    if (result === undefined) {
      // `async` makes a promise of what is thrown at once.
      result = (async () => work())();
      this.#results.set(key, result);
    }
    return result as Promise<T>;
  }

  /** What has succeeded, once everything under way has ended. */
  async settled(): Promise<Map<string, unknown>> {
    const done = new Map<string, unknown>();
    for (const [key, result] of this.#results) {
      try {
        done.set(key, await result);
      } catch {
        // Failed work is done again in the next round.
      }
    }
    return done;
  }
}
