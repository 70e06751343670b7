import { expect, test } from "vitest";
import { Accountant } from "../../src/accounts/accountant.ts";
import { Executions } from "../../src/accounts/executions.ts";
import { CELLS } from "../../src/cells.ts";
import { describeAccounts, listProblems, summarize } from "../../src/report/describe-run.ts";
import type { RunResult } from "../../src/run.ts";

const MB = 1024 * 1024;

function run(executed: readonly string[], more: Partial<RunResult> = {}): RunResult {
  const executions = new Executions();
  for (const id of executed) executions.add(id);
  const faults = [{ cell: 0, kind: "kill", from: 0, to: 1 } as const];
  const accountant = new Accountant({ cells: [CELLS[3]!], faults, executions });
  const counts = { connections: 1, sends: 2, questions: 0, reports: 0 };
  const call = { kind: "quick", begun: 500, settled: 600, ...counts } as const;
  const id = { cell: 0, client: 0, lane: 0 };
  accountant.add({ ...call, id: { ...id, number: 0 }, outcome: { type: "answered", isRight: true } });
  const accounts = accountant.finish(new Map([["0.0.0", 1]]));
  return { accounts, unhandled: [], leftovers: [], heap: [10 * MB, 10.5 * MB], warnings: new Map(), ...more };
}

test("a run in which all promises held has no problems", () => {
  expect(listProblems(run(["0.0.0.0"]))).toEqual([]);
  expect(summarize(run(["0.0.0.0"]))).toBe(
    "1 calls, 1 restarts, 0 cuts, 0 unhandled rejections; heap after the warm-up +0.5 MB.",
  );
});

test("the report names the cell, the promise and the call that broke it", () => {
  const [problem, ...rest] = listProblems(run(["0.0.0.0", "0.0.0.0"]));

  expect(rest).toEqual([]);
  expect(problem).toMatch(/^HTTP legacy, sessions: executes-once .*: 1x\n +0\.0\.0\.0 quick .*, executed 2 times$/);
});

test("rejections that nobody handled, things left behind and a heap that grows are problems", () => {
  expect(listProblems(run(["0.0.0.0"], { unhandled: ["Error: lost"] }))).toEqual([
    "A rejection or exception that nobody handled: Error: lost",
  ]);
  expect(listProblems(run(["0.0.0.0"], { leftovers: ["TCPSocketWrap 1"] }))).toEqual([
    "Something still keeps the process alive when all is closed: TCPSocketWrap 1",
  ]);
  expect(listProblems(run(["0.0.0.0"], { heap: [10 * MB, 30 * MB] }))).toEqual([
    "The heap has grown by 20.0 MB after the warm-up.",
  ]);
});

test("the report has a row for each binding and era", () => {
  const [, , row] = describeAccounts(run(["0.0.0.0"]).accounts).split("\n");

  expect(row?.split(/ *\| */).slice(1, -1)).toEqual([
    "HTTP legacy, sessions",
    "1",
    "1",
    "0",
    "0",
    "1",
    "0",
    "0",
    "0",
    "0",
    "1",
    "0",
  ]);
});
