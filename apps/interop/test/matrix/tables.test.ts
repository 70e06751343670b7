import { expect, test } from "vitest";
import type { Cell, Matrix } from "../../src/matrix/cells.ts";
import { judgeCell } from "../../src/matrix/judge-cell.ts";
import { explainLimits, listCells, summarizeMatrix } from "../../src/matrix/tables.ts";
import { STEPS, type StepOutcomes } from "../../src/steps/run-steps.ts";

const peer = { title: "Peer 1.0", program: "peer", transports: ["stdio"] } as const;
const ours = { title: "Toolwire", program: "toolwire", transports: ["stdio"] } as const;
const cell: Cell = { client: ours, server: peer, transport: "stdio" };
const matrix: Matrix = { title: "Pairs", head: "server", rows: [{ title: "Peer 1.0", cells: [cell] }] };

const outcomes = {
  ...(Object.fromEntries(STEPS.map((step) => [step, "passed"])) as unknown as StepOutcomes),
  ask: "impossible",
  cancel: { failed: "went on" },
} as const;

const recording = {
  toServer: Buffer.from('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n'),
  toClient: Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}\n'),
};

test("judges a pair by its steps and by what it agreed on", () => {
  const verdict = judgeCell(cell, { outcomes, complaint: "", recordings: [recording] }, undefined);

  expect(verdict).toMatchObject({ passed: 7, possible: 8, revision: "2025-06-18", problems: ["cancel: went on"] });
});

test("tells why a client gave up", () => {
  const verdict = judgeCell(cell, { outcomes: undefined, complaint: "Error: refused\n", recordings: [] }, undefined);

  expect(verdict).toMatchObject({ passed: 0, possible: 0, problems: ["did not get to the end: Error: refused"] });
});

test("writes the tables", () => {
  const verdicts = [judgeCell(cell, { outcomes, complaint: "", recordings: [recording] }, undefined)];

  expect(summarizeMatrix(matrix, verdicts)).toContain("| Peer 1.0 | 7/8, 2025-06-18 |");
  expect(listCells(matrix, verdicts)).toContain("| Peer 1.0 | stdio     | 2025-06-18 | ✓ ");
  expect(listCells(matrix, verdicts)).toMatch(/\| ✗ +\| – +\|$/);
});

test("explains each limit once", () => {
  const limits = [{ step: "ask", reason: "it is too old" }] as const;
  const limited: Matrix = {
    ...matrix,
    rows: [
      {
        title: "Peer 1.0",
        cells: [
          { ...cell, server: { ...peer, limits } },
          { ...cell, server: { ...peer, limits } },
        ],
      },
    ],
  };

  expect(explainLimits([limited])).toBe("- ask: it is too old");
});
