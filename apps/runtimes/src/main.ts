// Runs our packages in every runtime there is, against Node, and writes down what works.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fetchLocked, publishTable } from "@toolwire/evidence";
import { EXCLUSIONS } from "./exclusions.ts";
import { installPacked } from "./packed/install-packed.ts";
import { judgeRun, type Verdict } from "./pairs/judge.ts";
import { describePair, listPairs, type Pair } from "./pairs/pairs.ts";
import { runPair } from "./pairs/run-pair.ts";
import { findRuntimes } from "./runtimes/find-runtimes.ts";
import { explainExclusions, keepRows, keepRunLine, tabulate } from "./tables/tables.ts";

const app = fileURLToPath(new URL("..", import.meta.url));
const root = join(app, "..", "..");
const cache = join(root, "node_modules", ".cache", "runtimes");
/** Most of the time is spent starting processes. */
const LANES = 2;

const packages = await fetchLocked({
  title: "the runtimes",
  lock: join(app, "binaries"),
  directory: join(cache, "binaries"),
});
const output = join(cache, "output");
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
const programs = await installPacked({ root, app, directory: join(cache, "app") });
const { runtimes, titles, missing, browsers } = await findRuntimes(packages, { programs, output });

// A word on the command line picks the pairs whose description contains it.
const wanted = process.argv[2] ?? "";
const absent = browsers.filter(({ version }) => version === undefined);
const { pairs, problems: gaps } = listPairs(runtimes, EXCLUSIONS, missing.length + absent.length === 0);
const verdicts = await runAll(pairs.filter((pair) => describePair(pair).includes(wanted)));
const problems = [...gaps, ...verdicts.flatMap((verdict) => verdict.problems)];
if (wanted === "") publish();

for (const problem of problems) console.error(`✗ ${problem}`);
console.log(problems.length === 0 ? "No problems." : `${problems.length} problems.`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function runAll(queue: readonly Pair[]): Promise<Verdict[]> {
  const results: Verdict[][] = [];
  const rest = [...queue.entries()];
  const work = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
      const [index, pair] = next;
      const judged = (await runPair(pair, programs)).map((run) => judgeRun(run, EXCLUSIONS));
      results[index] = judged;
      const isFine = judged.every((verdict) => verdict.problems.length === 0);
      const counts = judged.map(({ passed, possible, run }) => `${passed} of ${possible} steps in ${run.revision}`);
      console.log(`${isFine ? "✓" : "✗"} ${describePair(pair)}: ${counts.join(", ")}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, work));
  return results.flat();
}

/** Writes the tables. A browser that is not here keeps the rows of its last run, and the day of it. */
function publish(): void {
  const readme = join(root, "README.md");
  const before = readPublished(readme);
  const date = new Date().toISOString().slice(0, 10);
  const notRun = absent.map(({ browser }) => browser.title);
  const legend = "Steps passed of those that the runtime can do, in 2026-07-28 and in 2025-11-25.";
  const text = [
    legend,
    ...(["server", "client"] as const).map((half) => tabulate(half, titles, verdicts, keepRows(before, half, notRun))),
    `Run on ${date} with Node ${process.versions.node} at the other end.`,
    ...browsers.map(({ browser: { title }, version }) =>
      version === undefined ? keepRunLine(before, title) : `Run on ${date} in ${title} ${version}.`,
    ),
  ].join("\n\n");
  console.log(`\n${text}\n`);

  for (const { browser, lacking } of absent) {
    console.log(
      `${browser.title} was NOT run: there is no ${lacking.join(", no ")}. (${browser.variable} in the environment may name ` +
        "another one.) Its rows are those of the last run.",
    );
  }
  if (missing.length > 0) {
    problems.push(
      `There is nothing to fetch for ${process.platform}-${process.arch}: ${missing.join(", ")} not run, nothing written.`,
    );
    return;
  }
  const isCheck = process.env["CI"] !== undefined;
  const details = [text, "### What a runtime cannot do", explainExclusions(EXCLUSIONS)].join("\n\n");
  problems.push(
    ...publishTable({ file: join(app, "README.md"), name: "runtimes", text: details }, isCheck),
    ...publishTable({ file: readme, name: "runtimes", text }, isCheck),
  );
}

function readPublished(file: string): string {
  return /<!-- runtimes:begin -->([^]*)<!-- runtimes:end -->/.exec(readFileSync(file, "utf8"))?.[1] ?? "";
}
