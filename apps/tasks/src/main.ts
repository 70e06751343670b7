/** Entry point of `npm run tasks`. */
import { publishTable } from "@toolwire/evidence";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HELP, readCommandLine, type Request } from "./command-line.ts";
import { type FaultsResult, REMEDIES, runFaults } from "./faults/run-faults.ts";
import { measure } from "./figures/measure.ts";
import {
  listProblems,
  type MeasuredStore,
  tabulateFaults,
  tabulateFigures,
  tabulatePromises,
} from "./report/tables.ts";
import { startStore } from "./stores/start.ts";
import { DURABLE, EngineMissing, type StoreName } from "./stores/store.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const DOCUMENT = join(ROOT, "docs", "tasks-under-faults.md");

/** After which shares of the tasks have ended a worker is killed. */
const KILLS = [0.3, 0.6];

/** How many tasks are timed, and how many are open. */
const MEASURED = { quick: 1000, open: 10_000 };

async function runAll(request: Request): Promise<void> {
  const results: FaultsResult[] = [];
  const measured: MeasuredStore[] = [];
  const missing: string[] = [];
  for (const name of request.stores) {
    try {
      if (DURABLE.includes(name)) results.push(...(await breakStore(name, request)));
      if (request.isMeasured) measured.push(await measureStore(name));
    } catch (error) {
      if (!(error instanceof EngineMissing)) throw error;
      missing.push(`LEFT OUT: ${name}. ${error.message}`);
      console.error(missing.at(-1));
    }
  }
  if (results.length > 0) console.log(`\n${tabulateFaults(results)}`);
  if (measured.length > 0) console.log(`\n${tabulateFigures(measured)}`);
  const problems = [...publish(request, results, measured), ...listProblems(results, measured)];
  for (const problem of problems) console.error(`✗ ${problem}`);
  for (const line of missing) console.log(`\n${line}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
  console.log(problems.length === 0 ? "\nNo problems." : `\n${problems.length} problems.`);
}

/** One run after the other, for the machine has few cores. */
async function breakStore(name: StoreName, { tasks, lease }: Request): Promise<FaultsResult[]> {
  const results: FaultsResult[] = [];
  for (const remedy of REMEDIES) {
    const store = await startStore(name);
    try {
      console.error(`${store.title}: ${tasks} tasks, ${KILLS.length} workers killed, ${remedy}`);
      results.push(await runFaults({ store, remedy, tasks, kills: KILLS, lease }));
    } finally {
      await store.close();
    }
  }
  return results;
}

async function measureStore(name: StoreName): Promise<MeasuredStore> {
  const store = await startStore(name);
  try {
    console.error(`${store.title}: figures`);
    const figures = await measure(store, MEASURED);
    return { name, title: store.title, figures };
  } finally {
    await store.close();
  }
}

/** What is promised is always in the document; in CI, the document is compared. Figures get there if that was asked for. */
function publish(
  { isPublished }: Request,
  results: readonly FaultsResult[],
  measured: readonly MeasuredStore[],
): string[] {
  const isCheck = process.env["CI"] !== undefined;
  const promises = { file: DOCUMENT, name: "tasks-promises", text: tabulatePromises() };
  const problems = publishTable(promises, isCheck);
  if (!isPublished) return problems;
  const note = `Run on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node}.`;
  const tables = { "tasks-faults": tabulateFaults(results), "tasks-figures": tabulateFigures(measured) };
  for (const [name, table] of Object.entries(tables)) {
    problems.push(...publishTable({ file: DOCUMENT, name, text: `${table}\n\n${note}` }, false));
  }
  return problems;
}

try {
  const request = readCommandLine(process.argv.slice(2));
  if (request.isHelp) console.log(HELP);
  else await runAll(request);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  // Requests may be under way, and would go on for long.
  process.exit(1);
}
