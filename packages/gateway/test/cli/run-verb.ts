import { COMMANDS } from "../../src/cli/commands.ts";
import type { Console } from "../../src/cli/command.ts";
import { runCommandLine } from "../../src/cli/run.ts";

/** What a command has printed, and how it ended. */
export interface Ran {
  readonly code: number;
  readonly printed: string;
  readonly told: string;
}

/** Runs a command in this process, without a terminal. */
export async function runVerb(argv: readonly string[], more: Partial<Console> = {}): Promise<Ran> {
  const printed: string[] = [];
  const told: string[] = [];
  const code = await runCommandLine(COMMANDS, argv, {
    print: (line) => void printed.push(line),
    tell: (line) => void told.push(line),
    readInput: () => Promise.resolve(""),
    env: {},
    isTerminal: false,
    ...more,
  });
  return { code, printed: printed.join("\n"), told: told.join("\n") };
}
