import { afterEach, describe, expect, it } from "vitest";
import { tool } from "../../src/index.ts";
import type { ServerDiagnostic } from "../../src/diagnostics.ts";
import { type Deferred, defer } from "../wire-client.ts";
import { BINDINGS, callTool, refusalOf, type Served, type TaskClient, taskIn, taskWhen } from "./task-clients.ts";
import { ADA, greeter, NAME, serveTasks, type TaskServerOptions } from "./task-server.ts";

describe.each(BINDINGS)("Hostile clients and tools, over $name", (binding) => {
  let served: Served;
  let gate: Deferred<void>;
  let log: ServerDiagnostic[];

  afterEach(async () => {
    gate.resolve();
    await served.close();
  });

  async function open(options?: TaskServerOptions): Promise<TaskClient> {
    gate = defer();
    log = [];
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    const tools = {
      greeter,
      held: tool({ task: true, run: () => gate.promise.then(() => "opened") }),
      proto: tool({
        task: true,
        async run(_args, ctx) {
          const { name } = await ctx.elicit("__proto__", NAME);
          const kept = await ctx.once("constructor", () => name);
          return `${kept} ${({} as { name?: string }).name}`;
        },
      }),
      alike: tool({
        task: true,
        async run(_args, ctx) {
          const [one, other] = await Promise.all([ctx.tryElicit("a~2", NAME), ctx.tryElicit("a", NAME)]);
          return `${one.action} ${other.action}`;
        },
      }),
      large: tool({ task: true, run: () => "x".repeat(5000) }),
      curious: tool({
        task: true,
        run: (_args, ctx) =>
          Promise.all(Array.from({ length: 9 }, (_, n) => ctx.elicit(`q${n}`, NAME))).then(() => "done"),
      }),
      hoarding: tool({
        task: true,
        async run(_args, ctx) {
          for (let step = 0; step < 9; step += 1) await ctx.once(`${step}`, () => "x".repeat(1000));
          return "done";
        },
      }),
      wordy: tool({
        task: true,
        async run(_args, ctx) {
          ctx.task.say("x".repeat(10_000));
          await gate.promise;
          return "done";
        },
      }),
    };
    served = await binding.serve(serveTasks(tools, { log, ...options }));
    return served.declaring();
  }

  it("answers to keys that nobody asked about are ignored, however many there are", async () => {
    const client = await open();
    const { taskId } = await callTool(client, "greeter");
    await taskIn(client, taskId, "input_required");
    const many = Array.from({ length: 20_000 }, (_, n) => [`k${n}`, ADA] as const);
    const inputResponses = JSON.parse(`{"__proto__":{"polluted":true},"constructor":1}`) as object;
    await client.request("tasks/update", { taskId, inputResponses });
    await client.request("tasks/update", { taskId, inputResponses: Object.fromEntries(many) });
    expect((await client.request("tasks/get", { taskId })).status).toBe("input_required");
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("keys with names of prototypes are keys like others", async () => {
    const client = await open();
    const { taskId } = await callTool(client, "proto");
    const { inputRequests } = await taskIn(client, taskId, "input_required");
    expect(Object.keys(inputRequests)).toEqual(["__proto__"]);
    const inputResponses = JSON.parse(`{"__proto__":${JSON.stringify(ADA)}}`) as object;
    await client.request("tasks/update", { taskId, inputResponses });
    expect((await taskIn(client, taskId, "completed")).result.content[0].text).toBe("Ada undefined");
  });

  it("keys of a handler never meet those of questions that are asked again", async () => {
    const client = await open();
    const { taskId } = await callTool(client, "alike");
    const first = await taskIn(client, taskId, "input_required");
    expect(Object.keys(first.inputRequests)).toEqual(["a~~2", "a"]);
    const unfit = { action: "accept", content: {} };
    const inputResponses = { "a~~2": { action: "decline" }, a: unfit };
    await client.request("tasks/update", { taskId, inputResponses });
    const again = await taskWhen(
      client,
      taskId,
      ({ inputRequests }: { inputRequests?: object }) => "a~2" in (inputRequests ?? {}),
    );
    expect(Object.keys(again.inputRequests)).toEqual(["a~2"]);
    await client.request("tasks/update", { taskId, inputResponses: { "a~2": { action: "cancel" } } });
    expect((await taskIn(client, taskId, "completed")).result.content[0].text).toBe("decline cancel");
  });

  it.each([null, 7, "yes", [], { action: 7 }, { action: "accept", content: "Ada" }])(
    "the answer %j is asked for again",
    async (bad) => {
      const client = await open();
      const { taskId } = await callTool(client, "greeter");
      await taskIn(client, taskId, "input_required");
      await client.request("tasks/update", { taskId, inputResponses: { who: bad } });
      await taskWhen(
        client,
        taskId,
        ({ inputRequests }: { inputRequests?: object }) => "who~2" in (inputRequests ?? {}),
      );
      await client.request("tasks/update", { taskId, inputResponses: { "who~2": ADA } });
      expect((await taskIn(client, taskId, "completed")).result.content[0].text).toBe("Hello, Ada!");
    },
  );

  it("a caller has no more unfinished tasks than allowed, and finished ones do not count", async () => {
    const client = await open({ perCaller: 2 });
    const { taskId } = await callTool(client, "held");
    await callTool(client, "held");
    const error = await refusalOf(callTool(client, "held"));
    expect(error.code).toBe(-32603);
    expect(error.message).toContain("2 unfinished tasks");
    await client.request("tasks/cancel", { taskId });
    expect((await callTool(client, "held")).resultType).toBe("task");
  });

  it("a server has no more unfinished tasks than allowed", async () => {
    const client = await open({ maxTasks: 1 });
    await callTool(client, "held");
    expect((await refusalOf(callTool(client, "held"))).message).toContain("as many unfinished tasks as it can");
  });

  it("a process runs no more tasks than allowed, and the others wait for their turn", async () => {
    const client = await open({ maxRunning: 1 });
    const held = await callTool(client, "held");
    const large = await callTool(client, "large");
    expect((await client.request("tasks/get", { taskId: large.taskId })).status).toBe("working");
    gate.resolve();
    await taskIn(client, held.taskId, "completed");
    await taskIn(client, large.taskId, "completed");
  });

  it("a task that waits for its turn can be cancelled, and never runs", async () => {
    const client = await open({ maxRunning: 1 });
    await callTool(client, "held");
    const { taskId } = await callTool(client, "greeter");
    await client.request("tasks/cancel", { taskId });
    gate.resolve();
    const { taskId: next } = await callTool(client, "large");
    await taskIn(client, next, "completed");
    expect((await client.request("tasks/get", { taskId })).status).toBe("cancelled");
  });

  it("a result that is too large fails the task, and says so", async () => {
    const client = await open({ maxResult: 1000 });
    const { taskId } = await callTool(client, "large");
    expect((await taskIn(client, taskId, "failed")).error.message).toContain("1000 can be kept");
  });

  it("a tool cannot ask more than allowed at the same time", async () => {
    const client = await open({ maxQuestions: 5 });
    const { taskId } = await callTool(client, "curious");
    const { inputRequests } = await taskIn(client, taskId, "input_required");
    expect(Object.keys(inputRequests)).toHaveLength(5);
  });

  it("an answer that is too large is refused, and can be given again", async () => {
    const client = await open({ maxJournal: 1000 });
    const { taskId } = await callTool(client, "greeter");
    await taskIn(client, taskId, "input_required");
    const large = { action: "accept", content: { name: "x".repeat(1000) } };
    const error = await refusalOf(client.request("tasks/update", { taskId, inputResponses: { who: large } }));
    expect(error.code).toBe(-32602);
    await client.request("tasks/update", { taskId, inputResponses: { who: ADA } });
    expect((await taskIn(client, taskId, "completed")).result.content[0].text).toBe("Hello, Ada!");
  });

  it("a tool cannot keep more steps than allowed", async () => {
    const client = await open({ maxJournal: 3000 });
    const { taskId } = await callTool(client, "hoarding");
    expect((await taskIn(client, taskId, "completed")).result.isError).toBe(true);
    expect(log.some(({ error }) => String(error).includes("Keep large things elsewhere"))).toBe(true);
  });

  it("what a tool says is cut", async () => {
    const client = await open();
    const { taskId } = await callTool(client, "wordy");
    const { statusMessage } = await taskWhen(client, taskId, (task) => "statusMessage" in (task as object));
    expect(statusMessage).toHaveLength(1024);
  });

  it("a handler that ignores its signal is reported, and what it returns does not count", async () => {
    const client = await open({ lease: 30 });
    const { taskId } = await callTool(client, "held");
    await client.request("tasks/cancel", { taskId });
    await expect.poll(() => log.some(({ message }) => message.includes("goes on although"))).toBe(true);
    gate.resolve();
    expect((await client.request("tasks/get", { taskId })).status).toBe("cancelled");
  });
});
