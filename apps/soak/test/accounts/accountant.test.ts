import { describe, expect, test } from "vitest";
import { Accountant, type Account } from "../../src/accounts/accountant.ts";
import { Executions } from "../../src/accounts/executions.ts";
import type { CallRecord, FaultRecord, Outcome } from "../../src/accounts/history.ts";
import type { Cell } from "../../src/cells.ts";

const STDIO: Cell = { binding: "stdio", era: "modern", asks: true, routes: ["direct"] };
const HTTP: Cell = { binding: "http", era: "modern", asks: true, routes: ["direct", "proxy"] };
const SESSIONS: Cell = { ...HTTP, era: "legacy", variant: "sessions" };

const RIGHT: Outcome = { type: "answered", isRight: true };
const KILL: FaultRecord = { cell: 0, kind: "kill", from: 100, to: 200 };
const RESET: FaultRecord = { ...KILL, kind: "reset" };

function fail(code: string | number, error = "TransportError", status?: number): Outcome {
  return { type: "failed", error, code, status, message: "" };
}

/** The call of this number, made by the only lane of the first client, from 10 ms to 20 ms. */
function call(number: number, outcome: Outcome, more: Partial<CallRecord> = {}): CallRecord {
  const id = { cell: 0, client: 0, lane: 0, number };
  const counts = { connections: 1, sends: 1, questions: 0, reports: 0 };
  return { id, kind: "quick", begun: 10, settled: 20, outcome, ...counts, ...more };
}

interface History {
  readonly cell?: Cell;
  readonly calls: readonly CallRecord[];
  /** How many calls were begun; all that settled, unless it says otherwise. */
  readonly made?: number;
  /** The calls that servers have written down. */
  readonly executed: readonly string[];
  readonly faults?: readonly FaultRecord[];
}

function settle({ cell = STDIO, calls, made = calls.length, executed, faults = [] }: History): Account {
  const executions = new Executions();
  for (const id of executed) executions.add(id);
  const accountant = new Accountant({ cells: [cell], faults, executions });
  for (const each of calls) accountant.add(each);
  return accountant.finish(new Map([["0.0.0", made]]))[0]!;
}

function problemsOf(history: History): Record<string, number> {
  return Object.fromEntries(Array.from(settle(history).problems.values(), ({ promise, count }) => [promise, count]));
}

test("a history without a fault, in which every call was executed and answered once, has no problems", () => {
  const account = settle({ calls: [call(0, RIGHT), call(1, RIGHT)], executed: ["0.0.0.0", "0.0.0.1"] });

  expect(account).toMatchObject({ calls: 2, answered: 2, lost: 0, doubled: 0, executedTwice: 0 });
  expect(account.problems.size).toBe(0);
});

