/** Several servers on one store, some of which end in the middle of their work. Real processes are killed in `durability/`. */
import { afterEach, describe, expect, it } from "vitest";
import { memoryTaskStore, type TaskOptions, type TaskRecord, type TaskStore } from "../../src/tasks/index.ts";
import { type Context, tool, type ToolDefinition } from "../../src/index.ts";
import type { ServerDiagnostic } from "../../src/diagnostics.ts";
import { type Deferred, defer, ModernClient } from "../wire-client.ts";
import { callTool, taskIn } from "./task-clients.ts";
import { ADA, DECLARED, NAME, serveTasks, type TaskServerOptions } from "./task-server.ts";

/** A store of which a test can see and break everything. */
class TestedStore implements TaskStore {
  readonly inner: TaskStore = memoryTaskStore();
  readonly records: TaskRecord[] = [];
  isDown = false;

  create = (record: TaskRecord): Promise<boolean> => this.#reach(() => this.#note(record, this.inner.create(record)));
  read = (id: string): Promise<TaskRecord | undefined> => this.#reach(() => this.inner.read(id));
  replace = (record: TaskRecord, ifVersion: number): Promise<boolean> =>
    this.#reach(() => this.#note(record, this.inner.replace(record, ifVersion)));
  delete = (id: string): Promise<void> => this.#reach(() => this.inner.delete(id));
  due = (now: number, limit: number): Promise<readonly string[]> => this.#reach(() => this.inner.due(now, limit));
  count: TaskStore["count"] = (owner) => this.#reach(() => this.inner.count(owner));
  list: TaskStore["list"] = (owner, after, limit) => this.#reach(() => this.inner.list(owner, after, limit));

  #note<T>(record: TaskRecord, result: Promise<T>): Promise<T> {
    this.records.push(record);
    return result;
  }

  #reach<T>(operation: () => Promise<T>): Promise<T> {
    return this.isDown ? Promise.reject(new Error("The engine is down.")) : operation();
  }
}

