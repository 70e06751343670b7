import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { spawnServer } from "@toolwire/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { bundleFixture } from "../../../../../test/bundle-fixture.ts";
import { isRunning } from "./is-running.ts";
import { Peer } from "./peer.ts";
import { scriptedProcess } from "./scripted-process.ts";

const clientProgram = await bundleFixture(new URL("./fixtures/client.ts", import.meta.url));

/** How long a process may take to be gone before a test gives up. */
const PATIENCE = { timeout: 20_000 };

/** Starts `sleep` in a session of its own, by a process in a session of its own, and writes down the ids of both. */
const START_FAMILY = `
  const { spawn } = require("node:child_process");
  const detached = { detached: true, stdio: ["ignore", "pipe", "ignore"] };
  const script = 'const c = require("node:child_process").spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });' +
    'process.stdout.write(c.pid + "\\\\n"); setInterval(() => {}, 60_000);';
  const child = spawn(process.execPath, ["-e", script], detached);
`;

/** Makes sure that nothing stays behind, even if the test fails. */
function endAfterTest(pids: readonly number[]): void {
  onTestFinished(() => {
    for (const pid of pids) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  });
}

// Elsewhere there is no /proc; Windows walks the tree by itself.
describe.skipIf(process.platform !== "linux")("a process that a server has started in a session of its own", () => {
  /** A server that starts such processes when it is asked to, and says which. */
  const answer = `(request) => {
    ${START_FAMILY}
    child.stdout.once("data", (text) => {
      const result = { pids: [child.pid, Number(text)] };
      process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: request.id, result }) + "\\n");
    });
  }`;

  async function start(extra: string, stopTimeout: number) {
    const peer = await Peer.open(spawnServer({ ...scriptedProcess(answer, extra), stopTimeout }));
    const { pids } = (await peer.caller.call("start", {})) as { pids: number[] };
    endAfterTest(pids);
    expect(pids.map(isRunning)).toEqual([true, true]);
    return { peer, pids };
  }

  it("ends with a server that exits at the end of its input", async () => {
    const { peer, pids } = await start('process.stdin.on("end", () => process.exit(0));', 20_000);
    await peer.close();
    expect(pids.map(isRunning)).toEqual([false, false]);
  });

  it("ends with a server that has to be killed", async () => {
    const { peer, pids } = await start('process.on("SIGTERM", () => {}); setInterval(() => {}, 60_000);', 200);
    await peer.close();
    expect(pids.map(isRunning)).toEqual([false, false]);
  });

  it("gets the chance to end by itself that the server gets", async () => {
    const said: string[] = [];
    const stubborn = `(request) => {
      const script = 'process.on("SIGTERM", () => { process.stderr.write("asked to end "); process.exit(); });' +
        'process.stdout.write("up\\\\n"); setInterval(() => {}, 60_000);';
      const options = { detached: true, stdio: ["ignore", "pipe", "inherit"] };
      const child = require("node:child_process").spawn(process.execPath, ["-e", script], options);
      child.stdout.once("data", () => {
        process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: request.id, result: { pids: [child.pid] } }) + "\\n");
      });
    }`;
    const extra = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 60_000);';
    const options = { ...scriptedProcess(stubborn, extra), stderr: (text: string) => void said.push(text) };
    const peer = await Peer.open(spawnServer({ ...options, stopTimeout: 500 }));
    const { pids } = (await peer.caller.call("start", {})) as { pids: number[] };
    endAfterTest(pids);
    await peer.close();
    expect(said.join("")).toContain("asked to end");
    expect(pids.map(isRunning)).toEqual([false]);
  });

  it.each(["exit", "throw"])("ends with the client (%s)", async (ending) => {
    const server = `${START_FAMILY}
      child.stdout.once("data", (text) => {
        const message = { jsonrpc: "2.0", method: "pids", params: { pids: [process.pid, child.pid, Number(text)] } };
        process.stdout.write(JSON.stringify(message) + "\\n");
      });
      process.stdin.resume();
      setInterval(() => {}, 60_000);
    `;
    const client = spawn(process.execPath, [clientProgram, ending, process.execPath, "-e", server], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void client.kill("SIGKILL"));
    const [line] = (await once(createInterface({ input: client.stdout }), "line")) as [string];
    const { clientSees } = JSON.parse(line) as { clientSees: { params: { pids: number[] } } };
    const { pids } = clientSees.params;
    endAfterTest(pids);
    expect(pids).toHaveLength(3);
    await expect.poll(() => pids.some(isRunning), PATIENCE).toBe(false);
  });
});
