import { parseArgs } from "node:util";
import { ENGINE_NAMES, type EngineName } from "./engines/engine.ts";

/** A run as it was asked for. */
export interface Request {
  readonly isHelp: boolean;
  readonly engines: readonly EngineName[];
  readonly nodes: readonly number[];
  readonly calls: number;
  readonly seed: number;
  readonly hasFaults: boolean;
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
  --faults none                      breaks nothing; the default is all
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
  const { quick: isQuick, faults, nodes = isQuick ? "2" : "2,4,8", calls = isQuick ? "300" : "10000" } = values;
  if (faults !== "all" && faults !== "none") {
    throw new Error(`--faults takes all or none, not ${JSON.stringify(faults)}.`);
  }
  return {
    isHelp: values.help,
    engines: values.engine.split(",").map(readEngine),
    nodes: nodes.split(",").map((number) => readNumber("nodes", number, 2, MAX_NODES)),
    calls: readNumber("calls", calls, 100),
    seed: readNumber("seed", values.seed, 0),
    hasFaults: faults === "all",
    isQuick,
    json: values.json,
    isPublished: values.write,
  };
}

function readEngine(text: string): EngineName {
  const engine = ENGINE_NAMES.find((name) => name === text);
  if (engine === undefined) {
    throw new Error(`--engine takes some of ${ENGINE_NAMES.join(", ")}, not ${JSON.stringify(text)}.`);
  }
  return engine;
}

function readNumber(name: string, text: string, least: number, most: number = Number.MAX_SAFE_INTEGER): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(number) && number >= least && number <= most) return number;
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new Error(`--${name} takes a whole number ${range}, not ${JSON.stringify(text)}.`);
}
