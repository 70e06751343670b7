import { readConfig } from "../../src/config/load-config.ts";
import { describeProblem } from "../../src/config/problem.ts";

/** Reads a configuration, and returns its problems as lines without the name of a file. */
export function problemsOf(config: unknown, env: Record<string, string | undefined> = {}): readonly string[] {
  const text = typeof config === "string" ? config : JSON.stringify(config, undefined, 1);
  return readConfig(text, { env, folder: import.meta.dirname }).problems.map(describeProblem);
}

/** The problems of a configuration whose lines and columns do not matter. */
export function messagesOf(config: unknown, env: Record<string, string | undefined> = {}): readonly string[] {
  return problemsOf(config, env).map((line) => line.replace(/^\d+:\d+: /, ""));
}
