// Runs our server with other clients, and our client with other servers, directly and through bridges, and publishes the
// results.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FetchFailure, publishTable, readSchemaSets } from "@toolwire/evidence";
import { problemsOf, runLogins, tabulateLogins } from "./authorization/run-logins.ts";
import { FETCHED_MATRICES } from "./fetched/fetched-matrices.ts";
import { fetchPeers, type FetchedPeers } from "./fetched/fetch-peers.ts";
import { describeCell, type Cell, type Matrix } from "./matrix/cell.ts";
import { EXTENSION_MATRICES } from "./matrix/extension-matrices.ts";
import { judgeCell, type CellVerdict } from "./matrix/judge-cell.ts";
import { KNOWN_FAILURES, knownFailuresOf } from "./matrix/known-failures.ts";
import { runCell } from "./matrix/run-cell.ts";
import { SDK_MATRICES } from "./matrix/sdk-matrices.ts";
import { explainFailures, explainLimits, listCells, summarizeMatrix } from "./matrix/tables.ts";
import { versionOf } from "./matrix/versions.ts";

const app = fileURLToPath(new URL("..", import.meta.url));
const root = join(app, "..", "..");
const cache = join(root, "node_modules", ".cache", "interop");
const output = join(cache, "output");
/** Most of the time is spent starting processes. */
const LANES = 2;

const problems: string[] = [];
rmSync(output, { recursive: true, force: true });
const schemaSets = readSchemaSets(join(root, "..", "shared", "spec"));
console.log(`Messages of ours are checked against the ${schemaSets.map(({ name }) => name).join(" and the ")}.`);

// A word on the command line picks the pairs whose description contains it.
const wanted = process.argv[2] ?? "";
const pick = (matrices: readonly Matrix[]): Cell[] =>
  matrices
    .flatMap(({ rows }) => rows.flatMap((row) => row.cells))
    .filter((cell) => describeCell(cell).includes(wanted));

const fetched = pick(FETCHED_MATRICES).length === 0 ? undefined : await tryToFetch();
const verdicts = await runAll([
  ...pick(SDK_MATRICES),
  ...pick(EXTENSION_MATRICES),
  ...(fetched === undefined ? [] : pick(FETCHED_MATRICES)),
]);
problems.push(
  ...verdicts.flatMap((verdict) => verdict.problems.map((problem) => `${describeCell(verdict.cell)}: ${problem}`)),
);

if (wanted === "" || "logins".includes(wanted)) await logIn();

const steps = verdicts.reduce((sum, { passed }) => sum + passed, 0);
const messages = verdicts.reduce((sum, verdict) => sum + verdict.messages, 0);
console.log(
  `\n${verdicts.length} pairs, ${steps} steps passed, ${messages} messages of ours checked against the schemas`,
);
publishChapters();
if (wanted === "" && fetched !== undefined) reportIdleEntries();

