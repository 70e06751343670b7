import { expect, test } from "vitest";
import type { Cell } from "../../src/matrix/cell.ts";
import { judgeCell } from "../../src/matrix/judge-cell.ts";
import type { CellRun } from "../../src/matrix/run-cell.ts";
import type { StepOutcomes } from "../../src/steps/outcomes.ts";

const peer = { title: "Peer 1.0", program: { file: "peer" }, transports: ["stdio"] } as const;
const ours = { title: "Toolwire", program: { file: "toolwire" }, isOurs: true, transports: ["stdio"] } as const;
const cell: Cell = { client: ours, server: peer, transport: "stdio" };

const outcomes: StepOutcomes = { list: "passed", call: "passed", ask: "impossible", cancel: { failed: "went on" } };
const KNOWN = { pairs: /-> Peer/, steps: ["cancel"], reason: "it never listens" };

function record(...lines: readonly (readonly ["client" | "server", object])[]): CellRun["hops"][number] {
  const join = (side: string): Buffer =>
    Buffer.from(
      lines
        .filter(([sender]) => sender === side)
        .map(([, message]) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
        .join(""),
    );
  return { recordings: [{ toServer: join("client"), toClient: join("server") }], ours: ["client"] };
}

const LEGACY = record(
  ["client", { id: 1, method: "initialize", params: { protocolVersion: "2025-11-25" } }],
  ["server", { id: 1, result: { protocolVersion: "2025-06-18" } }],
  ["client", { id: 2, method: "tools/list", params: {} }],
);
const MODERN_META = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } };
const MODERN = record(
  ["client", { id: 1, method: "initialize", params: { protocolVersion: "2025-11-25" } }],
  ["server", { id: 1, result: { protocolVersion: "2025-06-18" } }],
  ["client", { id: 2, method: "server/discover", params: MODERN_META }],
  ["client", { id: 3, method: "tools/list", params: MODERN_META }],
);

function run(changes: Partial<CellRun>): CellRun {
  return { outcomes, complaint: "", hops: [LEGACY], ...changes };
}

test("judgeCell() judges a pair by its steps and by what it agreed on", () => {
  const verdict = judgeCell(cell, run({}), { schemaSets: [], knownFailures: [] });

  expect(verdict).toMatchObject({ passed: 2, possible: 3, revision: "2025-06-18", problems: ["cancel: went on"] });
});

test("judgeCell() tells why a client gave up", () => {
  const failed = run({ outcomes: undefined, complaint: "Error: refused\n", hops: [] });

  expect(judgeCell(cell, failed, { schemaSets: [], knownFailures: [] })).toMatchObject({
    passed: 0,
    possible: 0,
    revision: "none",
    problems: ["did not get to the end: Error: refused"],
  });
});

test("judgeCell() does not report a step that is known to fail", () => {
  const verdict = judgeCell(cell, run({}), { schemaSets: [], knownFailures: [KNOWN] });

  expect(verdict).toMatchObject({ passed: 2, possible: 3, problems: [] });
});

test("judgeCell() reports a step that passes, or is not taken, although it is known to fail", () => {
  const judge = (cancel: "passed" | "impossible"): readonly string[] =>
    judgeCell(cell, run({ outcomes: { ...outcomes, cancel } }), { schemaSets: [], knownFailures: [KNOWN] }).problems;

  expect(judge("passed")).toEqual(["cancel: passed, although known-failures.ts says that it fails"]);
  expect(judge("impossible")).toEqual(["cancel: impossible, although known-failures.ts says that it fails"]);
});

test("judgeCell() does not take what is known of other pairs for an excuse", () => {
  const others = { ...KNOWN, pairs: /-> Somebody else/ };

  expect(judgeCell(cell, run({}), { schemaSets: [], knownFailures: [others] }).problems).toEqual(["cancel: went on"]);
});

test("judgeCell() names the revision of most requests, and those on both sides of a bridge", () => {
  const judge = (...hops: CellRun["hops"]): string =>
    judgeCell(cell, run({ hops }), { schemaSets: [], knownFailures: [] }).revision;

  expect(judge(MODERN)).toBe("2026-07-28");
  expect(judge(MODERN, LEGACY)).toBe("2026-07-28 → 2025-06-18");
  expect(judge(LEGACY, LEGACY)).toBe("2025-06-18");
});
