import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/workspace.mjs";

const RUNNERS = "test/contracts/runners";
const find = createRequire(import.meta.url).resolve;

/** How each runner is started on the file that registers the contract with it. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  vitest: [join(find("vitest/package.json"), "../vitest.mjs"), "run", "--config", `${RUNNERS}/vitest.config.ts`],
  "node:test": ["--conditions=@toolwire/source", "--import", "tsx", "--test", `${RUNNERS}/node.mjs`],
  jest: ["--experimental-vm-modules", find("jest/bin/jest"), "--config", `${RUNNERS}/jest.config.json`],
};

function run(
  runner: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number; text: string }> {
  // A runner that is started by another one must not take over its settings.
  const settings = { NODE_OPTIONS: undefined, NODE_TEST_CONTEXT: undefined, VITEST: undefined };
  const env = { ...process.env, ...settings, NO_COLOR: "1", ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, COMMANDS[runner]!, { cwd: root, env }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), text: stdout + stderr });
    });
  });
}

describe.each(Object.keys(COMMANDS))("The contract suite in %s", (runner) => {
  test("passes for a channel that keeps the contract.", async () => {
    const { code, text } = await run(runner);
    expect(code, text).toBe(0);
    expect(text).toMatch(/\b18\b.*pass|pass.*\b18\b/);
  });

  test("fails for a channel that loses messages, and says which.", async () => {
    const { code, text } = await run(runner, { DROP_MESSAGES: "1" });
    expect(code, text).toBe(1);
    expect(text).toContain("The server received 98 of 100 messages: 4 and 5 are missing.");
  });
});
