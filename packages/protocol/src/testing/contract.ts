import { brandError } from "@toolwire/json-schema/internal";
import { ToolwireError } from "../index.ts";

/** One rule of a contract, in a form that any test runner can run. */
export interface ContractCheck {
  /** The rule as a whole sentence, to be the name of a test. */
  readonly name: string;
  /** Tries out the rule on a fresh connection. Rejects with a {@link ContractViolation} that says what went wrong. */
  readonly run: () => Promise<void>;
}

/** A transport breaks a rule of its contract. The message says which, and what happened instead. */
export class ContractViolation extends ToolwireError {
  static {
    brandError(this, "ContractViolation");
  }

  override readonly name: string = "ContractViolation";
  readonly code = "CONTRACT_VIOLATION";
}

/** The two functions that vitest, `node:test`, jest and mocha have in common. */
export interface TestRunner {
  describe(name: string, define: () => void): unknown;
  it(name: string, run: () => Promise<void>): unknown;
}

/**
 * Registers the checks of a contract with a test runner, one test each.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 *
 * registerContract("the channel over a Unix socket", channelContract({ connect }), { describe, it });
 * ```
 */
export function registerContract(title: string, contract: readonly ContractCheck[], runner: TestRunner): void {
  runner.describe(title, () => {
    for (const { name, run } of contract) runner.it(name, run);
  });
}

/** The time limit of a check: below the five seconds that vitest and jest allow, so that the check's own words are shown. */
export const DEFAULT_TIMEOUT = 4000;

/** How many turns of the event loop a check waits for something that must not happen. */
const QUIET_TURNS = 10;

/** Waits for events on behalf of one check, within one time limit. Whatever does not happen in time is put into words. */
export class Watch {
  readonly #deadline: number;
  readonly #waiting = new Set<() => void>();

  constructor(timeout: number) {
    this.#deadline = performance.now() + timeout;
  }

  /** Says that something has happened: conditions are examined again. */
  changed(): void {
    for (const examine of this.#waiting) examine();
  }

  /** Resolves as soon as a condition holds. Rejects with `explain()` if it does not in time. */
  until(isMet: () => boolean, explain: () => string): Promise<void> {
    if (isMet()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(examine);
      };
      const examine = (): void => {
        if (!isMet()) return;
        stop();
        resolve();
      };
      const timer = setTimeout(() => {
        stop();
        reject(new ContractViolation(explain()));
      }, this.#deadline - performance.now());
      this.#waiting.add(examine);
    });
  }

  /** Settles as the given promise does, but rejects with `problem` if that takes too long. */
  async settle<T>(pending: T | Promise<T>, problem: string): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new ContractViolation(problem)), this.#deadline - performance.now());
    });
    try {
      return await Promise.race([pending, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Lets a few turns of the event loop pass, so that something wrong has the time to happen. */
  async quiet(): Promise<void> {
    for (let turn = 0; turn < QUIET_TURNS; turn++) await nextTurn();
  }
}

/** Resolves in the next turn of the event loop. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0));
}

/** How long cleaning up after a check may take, in milliseconds. */
const CLEANUP_MS = 1000;

/** Waits for the end of a connection after a check. Errors are ignored: closing has checks of its own. */
export async function cleanUp(closing: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLEANUP_MS);
  });
  await Promise.race([late, closing.catch(() => {})]);
  clearTimeout(timer);
}

/** Makes a violation of an error that no check expected. */
export function toViolation(error: unknown): ContractViolation {
  if (error instanceof ContractViolation) return error;
  return new ContractViolation(`The connection could not be tested: ${describeError(error)}.`, { cause: error });
}

/** Whether `send` or another method has returned something to wait for. */
export function isPromise(value: unknown): value is Promise<void> {
  return typeof (value as Partial<Promise<void>> | undefined)?.then === "function";
}

/** Throws a violation unless a condition holds. */
export function expect(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new ContractViolation(problem);
}

/** The message of an error, or of anything else that was thrown, without a full stop: a sentence goes on after it. */
export function describeError(error: unknown): string {
  // Not by class: jest runs tests in a realm of their own, where errors of the platform have other classes.
  const { name, message } = (error ?? {}) as { readonly name?: unknown; readonly message?: unknown };
  const words = typeof message === "string" ? `${String(name)}: ${message}` : String(error);
  return words.replace(/\.$/, "");
}