describe("the accountant catches", () => {
  test("a call that was executed twice", () => {
    const history = { calls: [call(0, RIGHT)], executed: ["0.0.0.0", "0.0.0.0"] };

    expect(problemsOf(history)).toEqual({ "executes-once": 1 });
    expect(settle(history).executedTwice).toBe(1);
  });

  test("a call that never settled", () => {
    const history = { calls: [call(0, RIGHT), call(2, RIGHT)], made: 3, executed: ["0.0.0.0", "0.0.0.1", "0.0.0.2"] };

    expect(problemsOf(history)).toEqual({ "settles-once": 1 });
    expect(settle(history).lost).toBe(1);
  });

  test("a call that settled twice", () => {
    const history = { calls: [call(0, RIGHT), call(0, RIGHT)], made: 1, executed: ["0.0.0.0"] };

    expect(problemsOf(history)).toEqual({ "settles-once": 1 });
    expect(settle(history)).toMatchObject({ calls: 1, doubled: 1 });
  });

  test("a wrong answer", () => {
    const history = { calls: [call(0, { type: "answered", isRight: false })], executed: ["0.0.0.0"] };

    expect(problemsOf(history)).toEqual({ "right-answer": 1 });
  });

  test("an answer to a call that no server has executed", () => {
    expect(problemsOf({ calls: [call(0, RIGHT)], executed: [] })).toEqual({ "answer-means-executed": 1 });
  });

  test("an execution of a call that nobody made", () => {
    expect(problemsOf({ calls: [], executed: ["0.0.0.7"] })).toEqual({ "executes-once": 1 });
  });

  test.each([
    ["CONNECT_FAILED", fail("CONNECT_FAILED")],
    ["SESSION_EXPIRED", fail("SESSION_EXPIRED")],
    ["a status of 503", fail("UNEXPECTED_RESPONSE", "HttpStatusError", 503)],
  ])("an execution of a call whose error says that there was none: %s", (_, outcome) => {
    const calls = [call(0, outcome, { begun: 90, settled: 150 })];

    expect(problemsOf({ cell: SESSIONS, calls, executed: ["0.0.0.0"], faults: [KILL] })).toEqual({
      "unsent-means-unexecuted": 1,
    });
    expect(problemsOf({ cell: SESSIONS, calls, executed: [], faults: [KILL] })).toEqual({});
  });

  test("a failure that no fault explains", () => {
    for (const cell of [STDIO, HTTP]) {
      const calls = [call(0, fail("CONNECTION_LOST"))];

      expect(problemsOf({ cell, calls, executed: [], faults: [KILL] })).toEqual({ "fails-by-fault-only": 1 });
    }
  });

  test("an error of the server, whatever faults there are", () => {
    for (const cell of [STDIO, HTTP]) {
      const calls = [call(0, fail(-32_603, "RpcError"), { begun: 90, settled: 150 })];

      expect(problemsOf({ cell, calls, executed: [], faults: [KILL] })).toEqual({ "fails-by-fault-only": 1 });
    }
  });

  test("a timeout of a call that had plenty of time", () => {
    const history = { calls: [call(0, fail("TIMEOUT"))], executed: [] };

    expect(problemsOf(history)).toEqual({ "answers-in-time": 1 });
    expect(settle(history).lost).toBe(1);
  });
});

describe("outcomes that are allowed", () => {
  test("a call that is lost with its connection was executed or not", () => {
    for (const executed of [[], ["0.0.0.0"]]) {
      const calls = [call(0, fail("CONNECTION_LOST"), { begun: 90, settled: 150 })];

      expect(problemsOf({ calls, executed, faults: [KILL] })).toEqual({});
    }
  });

  test("a call is cancelled by its caller, or times out because it was to", () => {
    const calls = [call(0, { type: "cancelled" }, { kind: "cancelled" }), call(1, fail("TIMEOUT"), { kind: "late" })];
    const account = settle({ calls, executed: ["0.0.0.1"] });

    expect(account.problems.size).toBe(0);
    expect(account).toMatchObject({ givenUp: 2, failed: new Map() });
  });

  test("a call that may be repeated is executed several times, but not without end", () => {
    const calls = [call(0, RIGHT, { kind: "repeatable", sends: 3 })];
    const executed = Array<string>(4).fill("0.0.0.0");

    expect(settle({ calls, executed })).toMatchObject({ retried: 2, sentAgain: 0, problems: new Map() });
    expect(problemsOf({ calls, executed: [...executed, "0.0.0.0"] })).toEqual({ "executes-once": 1 });
  });

  test("a modern call is made again with the answer to a question", () => {
    expect(
      settle({ calls: [call(0, RIGHT, { kind: "question", sends: 2, questions: 1 })], executed: ["0.0.0.0"] }),
    ).toMatchObject({ sentAgain: 0 });
  });
});

