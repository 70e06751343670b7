/** Decides what a run measures, and how thoroughly. */
import { clients } from "./clients/index.ts";
import type { ClientContender } from "./clients/client.ts";
import { matchesAny, type Request } from "./command-line.ts";
import type { Contender } from "./contenders/contender.ts";
import { contenders } from "./contenders/index.ts";
import { growthIds } from "./measure/growth.ts";
import type { Effort } from "./measure/race.ts";
import { BEFORE } from "./processes/programs.ts";
import { clientScenarios } from "./workload/client-scenarios.ts";
import type { ClientScenario, ServerScenario } from "./workload/scenario.ts";
import { serverScenarios } from "./workload/server-scenarios.ts";

/** Everything that is measured outside of a race, by id. */
const OTHER_IDS = ["authorization", "startup", "memory", "bundle-size", "installed-size", "type-checking"] as const;

/** The measurements of a run. */
export interface Plan {
  readonly servers: readonly ServerScenario[];
  readonly clients: readonly ClientScenario[];
  readonly others: ReadonlySet<string>;
  readonly growth: readonly string[];
  readonly contenders: readonly Contender[];
  readonly clientContenders: readonly ClientContender[];
  readonly effort: Effort;
  /** Growth needs no precision: what matters is the shape of the line. */
  readonly growthEffort: Effort;
  /** Whether the results are those that are published. */
  readonly isComplete: boolean;
}

const QUICK = [
  "http-modern-json-echo-c16",
  "http-modern-json-list-100tools-c16",
  "http-modern-sse-echo-c16",
  "http-session-json-echo-c64",
  "stdio-modern-echo-w64",
  "websocket-modern-echo-w64",
  "memory-modern-echo-w64",
  "client-http-json-w64",
  "bundle-size",
];

/** The longer, the steadier: caches are cold at the beginning of a window, and compilers busy for seconds. */
const EFFORTS: Readonly<Record<"quick" | "usual" | "thorough", Effort>> = {
  quick: { rounds: 5, warmUpMs: 800, settleMs: 10, windowMs: 70 },
  usual: { rounds: 5, warmUpMs: 800, settleMs: 10, windowMs: 100 },
  thorough: { rounds: 7, warmUpMs: 2_500, settleMs: 20, windowMs: 250 },
};

/** Every scenario that can be asked for. */
export function listScenarios(): string[] {
  return [...serverScenarios(), ...clientScenarios()].map(({ id }) => id).concat(OTHER_IDS, growthIds);
}

/** Makes a plan; throws if nothing is left to be done. */
export function makePlan(request: Request): Plan {
  const { isQuick, isThorough, isEverything, only, scenarios, rounds, compare } = request;
  const effort = EFFORTS[isQuick ? "quick" : isThorough ? "thorough" : "usual"];
  const isWanted = (id: string, isUsual: boolean): boolean => {
    if (scenarios !== undefined) return matchesAny(id, scenarios);
    if (isQuick) return QUICK.includes(id);
    return isUsual || isEverything;
  };
  // The other checkout knows these rows only if it has them, too.
  const isComparable = ({ isPublished }: ServerScenario): boolean => compare === undefined || isPublished !== true;
  const isContender = ({ name }: { name: string }): boolean =>
    only === undefined || name === "raw" || only.includes(name);
  const plan = {
    servers: serverScenarios()
      .filter(({ id, target, isPublished }) => isWanted(id, target !== undefined || isPublished === true))
      .filter(isComparable),
    clients: clientScenarios().filter(({ id, target }) => isWanted(id, target !== undefined)),
    others: new Set(OTHER_IDS.filter((id) => isWanted(id, true))),
    growth: growthIds.filter((id) => isWanted(id, true)),
  };
  if (plan.servers.length + plan.clients.length + plan.others.size + plan.growth.length === 0) {
    throw new Error("No scenario fits. --list names them all.");
  }
  return {
    ...plan,
    contenders: withBefore(contenders.filter(isContender), compare),
    clientContenders: withBefore(clients.filter(isContender), compare),
    effort: rounds === undefined ? effort : { ...effort, rounds },
    growthEffort: isThorough ? EFFORTS.quick : { ...EFFORTS.quick, rounds: 1, warmUpMs: 200 },
    isComplete: scenarios === undefined && only === undefined && compare === undefined && !isQuick,
  };
}

/** Toolwire a second time, right after itself, if there is a checkout to compare with. */
function withBefore<T extends { readonly name: string }>(all: readonly T[], compare: string | undefined): T[] {
  if (compare === undefined) return [...all];
  return all.flatMap((each) => (each.name === "toolwire" ? [each, { ...each, name: BEFORE }] : [each]));
}
