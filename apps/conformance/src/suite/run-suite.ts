import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import type { Suite } from "./fetch-suite.ts";

/** How to run the suite's program. */
export interface SuiteRun {
  /** Directory for the files that the suite writes about each scenario. */
  readonly output: string;
  /** File for everything that the suite prints. */
  readonly log: string;
  readonly cwd: string;
  readonly environment?: { readonly [name: string]: string };
}

/** Has the suite judge a server by everything a revision requires. */
export function judgeServer(suite: Suite, url: string, revision: string, run: SuiteRun): Promise<number> {
  return runSuite(suite, ["server", "--url", url, "--requirements", revision], run);
}

/** Has the suite judge a server by one scenario. */
export function judgeServerAlone(
  suite: Suite,
  url: string,
  revision: string,
  scenario: string,
  run: SuiteRun,
): Promise<number> {
  return runSuite(suite, ["server", "--url", url, ...alone(revision, scenario)], run);
}

/** Has the suite judge a client by everything a revision requires; all scenarios at once. */
export function judgeClient(suite: Suite, command: string, revision: string, run: SuiteRun): Promise<number> {
  return runSuite(suite, ["client", "--command", command, "--requirements", revision], run);
}

/** Has the suite judge a client by one scenario, in the mode that also minds warnings, time and how the client exits. */
export function judgeClientAlone(
  suite: Suite,
  command: string,
  revision: string,
  scenario: string,
  run: SuiteRun,
): Promise<number> {
  return runSuite(suite, ["client", "--command", command, ...alone(revision, scenario)], run);
}

/** Extensions are in no revision, so the suite has to be told that they are meant. */
function alone(revision: string, scenario: string): readonly string[] {
  return ["--scenario", scenario, "--spec-version", revision, "--force"];
}

/** Resolves to the exit code. What the suite prints goes into the log. */
function runSuite(suite: Suite, args: readonly string[], run: SuiteRun): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(suite.node, [suite.program, ...args, "-o", run.output], {
      cwd: run.cwd,
      env: { ...process.env, ...run.environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const printed: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => printed.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => printed.push(chunk));
    child.once("error", reject);
    child.once("close", (code) => {
      writeFileSync(run.log, Buffer.concat(printed));
      resolve(code ?? 1);
    });
  });
}
