import { parseArgs } from "node:util";
import { STORE_NAMES, type StoreName } from "./stores/store.ts";

/** A run as it was asked for. */
export interface Request {
  readonly isHelp: boolean;
  readonly stores: readonly StoreName[];
  /** How many tasks each run has in whose middle workers are killed. */
  readonly tasks: number;
  /** How long a worker's claim on a task holds, in milliseconds: so long a task rests whose worker was killed. */
  readonly lease: number;
  /** Whether to measure as well. */
  readonly isMeasured: boolean;
  /** Whether to put the tables into the document. */
  readonly isPublished: boolean;
}

export const HELP: string = `Kills the workers of tasks, and accounts for every task.

  npm run tasks                      all stores, 1000 tasks each, figures, and the tables in docs/tasks-under-faults.md
  npm run tasks:short                all stores, 60 tasks each

  --store files                      some stores only: ${STORE_NAMES.join(", ")}
  --tasks 1000                       how many tasks there are in each run
  --lease 2000                       how long a worker's claim on a task holds, in milliseconds
  --quick                            the defaults of the short form
  --write                            puts the tables into the document
  --help                             shows this

Exits with 1 if any promise was broken.
`;

/** Reads the arguments; throws for those that make no sense. */
export function readCommandLine(args: readonly string[]): Request {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", default: false },
      store: { type: "string", default: STORE_NAMES.join(",") },
      tasks: { type: "string" },
      lease: { type: "string" },
      quick: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
    },
  });
  const { quick: isQuick, tasks = isQuick ? "60" : "1000", lease = isQuick ? "1500" : "2000" } = values;
  return {
    isHelp: values.help,
    stores: values.store.split(",").map(readStore),
    tasks: readNumber("tasks", tasks, 10),
    lease: readNumber("lease", lease, 500),
    isMeasured: !isQuick,
    isPublished: values.write,
  };
}

function readStore(text: string): StoreName {
  const found = STORE_NAMES.find((name) => name === text);
  if (found !== undefined) return found;
  throw new Error(`--store takes one of ${STORE_NAMES.join(", ")}, not ${JSON.stringify(text)}.`);
}

function readNumber(name: string, text: string, least: number): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(number) && number >= least) return number;
  throw new Error(`--${name} takes a whole number of at least ${least}, not ${JSON.stringify(text)}.`);
}
