import { parseArgs } from "node:util";
import { CELLS, type Cell } from "./cells.ts";

/** A run as it was asked for. */
export interface Request {
  readonly isHelp: boolean;
  readonly seconds: number;
  readonly seed: number;
  readonly cells: readonly Cell[];
  /** Whether to put the figures into the project's README. */
  readonly isPublished: boolean;
}

export const HELP = `Kills and restarts servers under load, and accounts for every call.

  npm run soak                       all bindings and eras for 60 seconds

  --seconds 600                      how long to make calls
  --seed 7                           chooses other calls and faults; a run tells its seed
  --only http                        one binding: stdio, http, websocket or sse
  --write                            puts the figures into README.md
  --help                             shows this

Exits with 1 if any promise was broken.
`;

/** Shorter runs have no time for a fault. */
const MIN_SECONDS = 5;

/** Reads the arguments; throws for those that make no sense. */
export function readCommandLine(args: readonly string[]): Request {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", default: false },
      seconds: { type: "string", default: "60" },
      seed: { type: "string", default: "1" },
      only: { type: "string" },
      write: { type: "boolean", default: false },
    },
  });
  const { only } = values;
  const cells = CELLS.filter(({ binding }) => only === undefined || binding === only);
  if (cells.length === 0) {
    const bindings = [...new Set(CELLS.map(({ binding }) => binding))].join(", ");
    throw new Error(`--only takes one of ${bindings}, not ${JSON.stringify(only)}.`);
  }
  if (values.write && only !== undefined) throw new Error("--write publishes a whole run: leave out --only.");
  return {
    isHelp: values.help,
    seconds: readNumber("seconds", values.seconds, MIN_SECONDS),
    seed: readNumber("seed", values.seed, 0),
    cells,
    isPublished: values.write,
  };
}

function readNumber(name: string, text: string, least: number): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(number) && number >= least) return number;
  throw new Error(`--${name} takes a whole number of at least ${least}, not ${JSON.stringify(text)}.`);
}
