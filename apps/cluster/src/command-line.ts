import { parseArgs } from "node:util";
import { ENGINE_NAMES, type EngineName } from "./engines/engine.ts";

/** What is broken: everything, only streams, or nothing. */
export type Faults = (typeof FAULTS)[number];
const FAULTS = ["all", "streams", "none"] as const;

/** A run as it was asked for. */
export interface Request {
  readonly isHelp: boolean;
  readonly engines: readonly EngineName[];
  readonly nodes: readonly number[];
  readonly calls: number;
  readonly seed: number;
  readonly faults: Faults;
  readonly isQuick: boolean;
  /** The file for everything that was found out. */
  readonly json: string | undefined;
  /** Whether to put the figures into the document. */
  readonly isPublished: boolean;
}

export const HELP: string = `Breaks machines, connections and engines under load, and accounts for every call.

  npm run cluster                    all engines, with 2, 4 and 8 processes
  npm run cluster:short              all engines with 2 processes, a few hundred calls, every fault once

  --engine redis                     some engines only: ${ENGINE_NAMES.join(", ")}
  --nodes 2,4,8                      how many processes serve
  --calls 10000                      how many calls of each era are made, with each engine and number of processes
  --seed 7                           chooses other calls and faults
  --faults streams                   breaks only streams; none breaks nothing, and the default is all
  --quick                            the defaults of the short form
  --json out.json                    writes everything that was found out to a file
  --write                            puts the figures into docs/cluster.md
  --help                             shows this

Exits with 1 if any promise was broken.
`;

const MAX_NODES = 16;

/** Reads the arguments; throws for those that make no sense. */
export function readCommandLine(args: readonly string[]): Request {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", default: false },
      engine: { type: "string", default: ENGINE_NAMES.join(",") },
      nodes: { type: "string" },
      calls: { type: "string" },
      seed: { type: "string", default: "1" },
      faults: { type: "string", default: "all" },
      quick: { type: "boolean", default: false },
      json: { type: "string" },
      write: { type: "boolean", default: false },
    },
  });
  const { quick: isQuick, nodes = isQuick ? "2" : "2,4,8", calls = isQuick ? "300" : "10000" } = values;
  return {
    isHelp: values.help,
    engines: values.engine.split(",").map((name) => readName("engine", name, ENGINE_NAMES)),
    nodes: nodes.split(",").map((number) => readNumber("nodes", number, 2, MAX_NODES)),
    calls: readNumber("calls", calls, 100),
    seed: readNumber("seed", values.seed, 0),
    faults: readName("faults", values.faults, FAULTS),
    isQuick,
    json: values.json,
    isPublished: values.write,
  };
}

function readName<T extends string>(option: string, text: string, names: readonly T[]): T {
  const found = names.find((name) => name === text);
  if (found !== undefined) return found;
  throw new Error(`--${option} takes one of ${names.join(", ")}, not ${JSON.stringify(text)}.`);
}

function readNumber(name: string, text: string, least: number, most: number = Number.MAX_SAFE_INTEGER): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(number) && number >= least && number <= most) return number;
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new Error(`--${name} takes a whole number ${range}, not ${JSON.stringify(text)}.`);
}
