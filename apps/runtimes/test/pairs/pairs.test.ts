import { describe, expect, test } from "vitest";
import { EXCLUSIONS, type Exclusion } from "../../src/exclusions.ts";
import { judgeRun } from "../../src/pairs/judge.ts";
import { describePair, listPairs, type Pair } from "../../src/pairs/pairs.ts";
import { runPair, type PairRun } from "../../src/pairs/run-pair.ts";
import { CLIENT_BINDINGS, SERVER_BINDINGS } from "../../src/runtimes/runtime.ts";
import type { Outcomes } from "../../src/steps/outcomes.ts";
import { fakeRuntime } from "../fake-runtime.ts";

const runtime = fakeRuntime("Runtime 1.0");
const pair: Pair = { half: "client", runtime, binding: "http" };
const nothingElse: Exclusion[] = [
  { runtime: /^Runtime/, half: "server", bindings: SERVER_BINDINGS, reason: "it cannot listen" },
  {
    runtime: /^Runtime/,
    half: "client",
    bindings: CLIENT_BINDINGS.filter((binding) => binding !== "http"),
    reason: "it cannot",
  },
];

describe("the pairs that are run", () => {
  test("are all for which there is a program", () => {
    const { pairs, problems } = listPairs([runtime], nothingElse, true);

    expect(pairs.map(describePair)).toEqual(["client in Runtime 1.0, http"]);
    expect(problems).toEqual([]);
  });

  test("leave no gap without a reason", () => {
    const { problems } = listPairs([runtime], nothingElse.slice(0, 1), true);

    expect(problems).toHaveLength(CLIENT_BINDINGS.length - 1);
    expect(problems[0]).toContain("client in Runtime 1.0, websocket: neither run nor excluded");
  });

  test("are not excluded", () => {
    const all: Exclusion = { runtime: /./, half: "client", bindings: ["http"], reason: "no reason" };

    expect(listPairs([runtime], [...nothingElse, all], true)).toEqual({
      pairs: [],
      problems: ["client in Runtime 1.0, http: excluded, although there is a program for it"],
    });
  });

  test("need no exclusions of runtimes that are not there, which only shows if all are", () => {
    const stale: Exclusion = { runtime: /^Gone/, half: "client", bindings: ["http"], reason: "it is old" };

    expect(listPairs([runtime], [...nothingElse, stale], true).problems).toEqual([
      expect.stringContaining("The exclusion of ^Gone"),
    ]);
    expect(listPairs([runtime], [...nothingElse, stale], false).problems).toEqual([]);
  });
});

describe("judging", () => {
  const outcomes: Outcomes = { connect: "passed", call: { failed: "wrong" }, log: "passed" };
  const run: PairRun = { pair, revision: "2026-07-28", outcomes };
  const without = (...steps: string[]): Exclusion => ({
    runtime: /^Runtime/,
    half: "client",
    bindings: ["http"],
    steps,
    reason: "it cannot",
  });

  test("counts what passed, and says what failed", () => {
    expect(judgeRun(run, [])).toMatchObject({
      passed: 2,
      possible: 3,
      problems: ["client in Runtime 1.0, http, 2026-07-28: call: wrong"],
    });
  });

  test("does not ask for what is excluded", () => {
    expect(judgeRun(run, [without("call")])).toMatchObject({ passed: 2, possible: 2, problems: [] });
  });

  test("asks for it in revisions that the exclusion does not name", () => {
    const exclusion: Exclusion = { ...without("call"), revisions: ["2025-11-25"] };

    expect(judgeRun(run, [exclusion])).toMatchObject({ passed: 2, possible: 3 });
  });

  test("notices exclusions that are not needed", () => {
    const { problems } = judgeRun(run, [without("call", "log", "nonesuch")]);

    expect(problems).toEqual([
      "client in Runtime 1.0, http, 2026-07-28: log: excluded, but works",
      "client in Runtime 1.0, http, 2026-07-28: nonesuch: excluded, but there is no such step",
    ]);
  });
});

test("a runtime that does not start fails in every revision", async () => {
  const runs = await runPair(pair, "nowhere");

  expect(runs.map(({ revision, outcomes }) => [revision, outcomes])).toEqual([
    ["2026-07-28", { start: { failed: "There is nothing to start." } }],
    ["2025-11-25", { start: { failed: "There is nothing to start." } }],
  ]);
});

test("every exclusion has a reason that reads on after a colon", () => {
  for (const { reason } of EXCLUSIONS) expect(reason).toMatch(/^[a-zN].*[^.]$/);
});
