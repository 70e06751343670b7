import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { endWindowsTree } from "../../../src/transports/stdio/process-tree.ts";

function startSleeper(): ChildProcess {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 60_000)"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

it("endWindowsTree() ends at least the process itself where there is no taskkill", async () => {
  const child = startSleeper();
  const exit = once(child, "exit");
  endWindowsTree(child, child.pid!, { SystemRoot: "Z:\\nowhere" });
  expect(await exit).toEqual([null, "SIGKILL"]);
});

// POSIX takes a path of Windows for a mere name, so that a script can play the program of the system.
it.skipIf(process.platform === "win32")(
  "endWindowsTree() runs the taskkill of the system, and helps where it fails",
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "toolwire-taskkill-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const log = join(directory, "log");
    const script = `#!/bin/sh\necho "$*" > '${log}'\nexit 1\n`;
    await writeFile(join(directory, "Z:\\Win\\System32\\taskkill.exe"), script, { mode: 0o755 });
    vi.stubEnv("PATH", directory);
    onTestFinished(() => void vi.unstubAllEnvs());

    const child = startSleeper();
    const exit = once(child, "exit");
    endWindowsTree(child, child.pid!, { SystemRoot: "Z:\\Win" });
    expect(await exit).toEqual([null, "SIGKILL"]);
    expect(await readFile(log, "utf8")).toBe(`/pid ${child.pid} /t /f\n`);
  },
);
