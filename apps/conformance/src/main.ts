// Has the official conformance suite judge our server and our client, and writes down what it found.

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  checkMessages,
  decodeMessages,
  publishTable,
  readRecordings,
  readSchemaSets,
  tapPort,
  type Recording,
} from "@toolwire/evidence";
import { EXCLUSIONS, isLeftOut } from "./exclusions.ts";
import { startServer } from "./fixture-process.ts";
import { judgeResults, type Verdict } from "./results/judge.ts";
import { readResults } from "./results/read-results.ts";
import { explainExclusions, listScenarios, summarize } from "./results/tables.ts";
import { fetchSuite, type Suite } from "./suite/fetch-suite.ts";
import {
  hasRequirements,
  readRequirements,
  scenariosOf,
  type RequirementSet,
  type Side,
} from "./suite/requirements.ts";
import { judgeClient, judgeClientAlone, judgeServer, judgeServerAlone } from "./suite/run-suite.ts";

/** 2025-03-26 has no requirement set. A few scenarios are about it all the same. */
const REVISIONS = ["2025-03-26", "2025-11-25", "2026-07-28"];
// `--revision REVISION` runs the legs of that revision only, and publishes nothing.
const { revision: only } = parseArgs({ options: { revision: { type: "string" } } }).values;
if (only !== undefined && !REVISIONS.includes(only)) throw new Error(`There are legs for ${REVISIONS.join(", ")}.`);
const CLIENT_COMMAND = "node dist/tapped-client.js";

const app = fileURLToPath(new URL("..", import.meta.url));
const root = join(app, "..", "..");
const cache = join(root, "node_modules", ".cache", "conformance");
const output = join(cache, "results");
const problems: string[] = [];

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
const suite = await fetchSuite(join(app, "suite"), process.env["CONFORMANCE_SUITE"] ?? join(cache, "suite"));
const schemaSets = readSchemaSets(join(root, "..", "shared", "spec"));
console.log(`Messages on the wire are checked against the ${schemaSets.map(({ name }) => name).join(" and the ")}.`);

const verdicts: Verdict[] = [];
const alone: Verdict[] = [];
for (const side of ["server", "client"] as const) {
  for (const revision of REVISIONS.filter((each) => only === undefined || each === only)) {
    const set = readRequirements(suite, revision, side);
    verdicts.push(side === "server" ? await runServerSet(suite, set) : await runClientSet(suite, set));
    if (side === "client") alone.push(await runOneByOne(suite, set));
  }
}
if (only === undefined) {
  for (const { scenario } of EXCLUSIONS.filter((exclusion) => !verdicts.some(({ used }) => used.has(exclusion)))) {
    problems.push(`The exclusion of ${scenario.source} excludes nothing any more: remove it from exclusions.ts.`);
  }
  publish();
}

for (const problem of problems) console.error(`✗ ${problem}`);
console.log(
  problems.length === 0 ? "No problems." : `${problems.length} problems; what the suite wrote is in ${output}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;

async function runServerSet(by: Suite, set: RequirementSet): Promise<Verdict> {
  const directory = join(output, `server-${set.revision}`);
  const server = await startServer();
  const tap = await tapPort({ port: server.port });
  try {
    const run = { output: directory, log: `${directory}.log`, cwd: app };
    const url = `http://127.0.0.1:${tap.port}/mcp`;
    if (hasRequirements(set.revision)) await judgeServer(by, url, set.revision, run);
    for (const scenario of set.named) {
      await judgeServerAlone(by, url, set.revision, scenario, { ...run, log: `${directory}-${scenario}.log` });
    }
  } finally {
    await tap.close();
    await server.stop();
  }
  checkWire(`server ${set.revision}`, tap.recordings(), "server");
  return conclude(set, directory, "");
}

async function runClientSet(by: Suite, set: RequirementSet): Promise<Verdict> {
  const directory = join(output, `client-${set.revision}`);
  const wire = `${directory}-wire`;
  mkdirSync(wire);
  const run = { output: directory, log: `${directory}.log`, cwd: app, environment: { WIRE_DIRECTORY: wire } };
  if (hasRequirements(set.revision)) await judgeClient(by, CLIENT_COMMAND, set.revision, run);
  for (const scenario of set.named) {
    const log = `${directory}-${scenario.replaceAll("/", "-")}.log`;
    await judgeClientAlone(by, CLIENT_COMMAND, set.revision, scenario, { ...run, log });
  }
  checkWire(`client ${set.revision}`, readRecordings(wire), "client");
  return conclude(set, directory, "");
}

/** Runs each client scenario in the mode in which the suite minds everything, and leaves it to the client to negotiate. */
async function runOneByOne(by: Suite, set: RequirementSet): Promise<Verdict> {
  const directory = join(output, `client-${set.revision}-alone`);
  const wire = `${directory}-wire`;
  mkdirSync(directory);
  mkdirSync(wire);
  for (const scenario of scenariosOf(set).filter((name) => !isLeftOut("client", name))) {
    const environment = { WIRE_DIRECTORY: wire, NEGOTIATE: "1" };
    const run = { output: directory, log: join(directory, `${scenario}.log`), cwd: app, environment };
    const code = await judgeClientAlone(by, CLIENT_COMMAND, set.revision, scenario, run);
    if (code !== 0) problems.push(`client ${set.revision}, alone: ${scenario}: the suite exited with code ${code}`);
  }
  checkWire(`client ${set.revision}, alone`, readRecordings(wire), "client");
  return conclude(set, directory, ", alone");
}

function conclude(set: RequirementSet, directory: string, mode: string): Verdict {
  const verdict = judgeResults(set, readResults(directory), EXCLUSIONS);
  const { scenarios } = verdict;
  const title = `${set.side} ${set.revision}${mode}`;
  for (const { scenario, problems: found } of scenarios) {
    problems.push(...found.map((problem) => `${title}: ${scenario}: ${problem}`));
  }
  const passed = scenarios.filter(({ outcome }) => outcome === "passed").length;
  const failed = scenarios.filter(({ outcome }) => outcome === "failed").length;
  console.log(`${title}: ${passed} scenarios passed, ${failed} failed, ${scenarios.length - passed - failed} left out`);
  return verdict;
}

function checkWire(title: string, recordings: readonly Recording[], side: Side): void {
  const messages = decodeMessages(recordings);
  for (const { name, schemas } of schemaSets) {
    const { checked, problems: found } = checkMessages(messages, side, schemas);
    problems.push(...found.map((problem) => `${title}, wire, ${name}: ${problem}`));
    const counts = [...checked].map(([revision, count]) => `${count} of ${revision}`);
    console.log(`${title}: checked messages on the wire against the ${name}: ${counts.join(", ") || "none"}`);
  }
}

function publish(): void {
  const outcome = {
    verdicts,
    alone,
    date: new Date().toISOString().slice(0, 10),
    versions: `\`@modelcontextprotocol/conformance\` ${suite.version} on Node ${suite.nodeVersion}, ours on Node ${process.versions.node}`,
  };
  const summary = summarize(outcome);
  console.log(`\n${summary}\n`);
  const isCheck = process.env["CI"] !== undefined;
  const details = [summary, "## Left out", explainExclusions(EXCLUSIONS), listScenarios(verdicts)].join("\n\n");
  problems.push(
    ...publishTable({ file: join(app, "RESULTS.md"), name: "conformance", text: details }, isCheck),
    ...publishTable({ file: join(root, "README.md"), name: "conformance", text: summary }, isCheck),
  );
}
