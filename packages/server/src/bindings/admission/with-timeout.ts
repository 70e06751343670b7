/** What comes of something that took too long. */
export const LATE: unique symbol = Symbol();

/** Waits for something, but no longer than so many milliseconds. */
export function within<T>(ms: number, work: Promise<T>): Promise<T | typeof LATE> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, LATE);
    work.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
