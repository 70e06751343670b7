import { expect, test } from "vitest";
import { type History, judge, type SeenEnd } from "../../src/faults/judge.ts";

const completed = (text: string): string => JSON.stringify({ status: "completed", result: { content: [{ text }] } });

/** A run in which everything went well: two calls, of which one was begun again. */
const GOOD: History = {
  tasks: new Map([
    ["task-1", { call: "0.1", first: completed("0.1"), last: completed("0.1") }],
    ["task-2", { call: "1.1", first: completed("1.1"), last: completed("1.1") }],
  ]),
  journal: [
    "started 7",
    "begun 0.1",
    "step 0.1/first",
    "kept 0.1/first",
    "begun 1.1",
    "step 1.1/first",
    "begun 1.1",
    "step 1.1/first",
    "kept 1.1/first",
    "ended 1.1",
    "ended 0.1",
    "",
  ],
  open: 0,
  died: 0,
};

function withTask(seen: Partial<SeenEnd>): History {
  const before = { call: "0.1", first: completed("0.1"), last: completed("0.1") };
  return { ...GOOD, tasks: new Map([["task-1", { ...before, ...seen }]]) };
}

function brokenOf(history: History): string[] {
  return judge(history).broken.map(({ promise, count }) => `${promise} ${count}`);
}

test("a run in which every task has ended once has kept all promises, and says what was done again", () => {
  expect(judge(GOOD)).toEqual({ tasks: 2, begunAgain: 1, repeatedSteps: 1, broken: [] });
});

test("a task that is not found is noticed, at any time", () => {
  expect(brokenOf(withTask({ first: undefined, last: undefined }))).toEqual(["is-found 1"]);
  expect(brokenOf(withTask({ first: undefined, last: '"unknown"' }))).toEqual(["is-found 1"]);
  expect(brokenOf(withTask({ last: undefined }))).toEqual(["is-found 1"]);
});

test("a task is noticed that failed, or has the result of another one", () => {
  const failed = JSON.stringify({ status: "failed", error: { code: -32_603, message: "no" } });
  expect(brokenOf(withTask({ first: failed, last: failed }))).toEqual(["right-outcome 1"]);
  expect(brokenOf(withTask({ first: completed("1.1"), last: completed("1.1") }))).toEqual(["right-outcome 1"]);
});

test("an outcome that changes is noticed", () => {
  const later = JSON.stringify({ ...(JSON.parse(completed("0.1")) as object), lastUpdatedAt: "later" });
  expect(brokenOf(withTask({ last: later }))).toEqual(["ends-once 1"]);
});

test("a step is noticed that is done again after the store has kept it, and one before that is counted only", () => {
  expect(brokenOf({ ...GOOD, journal: [...GOOD.journal, "step 0.1/first", "step 1.1/first"] })).toEqual([
    "keeps-steps 2",
  ]);
  expect(judge({ ...GOOD, journal: ["step 2.1/first", "step 2.1/first"] })).toMatchObject({
    repeatedSteps: 1,
    broken: [],
  });
});

test("tasks that are left open and errors of workers are noticed, with a few examples", () => {
  expect(brokenOf({ ...GOOD, open: 3 })).toEqual(["leaves-none 1"]);
  expect(brokenOf({ ...GOOD, died: 1 })).toEqual(["workers-survive 1"]);
  const complaints = Array.from({ length: 9 }, (_, number) => `complaint error ${number}`);
  const [broken] = judge({ ...GOOD, journal: complaints }).broken;
  expect(broken).toMatchObject({ promise: "workers-survive", count: 9 });
  expect(broken?.examples).toEqual(["error 0", "error 1", "error 2", "error 3", "error 4"]);
});
