/** The options of the command line. */
import { parseArgs } from "node:util";

/** A run as it was asked for. */
export interface Request {
  readonly isHelp: boolean;
  readonly isList: boolean;
  readonly isQuick: boolean;
  readonly isThorough: boolean;
  readonly isEverything: boolean;
  /** Contenders, or all. */
  readonly only: readonly string[] | undefined;
  /** Patterns of scenarios, or the usual ones. */
  readonly scenarios: readonly string[] | undefined;
  readonly jsonFile: string | undefined;
  readonly rounds: number | undefined;
  /** Another checkout whose Toolwire takes part as `before`. */
  readonly compare: string | undefined;
}

export const HELP = `Measures Toolwire, other SDKs and bare Node against each other.

  npm run bench                      all targets, about seven minutes; writes apps/bench/RESULTS.md, the plots and
                                     the table in README.md
  npm run bench -- --thorough        the same with more and longer rounds, twelve minutes: for publishing
  npm run bench -- --quick           the most telling scenarios, one minute; writes nothing

  --only toolwire,v2                 these contenders only (the bare baseline always takes part)
  --scenario 'stdio-*,startup'       these scenarios only; * stands for anything; writes nothing
  --all                              every scenario there is, with or without a target
  --list                             names the scenarios and ends
  --rounds 7                         how often each contender is measured in each scenario
  --compare FOLDER                   also measures Toolwire as another checkout has it, which must be built, in turn
                                     with this one; writes nothing
  --json FILE                        also writes every figure of every round as JSON
  --help                             shows this
`;

/** Reads the arguments; throws for those that make no sense. */
export function readCommandLine(args: readonly string[]): Request {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      thorough: { type: "boolean", default: false },
      all: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      only: { type: "string" },
      scenario: { type: "string" },
      json: { type: "string" },
      rounds: { type: "string" },
      compare: { type: "string" },
    },
  });
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
    throw new Error(`--rounds takes a whole number above 0, not "${values.rounds}".`);
  }
  return {
    isHelp: values.help,
    isQuick: values.quick,
    isThorough: values.thorough,
    isEverything: values.all,
    isList: values.list,
    only: values.only?.split(","),
    scenarios: values.scenario?.split(","),
    jsonFile: values.json,
    rounds,
    compare: values.compare,
  };
}

/** Whether an id fits one of some patterns in which `*` stands for anything. */
export function matchesAny(id: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const source = pattern
      .split("*")
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join(".*");
    return new RegExp(`^${source}$`).test(id);
  });
}
