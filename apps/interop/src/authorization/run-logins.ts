import { join } from "node:path";
import { markdownTable, startGroup, untilFinished } from "@toolwire/evidence";
import { LOGIN_STEPS, type LoginPair } from "./outcomes.ts";

/** Time limit for all logins. */
const LOGINS_MS = 180_000;

/** The logins of all pairs, and why the program that makes them failed, if it did. */
export interface LoginRun {
  readonly pairs: readonly LoginPair[];
  readonly complaint: string | undefined;
}

/**
 * Runs the program that logs in across SDKs. It shares its authorization server with the tests of the client, so it is no part of
 * what is built here, and runs from its sources.
 */
export async function runLogins(root: string): Promise<LoginRun> {
  const program = join(root, "apps", "interop", "test", "authorization", "main.ts");
  const command = [process.execPath, "--conditions=@toolwire/source", "--import", "tsx", program] as const;
  const group = startGroup(command, { env: process.env, cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const { stdout, stderr, isLate } = await untilFinished(group, LOGINS_MS);
  await group.end();
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  const pairs = lines.map((line) => JSON.parse(line) as LoginPair);
  const isDone = !isLate && pairs.length > 0 && group.child.exitCode === 0;
  return { pairs, complaint: isDone ? undefined : `logins: not done. ${stderr.slice(-500)}` };
}

/** The steps that failed, as problems. */
export function problemsOf(pairs: readonly LoginPair[]): string[] {
  return pairs.flatMap(({ side, way, outcomes }) =>
    Object.entries(outcomes).flatMap(([step, outcome]) =>
      outcome === "passed" ? [] : [`${side}, ${way}: ${step}: ${outcome.failed}`],
    ),
  );
}

/** One table for each side: how clients get their tokens, and which steps passed. */
export function tabulateLogins(pairs: readonly LoginPair[]): string {
  return [...new Set(pairs.map(({ side }) => side))]
    .map((side) => {
      const own = pairs.filter((pair) => pair.side === side);
      const rows = own.map(({ way, outcomes }) => [way, ...LOGIN_STEPS.map((step) => mark(outcomes[step]))]);
      return `#### ${side}\n\n${markdownTable(["tokens by", ...LOGIN_STEPS], rows)}`;
    })
    .join("\n\n");
}

function mark(outcome: LoginPair["outcomes"][string] | undefined): string {
  if (outcome === undefined) return "–";
  return outcome === "passed" ? "✓" : "✗";
}
