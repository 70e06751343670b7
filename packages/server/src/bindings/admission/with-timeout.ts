/** The outcome of work that took too long. */
export const TIMED_OUT: unique symbol = Symbol("timed out");

/** Waits for work, but no longer than so many milliseconds. Resolves with {@link TIMED_OUT} then. */
export function withTimeout<T>(ms: number, work: Promise<T>): Promise<T | typeof TIMED_OUT> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, TIMED_OUT);
    work.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
