/** Entry point of `npm run bench`. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { HELP, readCommandLine, type Request } from "./command-line.ts";
import type { Results } from "./measure/results.ts";
import { listScenarios, makePlan } from "./plan.ts";
import { compareWith } from "./processes/programs.ts";
import { describeCircumstances, embedSummary, writeReport } from "./report/documents.ts";
import { drawGrowth } from "./report/plot.ts";
import { listFailures } from "./report/race-table.ts";
import { describeResults } from "./report/sections.ts";
import { renderText } from "./report/table.ts";
import { runPlan } from "./run.ts";

const PACKAGE = new URL("../", import.meta.url);
const README = new URL("../../../README.md", import.meta.url);

async function main(): Promise<void> {
  const request = readCommandLine(process.argv.slice(2));
  if (request.isHelp) console.log(HELP);
  else if (request.isList) console.log(listScenarios().join("\n"));
  else await measure(request);
}

async function measure(request: Request): Promise<void> {
  if (request.compare !== undefined) compareWith(request.compare);
  const plan = makePlan(request);
  const start = performance.now();
  const results = await runPlan(plan, (what) => console.error(`${formatElapsed(start)}  ${what}`));
  console.error(`${formatElapsed(start)}  done\n`);
  printResults(results);
  if (request.jsonFile !== undefined) writeFileSync(request.jsonFile, `${JSON.stringify(results, undefined, 2)}\n`);
  if (plan.isComplete) publishResults(results);
}

function printResults(results: Results): void {
  console.log(describeCircumstances(results));
  for (const { title, text, table } of describeResults(results, false)) {
    console.log(`\n${title}\n${text}\n\n${renderText(table)}`);
  }
  for (const failure of listFailures([...results.servers, ...results.clients])) console.log(`\n${failure}`);
}

function publishResults(results: Results): void {
  mkdirSync(new URL("results/", PACKAGE), { recursive: true });
  for (const growth of results.growth) {
    writeFileSync(new URL(`results/${growth.id}.svg`, PACKAGE), drawGrowth(growth));
  }
  writeFileSync(new URL("RESULTS.md", PACKAGE), writeReport(results));
  writeFileSync(README, embedSummary(readFileSync(README, "utf8"), results));
}

function formatElapsed(start: number): string {
  const seconds = Math.round((performance.now() - start) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