for (const problem of problems) console.error(`✗ ${problem}`);
console.log(problems.length === 0 ? "No problems." : `${problems.length} problems.`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Logs in across SDKs, and publishes how that went. */
async function logIn(): Promise<void> {
  const { pairs, complaint } = await runLogins(root);
  if (complaint !== undefined) problems.push(complaint);
  problems.push(...problemsOf(pairs));
  const tables = tabulateLogins(pairs);
  console.log(`\n${tables}\n`);
  const isCheck = process.env["CI"] !== undefined;
  const sdk = versionOf("@modelcontextprotocol/client");
  const text = `${tables}\n\nRun on ${today()} with SDK v2 ${sdk}; the authorization server is oidc-provider.`;
  for (const file of [join(app, "RESULTS.md"), join(root, "README.md")]) {
    problems.push(...publishTable({ file, name: "interop-logins", text }, isCheck));
  }
}

/** Returns `undefined` if the peers cannot be fetched, which is a problem unless the network is the cause. */
async function tryToFetch(): Promise<FetchedPeers | undefined> {
  try {
    return await fetchPeers(join(app, "peers"), join(app, "dist"), join(cache, "peers"));
  } catch (error) {
    const { message } = error as Error;
    const consequence = "Bridges, libraries and servers are NOT run, and their tables stay as they are.";
    if (error instanceof FetchFailure && error.isNetwork) console.log(`${consequence} ${message}`);
    else problems.push(`${consequence} ${message}`);
    return undefined;
  }
}

async function runAll(queue: readonly Cell[]): Promise<CellVerdict[]> {
  const results: CellVerdict[] = [];
  const rest = [...queue.entries()];
  const work = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
      const [index, cell] = next;
      const knownToFail = knownFailuresOf(cell, KNOWN_FAILURES).flatMap((failure) => failure.steps);
      const run = await runCell(cell, knownToFail, { directory: join(output, String(index)), fetched });
      const verdict = judgeCell(cell, run, { schemaSets, knownFailures: KNOWN_FAILURES });
      results[index] = verdict;
      const isFine = verdict.problems.length === 0;
      console.log(
        `${isFine ? "✓" : "✗"} ${describeCell(cell)}: ${verdict.passed} of ${verdict.possible} steps, ${verdict.revision}`,
      );
    }
  };
  await Promise.all(Array.from({ length: LANES }, work));
  return results;
}

function reportIdleEntries(): void {
  for (const failure of KNOWN_FAILURES) {
    if (verdicts.some(({ cell }) => knownFailuresOf(cell, [failure]).length > 0)) continue;
    problems.push(`known-failures.ts: ${failure.pairs.source} names no pair: remove the entry.`);
  }
}

/** Publishes all chapters whose pairs were run. */
function publishChapters(): void {
  const legend = "Steps passed of those that both sides can do, and the revision they agreed on";
  const note = `Run on ${today()} with Node ${process.versions.node}`;
  publish({
    name: "interop",
    matrices: SDK_MATRICES,
    legend: `${legend}.`,
    limits: "What other SDKs cannot do",
    note: `${note}.`,
  });
  publish({
    name: "interop-extensions",
    matrices: EXTENSION_MATRICES,
    legend: `${legend}.`,
    limits: "What cannot be done with extensions",
    note: `${note}.`,
  });
  if (fetched === undefined) return;
  publish({
    name: "interop-fetched",
    matrices: FETCHED_MATRICES,
    legend: `${legend}; if a bridge speaks another one with the server, that one follows.`,
    limits: "What libraries cannot do",
    note: `${note}, the others with Node ${fetched.nodeVersion}.`,
  });
}

/** A part of the published results. */
interface Chapter {
  /** The name of its markers in the documents. */
  readonly name: string;
  readonly matrices: readonly Matrix[];
  readonly legend: string;
  /** The title of the list of limits. */
  readonly limits: string;
  readonly note: string;
}

/** Publishes a chapter, unless some of its pairs were not asked for. */
function publish({ name, matrices, legend, limits, note }: Chapter): void {
  const cells = matrices.flatMap(({ rows }) => rows.flatMap((row) => row.cells));
  if (!cells.every((cell) => verdicts.some((verdict) => verdict.cell === cell))) return;
  const isCheck = process.env["CI"] !== undefined;
  const summary = matrices.map((matrix) => `#### ${matrix.title}\n\n${summarizeMatrix(matrix, verdicts)}`).join("\n\n");
  console.log(`\n${summary}\n`);
  const failures = explainFailures(matrices, KNOWN_FAILURES);
  const details = [
    ...matrices.map((matrix) => `## ${matrix.title}\n\n${listCells(matrix, verdicts)}`),
    `## ${limits}\n\n${explainLimits(matrices)}`,
    ...(failures === "" ? [] : [`## What fails, and why\n\n${failures}`]),
    note,
  ].join("\n\n");
  problems.push(
    ...publishTable({ file: join(app, "RESULTS.md"), name, text: details }, isCheck),
    ...publishTable({ file: join(root, "README.md"), name, text: `${legend}\n\n${summary}\n\n${note}` }, isCheck),
  );
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
