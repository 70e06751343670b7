/** Entry point of `npm run cluster`. */
import { publishTable } from "@toolwire/evidence";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HELP, readCommandLine, type Request } from "./command-line.ts";
import { EngineMissing, type EngineName } from "./engines/engine.ts";
import { startEngine } from "./engines/start.ts";
import { listFailures, listProblems, tabulateCalls, tabulateFaults, tabulatePromises } from "./report/tables.ts";
import { runCell, type CellResult } from "./run-cell.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const DIRECTORY = join(ROOT, "node_modules", ".cache", "cluster");
const DOCUMENT = join(ROOT, "docs", "cluster.md");

/**
 * The longest pause between two calls of a client, and how long the official SDKs wait for an answer. In the short form, calls are to
 * last as long as the faults, and be few.
 */
const TIMES = { pause: 10, sdkTimeout: 20_000 };
const QUICK_TIMES = { pause: 400, sdkTimeout: 8000 };

async function runAll(request: Request): Promise<void> {
  mkdirSync(DIRECTORY, { recursive: true });
  const results: CellResult[] = [];
  const problems = publishPromises();
  const missing: string[] = [];
  for (const name of request.engines) {
    const ofEngine = await runEngine(name, request).catch((error: unknown) => {
      if (!(error instanceof EngineMissing)) throw error;
      missing.push(`${name} is left out: ${error.message}`);
      return [];
    });
    results.push(...ofEngine);
    if (request.isPublished && ofEngine.length > 0) problems.push(...publishFigures(name, request, ofEngine));
  }
  if (results.length > 0) console.log(`\n${tabulateCalls(results)}\n\n${tabulateFaults(results)}\n`);
  if (request.json !== undefined) writeFileSync(request.json, JSON.stringify(results.map(toJson), undefined, 2));
  problems.push(...listProblems(results));
  for (const problem of problems) console.error(`✗ ${problem}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
  for (const line of missing) console.log(line);
  // As other commands say that they have done nothing.
  if (results.length === 0 && problems.length === 0) console.log("0 passed, 0 failed, 1 skipped");
  else console.log(problems.length === 0 ? "No problems." : `${problems.length} problems.`);
}

/** One cell after the other, for the machine has few cores. */
async function runEngine(name: EngineName, request: Request): Promise<CellResult[]> {
  const { calls, seed, faults, isQuick } = request;
  const results: CellResult[] = [];
  for (const nodes of request.nodes) {
    const engine = await startEngine(name);
    try {
      console.error(`${engine.title} with ${nodes} processes, seed ${seed}`);
      const times = isQuick ? QUICK_TIMES : TIMES;
      const cell = { engine, nodes, calls, seed, faults, ...times, directory: DIRECTORY };
      const result = await runCell(cell, (line) => console.error(`  ${line}`));
      results.push(result);
      for (const line of listFailures(result)) console.error(line);
    } finally {
      await engine.close();
    }
  }
  return results;
}

/** Says what is checked. In CI, the document is compared. */
function publishPromises(): string[] {
  return publishTable(
    { file: DOCUMENT, name: "cluster-promises", text: tabulatePromises() },
    process.env["CI"] !== undefined,
  );
}

function publishFigures(name: EngineName, { seed }: Request, results: readonly CellResult[]): string[] {
  const date = new Date().toISOString().slice(0, 10);
  const note = `Run on ${date} with Node ${process.versions.node}, seed ${seed}.`;
  const text = `${tabulateCalls(results)}\n\n${tabulateFaults(results)}\n\n${note}`;
  return publishTable({ file: DOCUMENT, name: `cluster-${name}`, text }, false);
}

function toJson(result: CellResult): unknown {
  return { ...result, verdict: { ...result.verdict, failures: Object.fromEntries(result.verdict.failures) } };
}

try {
  const request = readCommandLine(process.argv.slice(2));
  if (request.isHelp) console.log(HELP);
  else await runAll(request);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  // Calls may be under way, and would go on for long.
  process.exit(1);
}
