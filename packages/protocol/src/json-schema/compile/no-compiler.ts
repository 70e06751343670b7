import type { Compile } from "./loading.ts";

/**
 * Stands in for ajv in bundles for browsers, workers and edge runtimes: most of them forbid generating code, and none should
 * have to carry a compiler that is there for servers under load.
 */
export const compile: Compile = () => {
  throw new Error("Schemas are not compiled on this platform.");
};
