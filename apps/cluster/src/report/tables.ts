import { markdownTable } from "@toolwire/evidence";
import type { Account } from "../accounts/judge.ts";
import { PROMISES } from "../accounts/promises.ts";
import type { CellResult } from "../run-cell.ts";

const CALLS_HEAD = [
  "engine",
  "processes",
  "era",
  "calls",
  "of SDKs",
  "answered",
  "cancelled",
  "failed, not run",
  "failed, may have run",
  "lost",
  "doubled",
  "streams cut",
  "of these answered",
  "reports missed",
  "reports repeated",
];

/** What became of the calls, a row for each engine, number of processes and era. */
export function tabulateCalls(results: readonly CellResult[]): string {
  return markdownTable(
    CALLS_HEAD,
    results.flatMap(({ engine, nodes, verdict }) =>
      verdict.accounts.map((account) => [engine, `${nodes}`, account.era, ...figuresOf(account)]),
    ),
  );
}

function figuresOf(account: Account): string[] {
  const { calls, bySdk, answered, cancelled, notRun, mayHaveRun, lost, doubled, missedReports, repeatedReports } =
    account;
  // Only legacy streams can be resumed, so only these are cut.
  const streams = account.era === "legacy" ? [account.cut, account.resumed] : ["–", "–"];
  return [
    calls,
    bySdk,
    answered,
    cancelled,
    notRun,
    mayHaveRun,
    lost,
    doubled,
    ...streams,
    missedReports,
    repeatedReports,
  ].map(String);
}

const FAULTS_HEAD = [
  "engine",
  "processes",
  "killed",
  "stopped",
  "replaced",
  "engine restarted",
  "engine cut off",
  "streams cut",
  "sessions lost",
  "seconds",
  "promises",
];

/** What was done to servers and engines, and whether all promises were kept. */
export function tabulateFaults(results: readonly CellResult[]): string {
  return markdownTable(
    FAULTS_HEAD,
    results.map(({ engine, nodes, faults, replaced, lostSessions, seconds, verdict }) => {
      const { kills, pauses, cuts, engineRestarts, engineCutOffs } = faults;
      const ofEngine = engine === "`workers`" ? ["–", "–"] : [engineRestarts, engineCutOffs];
      const figures = [nodes, kills, pauses, replaced, ...ofEngine, cuts, lostSessions, seconds].map(String);
      const broken = verdict.broken.map(({ promise }) => `\`${promise}\``);
      return [engine, ...figures, broken.length === 0 ? "all kept" : `broken: ${broken.join(", ")}`];
    }),
  );
}

/** What is promised, a row for each promise. */
export function tabulatePromises(): string {
  return markdownTable(
    ["promise", "what it means"],
    Object.entries(PROMISES).map(([name, meaning]) => [`\`${name}\``, meaning]),
  );
}

/** The errors that callers were given, the most frequent first. */
export function listFailures({ verdict }: CellResult): string[] {
  return [...verdict.failures]
    .toSorted(([, one], [, other]) => other - one)
    .map(([code, count]) => `${String(count).padStart(6)}  ${code}`);
}

/** Everything that must not be, in words. Empty if all promises were kept. */
export function listProblems(results: readonly CellResult[]): string[] {
  return results.flatMap(({ engine, nodes, verdict }) =>
    verdict.broken.map(({ promise, count, examples }) => {
      const shown = examples.map((example) => `\n    ${example}`).join("");
      return `${engine} with ${nodes} processes: ${promise} (${PROMISES[promise]}): ${count}x${shown}`;
    }),
  );
}
