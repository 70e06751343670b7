/** Whether something has to be awaited. Handlers may return promises of any make. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** Goes on with a value now, or with a promised one later; so that what need not wait costs no promise. */
export function whenReady<T, R>(value: T | PromiseLike<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return isThenable(value) ? Promise.resolve(value).then(next) : next(value);
}
