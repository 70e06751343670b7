import { markdownTable } from "@toolwire/evidence";
import type { Account } from "../accounts/accountant.ts";
import { PROMISES } from "../accounts/promises.ts";
import { titleOf } from "../cells.ts";
import type { RunResult } from "../run.ts";

/** How much the heap of the load may grow after the warm-up, in megabytes, whatever the length of the run. */
const MAX_HEAP_GROWTH_MB = 8;

const HEAD = [
  "binding and era",
  "calls",
  "answered",
  "given up by the caller",
  "failed",
  "sent again",
  "retried",
  "executed twice",
  "lost",
  "doubled",
  "restarts",
  "cuts",
];

/** The figures of a run, one row for each binding and era. */
export function describeAccounts(accounts: readonly Account[]): string {
  return markdownTable(HEAD, accounts.map(toRow));
}

function toRow(account: Account): string[] {
  const { cell, calls, answered, givenUp, failed, sentAgain, retried, executedTwice, lost, doubled, restarts, cuts } =
    account;
  const codes = [...failed].toSorted(([, one], [, other]) => other - one).map(([code, count]) => `${code} ${count}`);
  const counts = [sentAgain, retried, executedTwice, lost, doubled, restarts, cuts].map(String);
  return [titleOf(cell), `${calls}`, `${answered}`, `${givenUp}`, codes.join(", ") || "0", ...counts];
}

/** How much the heap has grown, in megabytes. */
function heapGrowthOf({ heap: [warm, final] }: RunResult): number {
  return (final - warm) / 1024 / 1024;
}

/** Everything that must not be, in words. Empty if all promises held. */
export function listProblems(result: RunResult): string[] {
  const broken = result.accounts.flatMap(({ cell, problems }) =>
    Array.from(problems.values(), ({ promise, count, examples }) => {
      const shown = examples.map((example) => `\n    ${example}`).join("");
      return `${titleOf(cell)}: ${promise} (${PROMISES[promise]}): ${count}x${shown}`;
    }),
  );
  const growth = heapGrowthOf(result);
  return [
    ...broken,
    ...result.unhandled.map((error) => `A rejection or exception that nobody handled: ${error}`),
    ...result.leftovers.map((left) => `Something still keeps the process alive when all is closed: ${left}`),
    ...(growth > MAX_HEAP_GROWTH_MB ? [`The heap has grown by ${growth.toFixed(1)} MB after the warm-up.`] : []),
  ];
}

/** One line about the run as a whole. */
export function summarize(result: RunResult): string {
  const sum = (count: (account: Account) => number): number =>
    result.accounts.reduce((total, account) => total + count(account), 0);
  const growth = heapGrowthOf(result);
  return (
    `${sum(({ calls }) => calls)} calls, ${sum(({ restarts }) => restarts)} restarts, ` +
    `${sum(({ cuts }) => cuts)} cuts, ${result.unhandled.length} unhandled rejections; ` +
    `heap after the warm-up ${growth < 0 ? "" : "+"}${growth.toFixed(1)} MB.`
  );
}
