import { expect, test } from "vitest";
import type { CallRecord } from "../../src/accounts/history.ts";
import { judge, type Books, type Verdict } from "../../src/accounts/judge.ts";

/** A call that was answered as it should be. */
function answered(call: string, changes: Partial<CallRecord> = {}): CallRecord {
  return {
    call,
    client: "Toolwire",
    era: "legacy",
    tool: "count",
    isCalm: false,
    outcome: { type: "answered", text: `${call} is done, ${changes.era ?? "legacy"}` },
    reports: 0,
    reported: [],
    begun: 0,
    settled: 1,
    ...changes,
  };
}

function failed(call: string, ran: "no" | "maybe" | "unclear", changes: Partial<CallRecord> = {}): CallRecord {
  return answered(call, { outcome: { type: "failed", ran, code: "E", message: "failed" }, ...changes });
}

function judgeBooks(books: Partial<Books>): Verdict {
  return judge({
    calls: [],
    effects: [],
    begun: [],
    cancelled: [],
    cut: new Set(),
    lostSessions: 0,
    complaints: [],
    secondAnswers: [],
    ...books,
  });
}

/** The promises that the books say are broken. */
const brokenBy = (books: Partial<Books>): string[] => judgeBooks(books).broken.map(({ promise }) => promise);

test("books in which every answered call has had its effect once break no promise", () => {
  const calls = [
    answered("1"),
    answered("2", { era: "modern" }),
    failed("3", "no"),
    failed("4", "maybe", { client: "SDK 1" }),
    failed("5", "maybe"),
    answered("6", { outcome: { type: "cancelled" }, tool: "long" }),
  ];
  const { accounts, broken } = judgeBooks({ calls, effects: ["1", "2", "4"], begun: ["6"], cancelled: ["6"] });
  expect(broken).toEqual([]);
  expect(accounts).toMatchObject([
    { era: "legacy", calls: 5, bySdk: 1, answered: 1, cancelled: 1, notRun: 1, mayHaveRun: 2, lost: 0, doubled: 0 },
    { era: "modern", calls: 1, answered: 1 },
  ]);
});

test("a call that was told nothing is lost", () => {
  const { accounts, broken } = judgeBooks({ calls: [answered("1", { outcome: { type: "lost" } })] });
  expect(accounts[0]).toMatchObject({ calls: 1, lost: 1 });
  expect(broken).toMatchObject([{ promise: "settles-once", count: 1 }]);
});

test("an effect of a call of which nothing is recorded is a lost call", () => {
  expect(brokenBy({ effects: ["1"] })).toEqual(["settles-once"]);
});

test("a call that is recorded twice has settled twice", () => {
  expect(brokenBy({ calls: [answered("1"), answered("1")], effects: ["1"] })).toEqual(["settles-once"]);
});

test("a second answer that a client reports is noticed", () => {
  expect(brokenBy({ secondAnswers: ["twice"] })).toEqual(["settles-once"]);
});

test("two effects of one call are doubled, whatever its caller was told", () => {
  for (const call of [answered("1"), failed("1", "maybe"), answered("1", { outcome: { type: "cancelled" } })]) {
    const { accounts, broken } = judgeBooks({ calls: [call], effects: ["1", "1"] });
    expect(accounts[0]?.doubled).toBe(1);
    expect(broken.map(({ promise }) => promise)).toEqual(["runs-once"]);
  }
});

test("an answer without an effect is noticed", () => {
  expect(brokenBy({ calls: [answered("1")] })).toEqual(["answer-means-effect"]);
});

test("an answer that belongs to another call, or to another era, is noticed", () => {
  for (const text of ["2 is done, legacy", "1 is done, modern", undefined]) {
    const calls = [answered("1", { outcome: { type: "answered", text } })];
    expect(brokenBy({ calls, effects: ["1"] })).toEqual(["right-answer"]);
  }
});

test("an error that says that nothing was run is wrong about a call with an effect", () => {
  expect(brokenBy({ calls: [failed("1", "no")], effects: ["1"] })).toEqual(["unread-means-not-run"]);
});

test("an error that says nothing about the call is noticed", () => {
  expect(brokenBy({ calls: [failed("1", "unclear")] })).toEqual(["says-whether-it-ran"]);
});

test("no call may fail in calm times", () => {
  expect(brokenBy({ calls: [failed("1", "maybe", { isCalm: true })] })).toEqual(["calm-calls-succeed"]);
});

test("a call that goes on though it was cancelled in calm times is noticed, and only then", () => {
  const calls = [answered("1", { tool: "long", outcome: { type: "cancelled" }, isCalm: true })];
  expect(brokenBy({ calls, begun: ["1"] })).toEqual(["calm-cancellation"]);
  expect(brokenBy({ calls, begun: ["1"], cancelled: ["1"] })).toEqual([]);
  expect(brokenBy({ calls })).toEqual([]);
});

test("a session that a server does not know any more is lost", () => {
  expect(judgeBooks({ lostSessions: 2 }).broken).toMatchObject([{ promise: "keeps-sessions", count: 2 }]);
});

test.each([
  ["missed", [1, 3], 1, 0],
  ["repeated", [1, 2, 2, 3], 0, 1],
  ["in the wrong order", [2, 1, 3], 0, 0],
])("reports that are %s are noticed", (_, reported, missed, repeated) => {
  const calls = [answered("1", { tool: "stream", reports: 3, reported })];
  const { accounts, broken } = judgeBooks({ calls, effects: ["1"] });
  expect(accounts[0]).toMatchObject({ missedReports: missed, repeatedReports: repeated });
  expect(broken.map(({ promise }) => promise)).toEqual(["reports-in-order"]);
});

test("the reports of a call that has failed are not expected", () => {
  expect(brokenBy({ calls: [failed("1", "maybe", { reports: 3, reported: [1] })] })).toEqual([]);
});

test("what servers complain about is a broken promise", () => {
  expect(brokenBy({ complaints: ["It has ended by itself."] })).toEqual(["servers-survive"]);
});

test("streams that were cut are counted, and those that were answered all the same", () => {
  const calls = [answered("1"), failed("2", "maybe"), answered("3")];
  const { accounts } = judgeBooks({ calls, effects: ["1", "3"], cut: new Set(["1", "2"]) });
  expect(accounts[0]).toMatchObject({ cut: 2, resumed: 1 });
});
