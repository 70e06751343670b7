import { expect, test } from "vitest";
import { BY_TRANSPORT, type Cell, type Limit, type Matrix } from "../../src/matrix/cell.ts";
import type { CellVerdict } from "../../src/matrix/judge-cell.ts";
import { explainFailures, explainLimits, listCells, summarizeMatrix } from "../../src/matrix/tables.ts";

const limits: readonly Limit[] = [
  { step: "ask", reason: "it is too old" },
  { step: "cancel", transport: "sse", reason: "it has lost the way" },
];
const peer = { title: "Peer 1.0", program: { file: "peer" }, transports: ["stdio"], limits } as const;
const ours = { title: "Toolwire", program: { file: "toolwire" }, isOurs: true, transports: ["stdio"] } as const;
const overStdio: Cell = { client: ours, server: peer, transport: "stdio" };
const overHttp: Cell = { client: ours, server: peer, transport: "http" };
const matrix: Matrix = {
  title: "Pairs",
  head: "server",
  steps: ["list", "cancel", "ask"],
  variants: BY_TRANSPORT,
  rows: [{ title: "Peer 1.0", cells: [overStdio, overHttp] }],
};

const verdict = (cell: Cell): CellVerdict => ({
  cell,
  revision: "2025-06-18",
  passed: 1,
  possible: 2,
  outcomes: { list: "passed", cancel: { failed: "went on" }, ask: "impossible" },
  messages: 0,
  problems: [],
});

test("summarizeMatrix() summarizes pairs by transport, without transports that no pair has", () => {
  expect(summarizeMatrix(matrix, [verdict(overStdio), verdict(overHttp)])).toBe(
    [
      "| server   | stdio           | HTTP            |",
      "| -------- | --------------- | --------------- |",
      "| Peer 1.0 | 1/2, 2025-06-18 | 1/2, 2025-06-18 |",
    ].join("\n"),
  );
});

test("listCells() lists the outcome of each step", () => {
  expect(listCells(matrix, [verdict(overHttp)])).toBe(
    [
      "| server   | transport | revision   | list | cancel | ask |",
      "| -------- | --------- | ---------- | ---- | ------ | --- |",
      "| Peer 1.0 | HTTP      | 2025-06-18 | ✓    | ✗      | –   |",
    ].join("\n"),
  );
});

test("explainLimits() explains each limit once, and only those of transports that were used", () => {
  expect(explainLimits([matrix])).toBe("- ask: it is too old");
});

test("explainFailures() explains each failure once, and names the pairs that it is known of", () => {
  const explain = (pairs: RegExp): string =>
    explainFailures([matrix, matrix], [{ pairs, steps: ["list", "cancel"], reason: "it never listens" }]);

  expect(explain(/Peer/)).toBe("- list, cancel: it never listens (Peer 1.0; Peer 1.0)");
  expect(explain(/over http$/)).toBe("- list, cancel: it never listens (Peer 1.0: HTTP; Peer 1.0: HTTP)");
  expect(explain(/Somebody else/)).toBe("");
});
