import type { Exclusion } from "../exclusions.ts";
import type { Revision } from "@toolwire/protocol";
import {
  CLIENT_BINDINGS,
  SERVER_BINDINGS,
  type ClientBinding,
  type Runtime,
  type ServerBinding,
} from "../runtimes/runtime.ts";

/** Which half of the protocol runs in the runtime; the other one runs in the Node that runs this. */
export type Half = "server" | "client";

/** The revisions that everything is tried in: one of each era. */
export const REVISIONS: readonly Revision[] = ["2026-07-28", "2025-11-25"];

/** One half in one runtime over one binding. */
export type Pair =
  | { readonly half: "server"; readonly runtime: Runtime; readonly binding: ServerBinding }
  | { readonly half: "client"; readonly runtime: Runtime; readonly binding: ClientBinding };

/**
 * The pairs to run, and those that are neither run nor excluded, which are gaps to report. Whether all exclusions are
 * needed can be told only if all runtimes are here.
 */
export function listPairs(
  runtimes: readonly Runtime[],
  exclusions: readonly Exclusion[],
  areAllHere: boolean,
): { readonly pairs: readonly Pair[]; readonly problems: readonly string[] } {
  const all = runtimes.flatMap((runtime): Pair[] => [
    ...SERVER_BINDINGS.map((binding) => ({ half: "server", runtime, binding }) as const),
    ...CLIENT_BINDINGS.map((binding) => ({ half: "client", runtime, binding }) as const),
  ]);
  const isWhole = (pair: Pair): boolean =>
    exclusions.some((exclusion) => exclusion.steps === undefined && concerns(exclusion, pair));
  const forgotten = all.filter((pair) => !hasProgram(pair) && !isWhole(pair));
  const needless = all.filter((pair) => hasProgram(pair) && isWhole(pair));
  const unused = exclusions.filter((exclusion) => areAllHere && !all.some((pair) => concerns(exclusion, pair)));
  return {
    pairs: all.filter((pair) => hasProgram(pair) && !isWhole(pair)),
    problems: [
      ...forgotten.map((pair) => `${describePair(pair)}: neither run nor excluded, with a reason, in exclusions.ts`),
      ...needless.map((pair) => `${describePair(pair)}: excluded, although there is a program for it`),
      ...unused.map(
        ({ runtime, reason }) => `The exclusion of ${runtime.source} (${reason}) excludes nothing: remove it.`,
      ),
    ],
  };
}

/** Whether an exclusion is about this pair, or some of its steps. */
export function concerns({ runtime, half, bindings }: Exclusion, pair: Pair): boolean {
  return half === pair.half && runtime.test(pair.runtime.title) && bindings.includes(pair.binding);
}

/** For people. */
export function describePair({ half, runtime, binding }: Pair): string {
  return `${half} in ${runtime.title}, ${binding}`;
}

function hasProgram({ half, runtime, binding }: Pair): boolean {
  return half === "server" ? runtime.servers[binding] !== undefined : runtime.clients.includes(binding);
}
