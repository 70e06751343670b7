/** What comes of something that took too long. */
export const TIMED_OUT: unique symbol = Symbol();

/** Waits for something, but no longer than so many milliseconds. */
export function withTimeout<T>(ms: number, work: Promise<T>): Promise<T | typeof TIMED_OUT> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, TIMED_OUT);
    work.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
