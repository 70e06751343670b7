// The only lines outside of `src/legacy/` that may name it: at most three a package. Without these lines and the folders,
// the packages compile and serve the modern era; `check-legacy.mjs` proves it.

/**
 * By package, then by file: the lines, exactly as they are written, without indentation.
 *
 * @type {Record<string, Record<string, string[]>>}
 */
export const LEGACY_LINES = {
  client: {
    "src/all-eras.ts": [
      'import { legacyEra } from "./legacy/era.ts";',
      "legacyEra, // Without this line and its import, clients speak the modern era only.",
    ],
    "src/http.ts": ['export { createSsePairChannel } from "./legacy/http/sse-pair.ts";'],
  },
  protocol: {
    "src/internal.ts": ['export * from "./legacy/index.ts";'],
  },
  server: {
    "src/http-without-node.ts": ['export * from "./legacy/http/index.ts";'],
    "src/older-eras.ts": ['export * from "./legacy/era.ts";'],
    "src/older-http-eras.ts": ['export * from "./legacy/http/endpoint.ts";'],
  },
};

/** How many lines a package may have in the table. */
export const MOST_LEGACY_LINES = 3;
