import { UsageError } from "@toolwire/server";

/** Where a value is in a configuration: the keys from the root down. */
export type ConfigPath = readonly (string | number)[];

/** Something that is wrong with a configuration, or that its author should know. */
export interface ConfigProblem {
  /** A configuration with an error is not used, unless the error says that it `keepsRunning`. */
  readonly severity: "error" | "warning";
  /** An error that concerns one part alone: that part cannot work, and a gateway serves all others. */
  readonly keepsRunning?: true;
  readonly path: ConfigPath;
  /** The expectation, and what to do. Never contains the value of a credential. */
  readonly message: string;
  readonly file?: string | undefined;
  /** Begin at 1. Absent if the configuration is no text. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** Writes a problem on one line, as compilers do: `gateway.yaml:4:5: error: servers.weather.status: …`. */
export function describeProblem({ severity, path, message, file, line, column }: ConfigProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return [place, severity, writeConfigPath(path), message].filter((part) => part !== "").join(": ");
}

/** Writes a path as people do: `servers.my-weather.tools.get_weather`. */
export function writeConfigPath(path: ConfigPath): string {
  let text = "";
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else if (!/^[\w$-]+$/.test(key)) text += `[${JSON.stringify(key.slice(0, 80))}]`;
    else text += text === "" ? key : `.${key}`;
  }
  return text;
}

/** Whether a problem keeps a gateway from using the configuration. */
export function isFatal({ severity, keepsRunning }: ConfigProblem): boolean {
  return severity === "error" && keepsRunning !== true;
}

/** A configuration that cannot be used, with everything that is wrong with it. */
export class ConfigError extends UsageError {
  readonly problems: readonly ConfigProblem[];

  constructor(what: string, problems: readonly ConfigProblem[]) {
    const lines = problems.map((problem) => `- ${describeProblem(problem).replace("error: ", "")}`);
    super("INVALID_DEFINITION", `${what}:\n${lines.join("\n")}`);
    this.problems = problems;
  }
}

/** Whether nothing is wrong enough to refuse the configuration. */
export function isUsable(problems: readonly ConfigProblem[]): boolean {
  return !problems.some(isFatal);
}

/** Problems in the order of their lines. */
export function sortProblems(problems: readonly ConfigProblem[]): ConfigProblem[] {
  return problems.toSorted(
    (one, other) => (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0),
  );
}
