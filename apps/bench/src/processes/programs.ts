/** Finds the program that runs a contender: one of this build, or of another checkout that it is compared with. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** The contender that is Toolwire as another checkout has it. */
export const BEFORE = "before";

const VARIABLE = "TOOLWIRE_BENCH_BEFORE";

/** Has all processes of this run take the contender `before` from a checkout, whose apps must be built. */
export function compareWith(checkout: string): void {
  process.env[VARIABLE] = resolve(checkout);
}

/** A compiled program, by its path in `dist`, and the name of the contender that it is to load. */
export function findProgram(contender: string, path: string): { readonly script: URL; readonly name: string } {
  if (contender !== BEFORE) return { script: new URL(`../${path}`, import.meta.url), name: contender };
  const checkout = process.env[VARIABLE];
  if (checkout === undefined) throw new Error("There is no checkout to compare with.");
  return { script: new URL(`apps/bench/dist/${path}`, pathToFileURL(`${checkout}/`)), name: "toolwire" };
}
