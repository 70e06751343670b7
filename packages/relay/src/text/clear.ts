/**
 * Takes out of a value that is JSON, a text included, what callers must not see, such as the credentials that an upstream was sent.
 * Returns the value itself if nothing of that is in it. `known` is what the caller has sent: it may stay, because an answer that
 * lacks it would tell the caller whether a guess was right.
 */
export type Clear = <T>(value: T, known?: readonly unknown[]) => T;

/** Leaves everything as it is: for upstreams that are sent no secrets. */
export const clearNothing: Clear = (value) => value;
