import { once } from "node:events";
import { Agent } from "node:http";
import { connect, createServer as createNetServer, type AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { LegacySession, read } from "./legacy-session.ts";
import {
  buildProgram,
  callTool,
  endPrograms,
  isRunning,
  listen,
  removeProgram,
  runProgram,
  type Program,
} from "./run-program.ts";

beforeAll(buildProgram);
afterEach(endPrograms);
afterAll(removeProgram);

/** The processes that answer, found out by several calls. */
async function findPids({ url }: Program, calls = 8): Promise<string[]> {
  const pids = await Promise.all(Array.from({ length: calls }, () => callTool(url, "pid")));
  return [...new Set(pids)].toSorted();
}

/** Signals a process that is no child of this one. */
function signal(pid: number | string | undefined, name: NodeJS.Signals): void {
  process.kill(Number(pid), name);
}

async function whenReplaced(program: Program, pid: number | string | undefined): Promise<void> {
  await vi.waitFor(
    async () => {
      const pids = await findPids(program);
      expect(pids).toHaveLength(2);
      expect(pids).not.toContain(String(pid));
    },
    { timeout: 20_000, interval: 50 },
  );
}

describe("serveHttp with workers", () => {
  it("serves with as many processes as wanted, all on one port, and not with the one that has started them", async () => {
    const program = await runProgram({ options: { workers: 3 } });
    const pids = await findPids(program, 12);
    expect(pids).toEqual(program.pids().map(String).toSorted());
    expect(pids).toHaveLength(3);
  });

  it("tells the subscribers of all workers of a change in one of them", async () => {
    const program = await runProgram({});
    const streams = await Promise.all(Array.from({ length: 4 }, () => listen(program.url)));
    await callTool(program.url, "announce");
    for (const { text, close } of streams) {
      await vi.waitFor(() => expect(text()).toContain("notifications/tools/list_changed"), 10_000);
      close();
    }
  });

  it("replaces a worker that was killed, and meanwhile answers all new connections", async () => {
    const program = await runProgram({});
    const [victim] = await findPids(program);
    signal(victim, "SIGKILL");
    for (let call = 0; call < 20; call++) await callTool(program.url, "pid");
    await whenReplaced(program, victim);
    expect(program.diagnostics).toEqual([`A worker (process ${victim}) has ended by SIGKILL. Another one is started.`]);
  });

  it("fails only the calls that a killed worker was working on", async () => {
    const program = await runProgram({});
    const calls = Array.from({ length: 10 }, () => callTool(program.url, "wait"));
    const settled = Promise.allSettled(calls);
    const [victim] = await findPids(program);
    signal(victim, "SIGKILL");
    const outcomes = await settled;
    const answers = outcomes.filter((outcome) => outcome.status === "fulfilled").map(({ value }) => value);
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.length).toBeLessThan(10);
    expect(answers).not.toContain(victim);
  });

  it("gives a connection to another worker if the first one dies before it has read anything", async () => {
    const program = await runProgram({});
    const [victim] = await findPids(program);
    signal(victim, "SIGSTOP");
    const calls = Array.from({ length: 6 }, () => callTool(program.url, "pid"));
    // Some of them are on their way to the worker that has stopped.
    const [first] = await Promise.race(calls.map(async (call) => [await call]));
    expect(first).not.toBe(victim);
    signal(victim, "SIGKILL");
    const pids = await Promise.all(calls);
    expect(pids).not.toContain(victim);
  });

  it("keeps connections until a worker serves again if all were killed, on the same port", async () => {
    const program = await runProgram({});
    for (const pid of program.pids()) signal(pid, "SIGKILL");
    const pids = await Promise.all(Array.from({ length: 4 }, () => callTool(program.url, "pid")));
    expect(pids).toHaveLength(4);
  });

  it("replaces all workers on reload() without a call that fails", async () => {
    const program = await runProgram({});
    const before = await findPids(program);
    const agent = new Agent({ keepAlive: true, maxSockets: 3 });
    const calls: string[] = [];
    const over = new AbortController();
    const calling = [1, 2, 3].map(async () => {
      while (!over.signal.aborted) calls.push(await callTool(program.url, "pid", agent));
    });
    const slow = callTool(program.url, "wait");
    await program.act("reload");
    over.abort();
    await Promise.all(calling);
    agent.destroy();
    expect(before).toContain(await slow);
    const after = await findPids(program);
    expect(after).toHaveLength(2);
    for (const pid of before) expect(after).not.toContain(pid);
    expect(new Set(calls).size).toBeGreaterThan(2);
    expect(program.diagnostics).toEqual([]);
  });

  it("finishes calls on close(), and leaves no process", async () => {
    const program = await runProgram({});
    const pids = program.pids();
    const call = callTool(program.url, "wait");
    await findPids(program);
    const ended = once(program.child, "exit");
    await program.act("close");
    expect(pids.map(String)).toContain(await call);
    expect(pids.filter(isRunning)).toEqual([]);
    await ended;
    await expect(callTool(program.url, "pid")).rejects.toThrow("ECONNREFUSED");
  });

  it("answers until it is closed on drain()", async () => {
    const program = await runProgram({});
    const pids = program.pids();
    const draining = program.act("drain");
    expect(await findPids(program)).toEqual(pids.map(String).toSorted());
    await draining;
    expect(pids.filter(isRunning)).toEqual([]);
  });

  it("leaves no worker if the process is killed that has started them", async () => {
    const program = await runProgram({});
    const pids = program.pids();
    program.child.kill("SIGKILL");
    await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), 10_000);
  });

  it("closes the connection of a client that is too slow", async () => {
    const { url } = await runProgram({ options: { headersTimeout: 200 } });
    const { port } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write("POST /mcp HTTP/1.1\r\n");
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    await once(socket, "close");
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe("a legacy session of a program with workers", () => {
  it("is served by every worker", async () => {
    const program = await runProgram({});
    const session = await LegacySession.open(program.url);
    const pids = await Promise.all(Array.from({ length: 8 }, () => session.callTool("pid")));
    expect(new Set(pids)).toEqual(new Set(program.pids().map(String)));
  });

  it("goes on after all workers were killed, and after a reload", async () => {
    const program = await runProgram({});
    const session = await LegacySession.open(program.url);
    const before = program.pids();
    for (const pid of before) signal(pid, "SIGKILL");
    expect(before.map(String)).not.toContain(await session.callTool("pid"));
    await program.act("reload");
    expect(before.map(String)).not.toContain(await session.callTool("pid"));
  });

  it("ends for all workers when its client deletes it", async () => {
    const program = await runProgram({});
    const session = await LegacySession.open(program.url);
    await session.callTool("pid");
    await read(await session.send("DELETE"));
    const late = await Promise.allSettled(Array.from({ length: 4 }, () => session.callTool("pid")));
    for (const outcome of late) expect(outcome).toMatchObject({ status: "rejected", reason: { message: /^404 / } });
  });

  it("answers at one worker what another has asked", async () => {
    const program = await runProgram({});
    const session = await LegacySession.open(program.url);
    const asking = new Set<string>();
    // Connections are handed out in turn: of two calls and two answers, some meet at different workers.
    for (let call = 0; call < 4; call++) {
      const response = await session.send("POST", session.call("ask"));
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      const ended = once(response, "end");
      await vi.waitFor(() => expect(text).toContain("elicitation/create"), 10_000);
      const [, id = ""] = /"id":("[^"]+"|\d+)/.exec(text) ?? [];
      // One connection more or less, so that the answer comes to both workers in turn.
      if (call % 2 === 0) await session.callTool("pid");
      const result = { action: "accept", content: { name: "Ada" } };
      await session.post({ jsonrpc: "2.0", id: JSON.parse(id) as unknown, result });
      await ended;
      const [, pid = ""] = /Ada by (\d+)/.exec(text) ?? [];
      asking.add(pid);
    }
    expect(asking.size).toBe(2);
  });

  it("hears on one worker of a change in another", async () => {
    const program = await runProgram({});
    const session = await LegacySession.open(program.url);
    const response = await session.send("GET");
    let text = "";
    response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    response.on("error", () => {});
    const announced = new Set<string>();
    await vi.waitFor(
      async () => {
        announced.add(await callTool(program.url, "announce"));
        expect(announced.size).toBe(2);
      },
      { timeout: 10_000 },
    );
    await vi.waitFor(() => expect(text.split("list_changed").length - 1).toBeGreaterThanOrEqual(2), 10_000);
    response.destroy();
  });
});

describe("serveHttp with workers fails with one error", () => {
  it("if the port is taken", async () => {
    const other = createNetServer();
    await new Promise<void>((resolve) => void other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    await expect(runProgram({ options: { port } })).rejects.toMatchObject({
      code: "CONNECT_FAILED",
      message: expect.stringContaining(String(port)) as string,
    });
    other.close();
  });

  it.each([
    ["throws", /^A worker could not start: it ended with code 1\. What it has written says why\.$/],
    ["exits", /^A worker could not start: it ended with code 7\./],
    ["bad option", /^A worker could not start: .*maxBodyBytes/],
    ["two calls", /^This process has workers already\./],
  ])("if a worker %s", async (failure, message) => {
    const problem = runProgram({ failure });
    await expect(failure === "two calls" ? problem.then(whenFailed) : problem).rejects.toThrow(message);
  });
});

/** Rejects with what the program says later. */
function whenFailed({ child }: Program): Promise<never> {
  return new Promise((_resolve, reject) => {
    child.on("message", ({ failed }: { readonly failed?: { readonly message: string } }) => {
      if (failed !== undefined) reject(new Error(failed.message));
    });
  });
}