describe("After its process has ended, a task", () => {
  let clients: ModernClient[] = [];
  let store: TestedStore;
  let gates: Deferred<void>[] = [];
  let runs: Context[] = [];
  let effects: string[] = [];

  function open(options: TaskOptions | true = true, server: TaskServerOptions = {}): ModernClient {
    const job: ToolDefinition = tool({
      task: options,
      async run(_args, ctx) {
        runs.push(ctx);
        const gate = defer();
        gates.push(gate);
        try {
          await ctx.once("first", () => void effects.push("first"));
          await gate.promise;
          await ctx.once("second", () => void effects.push("second"));
          return `done by attempt ${ctx.task.attempt}`;
        } finally {
          effects.push(`end of ${ctx.task.attempt}`);
        }
      },
    });
    const asking = tool({
      task: options,
      async run(_args, ctx) {
        const { name } = await ctx.elicit("who", NAME);
        return `Hello, ${name}!`;
      },
    });
    const client = new ModernClient(serveTasks({ job, asking }, { store, ...server }), { capabilities: DECLARED });
    clients.push(client);
    return client;
  }

  function start(): void {
    store = new TestedStore();
    clients = [];
    gates = [];
    runs = [];
    effects = [];
  }

  afterEach(async () => {
    store.isDown = false;
    for (const gate of gates) gate.resolve();
    await Promise.all(clients.map((client) => client.disconnect()));
  });

  /** Makes the claims of a server end as if its process had been killed: it cannot reach the store any more. */
  async function loseLease(): Promise<void> {
    const last = store.records.at(-1);
    if (last === undefined) throw new Error("There is no task.");
    const kept = await store.inner.read(last.id);
    if (kept === undefined) throw new Error("The task is gone.");
    const body = JSON.parse(kept.body) as { lease?: { until: number } };
    if (body.lease !== undefined) body.lease.until = 1;
    const record = { ...kept, version: kept.version + 1, wake: 1, body: JSON.stringify(body) };
    await store.inner.replace(record, kept.version);
  }

  it("fails if it is not to be replayed, with an error that says why", async () => {
    start();
    const one = open();
    const { taskId } = await one.callTool("job");
    await expect.poll(() => effects).toEqual(["first"]);
    await loseLease();
    const { error } = await taskIn(withSent(open()), taskId as string, "failed");
    expect(error.message).toContain("interrupted");
    expect(error.code).toBe(-32603);
  });

  it("is done again without the steps that were done, if it is to be replayed; what the old process does counts no more", async () => {
    start();
    const one = open({ resume: "replay" }, { sweepInterval: 3_600_000 });
    const { taskId } = await one.callTool("job");
    await expect.poll(() => effects).toEqual(["first"]);
    await loseLease();
    const two = open({ resume: "replay" });
    await expect.poll(() => gates.length).toBe(2);
    // The first process wakes up, and finds out that the task is not its own any more.
    gates[0]?.resolve();
    await expect.poll(() => effects).toContain("end of 1");
    expect(runs[0]?.signal.aborted).toBe(true);
    expect((await two.request("tasks/get", { taskId })).status).toBe("working");
    const kept = (await store.inner.read(taskId as string)) as TaskRecord;
    expect(Object.keys((JSON.parse(kept.body) as { done: object }).done)).toEqual(["first"]);
    gates[1]?.resolve();
    const { result } = await taskIn(withSent(two), taskId as string, "completed");
    expect(result.content[0].text).toBe("done by attempt 2");
    expect(effects.filter((effect) => effect === "first")).toHaveLength(1);
  });

  it("is given up after as many attempts as its tool allows", async () => {
    start();
    const one = open({ resume: "replay", attempts: 2 });
    const { taskId } = await one.callTool("job");
    await expect.poll(() => gates.length).toBe(1);
    await loseLease();
    const two = open({ resume: "replay", attempts: 2 });
    await expect.poll(() => gates.length).toBe(2);
    await loseLease();
    const { error } = await taskIn(withSent(two), taskId as string, "failed");
    expect(error.message).toContain("2 times");
    expect(gates).toHaveLength(2);
  });

  it("goes on at once elsewhere if its server has shut down, and is to be replayed", async () => {
    start();
    const one = open({ resume: "replay" });
    const two = open({ resume: "replay" });
    const { taskId } = await one.callTool("job");
    await expect.poll(() => effects).toEqual(["first"]);
    await one.disconnect();
    expect(runs[0]?.signal.aborted).toBe(true);
    await expect.poll(() => gates.length).toBe(2);
    gates[1]?.resolve();
    const { result } = await taskIn(withSent(two), taskId as string, "completed");
    // A server that shuts down gives its tasks back: no attempt was lost.
    expect(result.content[0].text).toBe("done by attempt 1");
  });

  it("waits for its client as long as it takes, and is taken up by whichever process gets the answer", async () => {
    start();
    const one = open();
    const { taskId } = await one.callTool("asking");
    await taskIn(withSent(one), taskId as string, "input_required");
    await one.disconnect();
    const two = open();
    expect((await two.request("tasks/get", { taskId })).inputRequests).toHaveProperty("who");
    await two.request("tasks/update", { taskId, inputResponses: { who: ADA } });
    const { result } = await taskIn(withSent(two), taskId as string, "completed");
    expect(result.content[0].text).toBe("Hello, Ada!");
  });

  it("holds no worker while it waits for its client", async () => {
    start();
    const one = open(true, { maxRunning: 1 });
    const { taskId } = await one.callTool("asking");
    await taskIn(withSent(one), taskId as string, "input_required");
    const job = await one.callTool("job");
    await expect.poll(() => gates.length).toBe(1);
    gates[0]?.resolve();
    await taskIn(withSent(one), job.taskId as string, "completed");
  });

  it("tells clients of other processes how it goes on, though its store tells of nothing", async () => {
    start();
    const one = open();
    const two = open();
    const { taskId } = (await one.callTool("job")) as { taskId: string };
    two.start("subscriptions/listen", { notifications: { taskIds: [taskId] } });
    await two.notification("notifications/subscriptions/acknowledged");
    await expect.poll(() => gates.length).toBe(1);
    gates[0]?.resolve();
    const { params } = await two.notification("notifications/tasks");
    expect(params).toMatchObject({ taskId, status: "completed" });
  });

  it("is not lost while its store cannot be reached: clients are told so, and the result is kept later", async () => {
    start();
    const log: ServerDiagnostic[] = [];
    const one = open(true, { log });
    const { taskId } = await one.callTool("job");
    await expect.poll(() => gates.length).toBe(1);
    store.isDown = true;
    await expect(one.request("tasks/get", { taskId })).rejects.toMatchObject({ code: -32603 });
    gates[0]?.resolve();
    await expect.poll(() => log.some(({ level }) => level === "error")).toBe(true);
    expect(log.filter(({ message }) => message.includes("store of tasks"))).toHaveLength(1);
    store.isDown = false;
    expect((await taskIn(withSent(one), taskId as string, "completed")).result.content[0].text).toContain("done");
  });

  it("is renewed while it runs, so that no other process takes it up", async () => {
    start();
    const one = open({ resume: "replay" }, { lease: 900 });
    const two = open({ resume: "replay" }, { lease: 900 });
    const { taskId } = await one.callTool("job");
    await expect.poll(() => gates.length).toBe(1);
    const renewals = (): number => store.records.filter(({ isOver }) => !isOver).length;
    const before = renewals();
    await expect.poll(renewals).toBeGreaterThan(before + 3);
    expect(gates).toHaveLength(1);
    gates[0]?.resolve();
    const { result } = await taskIn(withSent(two), taskId as string, "completed");
    expect(result.content[0].text).toBe("done by attempt 1");
  });

  it("is not taken up by a worker that is woken for no reason", async () => {
    start();
    const shared = memoryTaskStore();
    const one = open({ resume: "replay" }, { store: shared });
    const two = open({ resume: "replay" }, { store: shared });
    const { taskId } = (await one.callTool("job")) as { taskId: string };
    await expect.poll(() => gates.length).toBe(1);
    for (let time = 0; time < 5; time += 1) await shared.wake?.(taskId);
    await two.request("tasks/get", { taskId });
    gates[0]?.resolve();
    const { result } = await taskIn(withSent(two), taskId, "completed");
    expect(result.content[0].text).toBe("done by attempt 1");
    expect(gates).toHaveLength(1);
  });

  it("is sealed in its store, if the server has keys, and nobody without them can read it or put one in its place", async () => {
    start();
    const stateKey = "k".repeat(40);
    const log: ServerDiagnostic[] = [];
    const one = open(true, { stateKey, log });
    const { taskId } = (await one.callTool("job", {}, { _meta: { "com.example/hint": "secret-hint" } })) as {
      taskId: string;
    };
    await expect.poll(() => effects).toEqual(["first"]);
    expect(store.records.length).toBeGreaterThan(0);
    expect(JSON.stringify(store.records)).not.toMatch(/secret-hint|"params"|job/);
    expect(log.filter(({ level }) => level === "warning")).toEqual([]);
    const stranger = open(true, { stateKey: "o".repeat(40) });
    await expect(stranger.request("tasks/get", { taskId })).rejects.toMatchObject({ code: -32603 });
    gates[0]?.resolve();
    await taskIn(withSent(one), taskId, "completed");
    const kept = (await store.inner.read(taskId)) as TaskRecord;
    // What a server without keys would keep.
    const plain = open();
    const { taskId: other } = (await plain.callTool("asking")) as { taskId: string };
    const forged = (await store.inner.read(other)) as TaskRecord;
    const body = forged.body.replaceAll(other, taskId);
    await store.inner.replace({ ...kept, version: kept.version + 1, body }, kept.version);
    expect((await plain.request("tasks/get", { taskId })).taskId).toBe(taskId);
    await expect(one.request("tasks/get", { taskId })).rejects.toMatchObject({ code: -32603 });
  });

  it("is kept in the clear without keys, which the operator is told", async () => {
    start();
    const log: ServerDiagnostic[] = [];
    const one = open(true, { log });
    await callTool(withSent(one), "job");
    expect(log.filter(({ level }) => level === "warning").map(({ message }) => message)).toEqual([
      expect.stringContaining("stateKey"),
    ]);
  });

  it("is not there if its client was gone before it got the handle, and nothing has run", async () => {
    start();
    const gate = defer();
    const create = store.create;
    store.create = async (record) => {
      await gate.promise;
      return create(record);
    };
    const one = open();
    const { id, response } = one.start("tools/call", { name: "job" });
    await one.request("server/discover");
    one.notify("notifications/cancelled", { requestId: id });
    await one.request("server/discover");
    gate.resolve();
    const deleted = async (): Promise<boolean> =>
      store.records.length > 0 && (await store.inner.read(store.records[0]?.id ?? "")) === undefined;
    await expect.poll(deleted).toBe(true);
    expect(runs).toEqual([]);
    void response;
  });

  it("contains no credentials and no headers", async () => {
    start();
    await callTool(withSent(open()), "job");
    const { call } = JSON.parse(store.records[0]?.body ?? "") as { call: object };
    expect(Object.keys(call).toSorted()).toEqual(["clientCapabilities", "clientInfo", "isLocal", "params", "revision"]);
  });

  it("forgets the arguments and the answers when it has ended", async () => {
    start();
    const one = open();
    const { taskId } = (await callTool(withSent(one), "asking")) as { taskId: string };
    await taskIn(withSent(one), taskId, "input_required");
    await one.request("tasks/update", { taskId, inputResponses: { who: ADA } });
    await taskIn(withSent(one), taskId, "completed");
    const { body } = (await store.inner.read(taskId)) as TaskRecord;
    expect(JSON.parse(body)).toMatchObject({ done: {}, answers: {}, open: {} });
  });
});

function withSent(client: ModernClient): { request: ModernClient["request"]; sent: [] } {
  return { request: (method, params) => client.request(method, params), sent: [] };
}
