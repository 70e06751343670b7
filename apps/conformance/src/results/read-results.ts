import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";

/** The suite's findings about one requirement. */
export interface Check {
  readonly id: string;
  readonly name: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string | undefined;
}

/** The suite's findings in one scenario. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly checks: readonly Check[];
}

/** Reads the directory that the suite wrote with `-o`: a folder for each scenario, with a time in its name. */
export function readResults(directory: string): ScenarioResult[] {
  return (readdirSync(directory, { recursive: true }) as string[])
    .filter((path) => basename(path) === "checks.json")
    .toSorted()
    .map((path) => ({
      scenario: scenarioOf(dirname(path).split(sep).join("/")),
      checks: JSON.parse(readFileSync(join(directory, path), "utf8")) as Check[],
    }));
}

/** `server-ping-2026-11-16T03-00-00-000Z` is a run of the scenario `ping`. */
function scenarioOf(folder: string): string {
  const name = folder.replace(/-\d{4}-\d\d-\d\dT[^/]*$/, "");
  return name.replace(/^server-(?=.)/, "");
}
