import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Exclusion } from "../../src/exclusions.ts";
import { judgeResults } from "../../src/results/judge.ts";
import { readResults, type Check, type ScenarioResult } from "../../src/results/read-results.ts";
import { explainExclusions, listScenarios, summarize } from "../../src/results/tables.ts";
import type { RequirementSet } from "../../src/suite/requirements.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "toolwire-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

function write(path: string, checks: readonly object[]): void {
  const file = join(directory, path, "checks.json");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(checks));
}

const check = (status: Check["status"], name = "some-check", errorMessage?: string): Check => ({
  id: name,
  name,
  status,
  errorMessage,
});

const result = (scenario: string, ...checks: Check[]): ScenarioResult => ({ scenario, checks });
const set: RequirementSet = {
  revision: "2026-07-28",
  side: "server",
  scored: ["ping"],
  unscored: ["tasks-list"],
  named: [],
};

function judgeOne(...checks: Check[]): readonly string[] {
  const [verdict] = judgeResults(set, [result("ping", ...checks)], []).scenarios;
  return verdict?.problems ?? [];
}

test("readResults() reads a folder for each scenario, whatever its depth", () => {
  write("server-ping-2026-11-16T03-00-00-000Z", [{ id: "ping", name: "Ping", status: "SUCCESS" }]);
  write("server-server-stateless-2026-11-16T03-00-00-000Z", []);
  write("auth/metadata-2026-11-16T03-00-00-000Z", []);

  expect(readResults(directory).map(({ scenario }) => scenario)).toEqual(["auth/metadata", "ping", "server-stateless"]);
});

test("judgeResults() passes what succeeded, and what is said besides", () => {
  expect(judgeOne(check("SUCCESS"), check("INFO"))).toEqual([]);
});

test.each(["FAILURE", "WARNING", "SKIPPED"] as const)("judgeResults() counts a %s as a problem", (status) => {
  expect(judgeOne(check("SUCCESS"), check(status, "c", "reason"))).toEqual([`${status} c: reason`]);
});

test("judgeResults() counts a scenario that proved nothing, or was not run, as a problem", () => {
  expect(judgeOne(check("INFO"))).toEqual(["proved nothing: no check succeeded"]);
  expect(judgeResults(set, [], []).scenarios.map(({ problems }) => problems)).toEqual([
    ["was not run"],
    ["was not run"],
  ]);
});

test("judgeResults() leaves out what is excluded, and says which exclusions were needed", () => {
  const tasks: Exclusion = { side: "server", scenario: /^tasks-/, reason: "not built yet" };
  const client: Exclusion = { side: "client", scenario: /^ping$/, reason: "of the other side" };
  const skip: Exclusion = { side: "server", scenario: /^ping$/, checks: ["skipped"], reason: "always skipped" };

  const verdict = judgeResults(
    set,
    [result("ping", check("SUCCESS"), check("SKIPPED", "skipped")), result("tasks-list", check("FAILURE"))],
    [tasks, client, skip],
  );

  expect(verdict.scenarios.map(({ outcome }) => outcome)).toEqual(["passed", "excluded"]);
  expect(verdict.used).toEqual(new Set([tasks, skip]));
});

test("judgeResults() reads scenarios that were run by name like others, and they score nothing", () => {
  const named: RequirementSet = { ...set, scored: [], unscored: [], named: ["skills", "more-skills"] };
  const { scenarios } = judgeResults(named, [result("skills", check("SUCCESS"), check("WARNING"))], []);

  expect(scenarios).toMatchObject([
    { scenario: "skills", isScored: false, problems: ["WARNING some-check"] },
    { scenario: "more-skills", isScored: false, problems: ["was not run"] },
  ]);
});

test("judgeResults() does not let an exclusion hide a failure", () => {
  const skip: Exclusion = { side: "server", scenario: /^ping$/, checks: ["failed"], reason: "always skipped" };
  const { scenarios, used } = judgeResults(set, [result("ping", check("SUCCESS"), check("FAILURE", "failed"))], [skip]);

  expect(scenarios[0]?.outcome).toBe("failed");
  expect(used.size).toBe(0);
});

test("the tables summarize the results and explain the exclusions", () => {
  const tasks: Exclusion = { side: "server", scenario: /^tasks-/, reason: "not built yet" };
  const verdict = judgeResults(set, [result("ping", check("SUCCESS"), check("SUCCESS"))], [tasks]);
  const outcome = { verdicts: [verdict], alone: [], versions: "suite 1.0", date: "2026-11-16" };

  expect(summarize(outcome)).toContain("| 2026-07-28      | server | 1 of 1           | 0 of 0 ");
  expect(summarize(outcome)).toContain("| 2             | 1 (0 scored) |");
  expect(summarize(outcome)).toContain("Run on 2026-11-16 with suite 1.0.");
  expect(explainExclusions([tasks])).toBe("- server scenarios `^tasks-`: not built yet");
  expect(listScenarios([verdict])).toContain("| ping       | 2 passed   |");
  expect(listScenarios([verdict])).toContain("| tasks-list | left out   |");
});
