import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findLeftovers, killLeftovers } from "../../src/processes/leftovers.ts";
import { runGroup, startGroup, untilFinished } from "../../src/processes/process-group.ts";

/** Names the processes of one test. */
let mention: string;
beforeEach(() => {
  mention = mkdtempSync(join(tmpdir(), "process-group-"));
});
afterEach(async () => {
  rmSync(mention, { recursive: true, force: true });
  killLeftovers(await findLeftovers(mention, 0));
});

const NODE = [process.execPath, "-e"] as const;
/** Starts a program of its own that ignores every request to end, says so, and does the same itself. */
const STUBBORN = `
  process.on("SIGTERM", () => {});
  const child = require("node:child_process").spawn(process.execPath, ["-e",
    'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("started")'],
    { stdio: ["ignore", "inherit", "ignore"] });
  setInterval(() => {}, 1000);
`;

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, MENTION: mention };
}

// Only Linux can list the processes of a test.
describe.skipIf(process.platform !== "linux")("a process group", () => {
  test("ends along with what its program has started", async () => {
    const group = startGroup([...NODE, STUBBORN], { env: environment(), stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface(group.child.stdout!)) if (line === "started") break;
    expect(await findLeftovers(mention, 0)).toHaveLength(2);

    await group.stop();
    expect(await findLeftovers(mention, 0)).toHaveLength(1);

    await group.end();

    expect(await findLeftovers(mention)).toEqual([]);
  });

  test("ends when the process that has started it exits or is asked to end", async () => {
    const module = pathToFileURL(join(import.meta.dirname, "../../src/processes/process-group.ts")).href;
    const program = `
      const { startGroup } = await import(${JSON.stringify(module)});
      startGroup([process.execPath, "-e", ${JSON.stringify(STUBBORN)}], { stdio: ["ignore", "inherit", "ignore"] });
    `;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
      env: environment(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    for await (const line of createInterface(child.stdout)) if (line === "started") break;

    child.kill("SIGTERM");
    await once(child, "exit");

    expect(await findLeftovers(mention)).toEqual([]);
  });

  test("is killed when it takes longer than it may", async () => {
    const { isLate } = await runGroup([...NODE, STUBBORN], { env: environment(), milliseconds: 500 });

    expect(isLate).toBe(true);
    expect(await findLeftovers(mention)).toEqual([]);
  });

  test("is not waited for when its program has ended, but can still be found and killed", async () => {
    const program = `
      const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
      child.once("spawn", () => { console.log("done"); process.exit(0); });
    `;
    const group = startGroup([...NODE, program], { env: environment(), stdio: ["ignore", "pipe", "pipe"] });

    const { stdout, code } = await untilFinished(group, 20_000);
    const leftovers = await findLeftovers(mention, 0);
    killLeftovers(leftovers);
    // Processes that have ended meanwhile do no harm.
    killLeftovers(await findLeftovers(mention));
    await group.end();

    expect({ stdout, code, count: leftovers.length }).toEqual({ stdout: "done\n", code: 0, count: 1 });
    expect(await findLeftovers(mention)).toEqual([]);
  });

  test("is found by what its environment mentions", async () => {
    const group = startGroup([...NODE, "setInterval(() => {}, 1000)"], { env: environment(), stdio: "ignore" });
    await once(group.child, "spawn");

    const [found] = await findLeftovers(mention, 0);
    await group.end();

    expect(found).toMatchObject({ pid: group.child.pid, commandLine: expect.stringContaining("setInterval") });
  });
});

test("runGroup() returns what a program printed, and its exit code", async () => {
  const result = await runGroup([...NODE, 'console.log("out"); console.error("err"); process.exitCode = 3'], {
    milliseconds: 20_000,
  });

  expect(result).toEqual({ stdout: "out\n", stderr: "err\n", code: 3, isLate: false });
});

test("a program that does not exist is an error", async () => {
  await expect(runGroup(["no-such-program"], { milliseconds: 20_000 })).rejects.toThrow("ENOENT");
});
