/** Entry point of `npm run soak`. */
import { publishTable } from "@toolwire/evidence";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HELP, readCommandLine, type Request } from "./command-line.ts";
import { describeAccounts, listProblems, summarize } from "./report/describe-run.ts";
import { runSoak, type RunResult } from "./run.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const DIRECTORY = join(ROOT, "node_modules", ".cache", "soak");

async function soak(request: Request): Promise<void> {
  console.log(`${request.cells.length} cells, ${request.seconds} seconds, seed ${request.seed}`);
  const result = await runSoak(request, DIRECTORY, (line) => console.log(line));
  console.log(`\n${describeAccounts(result.accounts)}\n\n${summarize(result)}`);
  for (const [code, count] of result.warnings) console.log(`Clients warned of ${code} ${count} times.`);
  const problems = listProblems(result);
  if (request.isPublished) problems.push(...publish(request, result));
  for (const problem of problems) console.error(`✗ ${problem}`);
  console.log(problems.length === 0 ? "No problems." : `${problems.length} problems.`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function publish({ seconds, seed }: Request, result: RunResult): string[] {
  const date = new Date().toISOString().slice(0, 10);
  const note = `Run on ${date} for ${seconds} s with Node ${process.versions.node}, seed ${seed}: ${summarize(result)}`;
  const text = `${describeAccounts(result.accounts)}\n\n${note}`;
  return publishTable({ file: join(ROOT, "README.md"), name: "soak", text }, false);
}

try {
  const request = readCommandLine(process.argv.slice(2));
  if (request.isHelp) console.log(HELP);
  else await soak(request);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
