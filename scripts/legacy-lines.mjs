// The only lines outside of `src/legacy/` that may name it: at most three a package. Without these lines and the folders,
// the packages compile and serve the modern era; `check-legacy.mjs` proves it.

/**
 * By package, then by file: the lines, exactly as they are written, without indentation.
 *
 * @type {Record<string, Record<string, string[]>>}
 */
export const LEGACY_LINES = {
  client: {},
  protocol: {},
  server: {},
};

/** How many lines a package may have in the table. */
export const MOST_LEGACY_LINES = 3;
