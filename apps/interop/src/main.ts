// Has our server meet the clients of other SDKs, and our client their servers, and writes down how they got along.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publishTable, readSchemas } from "@toolwire/evidence";
import { MATRICES, type Cell } from "./matrix/cells.ts";
import { judgeCell, type CellVerdict } from "./matrix/judge-cell.ts";
import { runCell } from "./matrix/run-cell.ts";
import { explainLimits, listCells, summarizeMatrix } from "./matrix/tables.ts";

const app = fileURLToPath(new URL("..", import.meta.url));
const root = join(app, "..", "..");
const output = join(root, "node_modules", ".cache", "interop");
/** Most of the time is spent starting processes. */
const LANES = 2;

rmSync(output, { recursive: true, force: true });
const schemas = readSchemas(join(root, "..", "shared", "spec"));
if (schemas === undefined) {
  console.log("The published schemas are not at ../shared/spec: messages are not checked against them.");
}

// A word on the command line picks the pairs whose description contains it.
const wanted = process.argv[2] ?? "";
const cells = MATRICES.flatMap(({ rows }) => rows.flatMap((row) => row.cells)).filter((cell) =>
  describe(cell).includes(wanted),
);
const verdicts = await runAll(cells);
const problems = verdicts.flatMap(({ cell, problems: found }) =>
  found.map((problem) => `${describe(cell)}: ${problem}`),
);

const summary = MATRICES.map((matrix) => `#### ${matrix.title}\n\n${summarizeMatrix(matrix, verdicts)}`).join("\n\n");
console.log(`\n${summary}\n`);
const steps = verdicts.reduce((sum, { passed }) => sum + passed, 0);
const messages = verdicts.reduce((sum, verdict) => sum + verdict.messages, 0);
console.log(
  `${verdicts.length} pairs, ${steps} steps passed, ${messages} messages of ours checked against the schemas`,
);
if (wanted === "") problems.push(...publish());

for (const problem of problems) console.error(`✗ ${problem}`);
console.log(problems.length === 0 ? "No problems." : `${problems.length} problems.`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function runAll(queue: readonly Cell[]): Promise<CellVerdict[]> {
  const results: CellVerdict[] = [];
  const rest = [...queue.entries()];
  const work = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
      const [index, cell] = next;
      const run = await runCell(cell, join(output, String(index)));
      const verdict = judgeCell(cell, run, schemas);
      results[index] = verdict;
      const isFine = verdict.problems.length === 0;
      console.log(
        `${isFine ? "✓" : "✗"} ${describe(cell)}: ${verdict.passed} of ${verdict.possible} steps, ${verdict.revision}`,
      );
    }
  };
  await Promise.all(Array.from({ length: LANES }, work));
  return results;
}

function describe({ client, server, transport }: Cell): string {
  const mode = client.mode === undefined || client.title.includes(",") ? "" : ` (${client.mode})`;
  return `${client.title}${mode} -> ${server.title} over ${transport}`;
}

function publish(): string[] {
  const isCheck = process.env["CI"] !== undefined;
  const note = `Run on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node}.`;
  const legend = "Steps passed of those that both sides can do, and the revision they agreed on.";
  const lists = MATRICES.map((matrix) => `## ${matrix.title}\n\n${listCells(matrix, verdicts)}`);
  const details = [...lists, "## What is not possible, and why", explainLimits(MATRICES), note].join("\n\n");
  return [
    ...publishTable({ file: join(app, "RESULTS.md"), name: "interop", text: details }, isCheck),
    ...publishTable(
      { file: join(root, "README.md"), name: "interop", text: `${legend}\n\n${summary}\n\n${note}` },
      isCheck,
    ),
  ];
}
