import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Cluster, createMemoryEngine } from "../../../src/cluster/index.ts";
import { EngineEnd } from "../../../src/cluster/workers/engine-end.ts";
import { WorkerCluster } from "../../../src/cluster/workers/worker-cluster.ts";
import { clusterContract, registerContract } from "../../../src/testing/index.ts";

let child: ChildProcess;
let nodes = 0;

beforeAll(() => {
  child = fork(join(import.meta.dirname, "engine-process.ts"), {
    execArgv: ["--conditions=@toolwire/source", "--import", "tsx"],
  });
  child.setMaxListeners(1000);
});

afterAll(async () => {
  const ended = once(child, "exit");
  child.disconnect();
  await ended;
});

interface Sent {
  readonly node: number;
  readonly message: { readonly connected?: string };
}

/** Connects a node of this process to the engine of the other one. */
function connect(): Promise<Cluster> {
  nodes += 1;
  const node = nodes;
  const send = (message: object, sent: () => void): void => void child.send({ node, message }, sent);
  return new Promise((resolve) => {
    let cluster: WorkerCluster | undefined;
    child.on("message", (sent: Sent) => {
      if (sent.node !== node) return;
      const { connected } = sent.message;
      if (cluster !== undefined) cluster.receive(sent.message);
      else if (connected !== undefined) resolve((cluster = new WorkerCluster(connected, send)));
    });
    send({ connect: true }, () => {});
  });
}

registerContract(
  "an engine in another process",
  clusterContract({ connect, maxMessageBytes: 1_000_000, maxChanges: 10_000, timeout: 20_000 }),
  { describe, it },
);

/** Two ends of a channel in this process. A test decides when what was sent has left. */
function connectHere() {
  const engine = createMemoryEngine();
  const ends: { worker?: WorkerCluster; end?: EngineEnd } = {};
  const sent: (() => void)[] = [];
  const pass = (message: object, receive: ((message: object) => void) | undefined, done: () => void): void => {
    sent.push(done);
    const text = JSON.stringify(message);
    queueMicrotask(() => receive?.(JSON.parse(text) as object));
  };
  const node = engine.connect();
  ends.worker = new WorkerCluster(node.node, (message, done) => pass(message, (each) => ends.end?.receive(each), done));
  ends.end = new EngineEnd(node, (message, done) => pass(message, (each) => ends.worker?.receive(each), done));
  const leave = (): void => {
    for (const done of sent.splice(0)) done();
  };
  return { engine, worker: ends.worker, end: ends.end, leave };
}

describe("the channel between a worker and its engine", () => {
  it("refuses calls once too many wait for a process that does not read", async () => {
    const { worker, leave } = connectHere();
    const calls = Array.from({ length: 10_001 }, () => worker.sessions.get("s"));
    await expect(calls.at(-1)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    leave();
    expect(await worker.sessions.get("s")).toBeUndefined();
    await Promise.allSettled(calls);
  });

  it("tells a worker that it has missed changes once it reads again", async () => {
    const { engine, worker, leave } = connectHere();
    const other = engine.connect();
    const heard: string[] = [];
    let missed = 0;
    worker.bus.listen({
      message: () => undefined,
      changes: ({ changes }) => void heard.push(...changes),
      missed: () => void (missed += 1),
    });
    for (let number = 0; number < 10_050; number++) await other.bus.announce([String(number)]);
    leave();
    await other.bus.announce(["after all"]);
    await vi.waitFor(() => expect(missed).toBe(1));
    expect(heard.length).toBeLessThan(10_001);
    await other.bus.announce(["the next one"]);
    await vi.waitFor(() => expect(heard.at(-1)).toBe("the next one"));
    expect(missed).toBe(1);
  });

  it("has an answer for calls that no engine has", async () => {
    const { end, worker } = connectHere();
    const answers: object[] = [];
    const asked = new EngineEnd(end.node, (message) => void answers.push(message));
    const calls: readonly [method: unknown, args: unknown][] = [
      ["sessions.destroy", []],
      ["constructor", []],
      ["__proto__.toString", []],
      ["sessions.get", [1]],
      ["sessions.get", ["a", "b"]],
      ["bus.announce", [[1]]],
      ["keys.add", [null]],
    ];
    for (const [id, [method, args]] of calls.entries()) {
      expect(asked.receive({ engine: "call", id, method, args })).toBe(true);
    }
    await vi.waitFor(() => expect(answers.filter((answer) => "failed" in answer)).toHaveLength(calls.length));
    // Messages that are for others are left to them.
    expect(asked.receive({ engine: "call", id: "1", method: 2, args: 3 })).toBe(false);
    expect(asked.receive({ user: "message" })).toBe(false);
    expect(worker.receive({ user: "message" })).toBe(false);
  });

  it("carries limits that are infinite", async () => {
    const { worker } = connectHere();
    const room = { max: Infinity, maxPerClient: Infinity };
    expect(await worker.sessions.create({ id: "a", facts: "", client: "one" }, Infinity, room)).toBe("created");
    expect(await worker.sessions.create({ id: "b", facts: "", client: "one" }, 1000, room)).toBe("created");
  });

  it("ends the wait for an engine that does not answer, and says when it does again", async () => {
    vi.useFakeTimers();
    try {
      const silent = new WorkerCluster("abcdefghij", () => {});
      const states: boolean[] = [];
      silent.bus.listen({ message() {}, changes() {}, missed() {}, stateChanged: (isUp) => void states.push(isUp) });
      const refused = expect(silent.sessions.get("s")).rejects.toMatchObject({ code: "UNAVAILABLE" });
      const late = expect(
        silent.bus.request("other", { id: "m", kind: "x", body: 1 }, { timeout: 5000 }),
      ).rejects.toMatchObject({ code: "UNAVAILABLE" });
      await vi.advanceTimersByTimeAsync(2000);
      await refused;
      expect(silent.bus.isUp).toBe(false);
      await vi.advanceTimersByTimeAsync(5000);
      await late;
      silent.receive({ engine: "result", id: 99 });
      expect(silent.bus.isUp).toBe(true);
      expect(states).toEqual([false, true]);
    } finally {
      vi.useRealTimers();
    }
  });
});