describe("on a shared connection", () => {
  const lost = { begun: 90, settled: 150 };

  test("a lane loses one call with each connection, and no other", () => {
    const calls = [call(0, fail("CONNECTION_LOST"), lost), call(1, fail("CONNECTION_LOST"), lost)];
    const history = { calls, executed: [], faults: [KILL] };

    expect(problemsOf(history)).toEqual({ "waits-for-connection": 1 });
    expect(problemsOf({ ...history, calls: [calls[0]!, { ...calls[1]!, connections: 2 }] })).toEqual({});
  });

  test("a call waits for the server instead of failing because it cannot be reached", () => {
    const calls = [call(0, fail("CONNECT_FAILED"), lost)];

    expect(problemsOf({ calls, executed: [], faults: [KILL] })).toEqual({ "waits-for-connection": 1 });
  });

  test("a request of the HTTP+SSE pair waits as well, though it can be refused by a server that shuts down", () => {
    const history = { cell: { ...STDIO, binding: "sse" } as const, executed: [], faults: [KILL] };
    const refused = fail("UNEXPECTED_RESPONSE", "HttpStatusError", 503);

    expect(problemsOf({ ...history, calls: [call(0, fail("CONNECT_FAILED"), lost)] })).toEqual({
      "waits-for-connection": 1,
    });
    const calls = [call(0, refused, lost), call(1, refused, lost), call(2, fail("CONNECTION_LOST"), lost)];
    expect(problemsOf({ ...history, calls })).toEqual({});
  });
});

test("a client of the HTTP+SSE pair connects again when the server has lost its stream", () => {
  const calls = [
    call(0, fail("UNEXPECTED_RESPONSE", "HttpStatusError", 404), { begun: 90, settled: 150 }),
    call(1, fail("CONNECTION_LOST"), { begun: 150, settled: 200 }),
  ];

  expect(problemsOf({ cell: { ...STDIO, binding: "sse" }, calls, executed: [], faults: [KILL] })).toEqual({
    "renews-session": 1,
  });
});

describe("over HTTP", () => {
  const meanwhile = { begun: 90, settled: 150 };

  test("a fault of the proxy explains nothing to a client that does not use it", () => {
    const direct = call(0, fail("CONNECTION_LOST"), meanwhile);
    const proxied = { ...direct, id: { ...direct.id, client: 1 } };

    expect(problemsOf({ cell: HTTP, calls: [direct], executed: [], faults: [RESET] })).toEqual({
      "fails-by-fault-only": 1,
    });
    expect(problemsOf({ cell: HTTP, calls: [proxied], made: 0, executed: [], faults: [RESET] })).toEqual({});
  });

  test("a call is sent again when its session was forgotten, unless the server ends meanwhile", () => {
    const after = { begun: 300, settled: 310 };
    const history = { cell: SESSIONS, executed: [], faults: [KILL] };

    for (const outcome of [fail("SESSION_EXPIRED"), fail(-32_600, "RpcError", 404)]) {
      expect(problemsOf({ ...history, calls: [call(0, outcome, after)] })).toEqual({ "renews-session": 1 });
    }
    expect(
      settle({ ...history, calls: [call(0, RIGHT, { ...after, sends: 2 })], executed: ["0.0.0.0"] }),
    ).toMatchObject({
      sentAgain: 1,
      problems: new Map(),
    });
    expect(problemsOf({ ...history, calls: [call(0, fail("SESSION_EXPIRED"), meanwhile)] })).toEqual({});
    expect(problemsOf({ ...history, calls: [call(0, fail(-32_600, "RpcError", 404), meanwhile)] })).toEqual({
      "renews-session": 1,
    });
  });

  test("a legacy answer of which events have come survives a cut, but not the end of its server", () => {
    const lost = call(0, fail("CONNECTION_LOST"), { ...meanwhile, kind: "progress", reports: 2 });
    const calls = [{ ...lost, id: { ...lost.id, client: 1 } }];
    const history = { cell: SESSIONS, calls, made: 0, executed: [] };

    expect(problemsOf({ ...history, faults: [RESET] })).toEqual({ "resumes-answer": 1 });
    expect(problemsOf({ ...history, faults: [KILL] })).toEqual({});
    expect(problemsOf({ ...history, cell: HTTP, faults: [RESET] })).toEqual({});
  });
});
