/** Whether a value has to be awaited. Handlers may return promises of other libraries. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** Continues with a value at once, or with a promised one later. A value at hand costs no promise. */
export function whenReady<T, R>(value: T | PromiseLike<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return isThenable(value) ? Promise.resolve(value).then(next) : next(value);
}
