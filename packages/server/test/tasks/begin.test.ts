import { afterEach, describe, expect, it } from "vitest";
import { memoryTaskStore, tasks, type TaskStore } from "../../src/tasks/index.ts";
import { createServer, tool, UsageError, type ToolDefinition } from "../../src/index.ts";
import { defer, ModernClient } from "../wire-client.ts";
import { BINDINGS, callTool, refusalOf, type Served, taskIn } from "./task-clients.ts";
import { ADA, DECLARED, NAME, PLAIN, serveTasks, type TaskServerOptions } from "./task-server.ts";

describe.each(BINDINGS)("When a call becomes a task, over $name", (binding) => {
  let served: Served;
  let gate = defer();

  afterEach(async () => {
    gate.resolve();
    await served.close();
  });

  async function open(tools: { readonly [name: string]: ToolDefinition }, options?: TaskServerOptions): Promise<void> {
    gate = defer();
    served = await binding.serve(serveTasks(tools, options));
  }

  it("settles all questions before the task in rounds, whose answer has no state of them", async () => {
    await open({
      job: tool({
        task: { begin: "manual" },
        async run(_args, ctx) {
          const { name } = await ctx.elicit("who", NAME);
          await ctx.task.begin(`For ${name}`);
          return `Hello, ${name}!`;
        },
      }),
    });
    const client = served.declaring();
    const asking = await callTool(client, "job");
    expect(asking.resultType).toBe("input_required");
    expect(asking).not.toHaveProperty("taskId");
    const { requestState } = asking;
    const task = await callTool(client, "job", {}, { requestState, inputResponses: { who: ADA } });
    expect(task).toMatchObject({ resultType: "task", status: "working", statusMessage: "For Ada" });
    expect(task).not.toHaveProperty("requestState");
    expect(task).not.toHaveProperty("inputRequests");
    const { result } = await taskIn(client, task.taskId, "completed");
    expect(result.content[0].text).toBe("Hello, Ada!");
  });

  it("answers directly what is done before its handler begins a task", async () => {
    await open({ job: tool({ task: { begin: "manual" }, run: () => "done" }) });
    expect(await callTool(served.declaring(), "job")).toMatchObject({ resultType: "complete" });
  });

  it("answers directly what is done in time, and makes a task of the rest", async () => {
    await open({
      quick: tool({ task: { begin: 20_000 }, run: () => "quick" }),
      slow: tool({ task: { begin: 1 }, run: () => gate.promise.then(() => "slow") }),
    });
    const client = served.declaring();
    expect((await callTool(client, "quick")).content[0].text).toBe("quick");
    const { taskId, resultType } = await callTool(client, "slow");
    expect(resultType).toBe("task");
    gate.resolve();
    expect((await taskIn(client, taskId, "completed")).result.content[0].text).toBe("slow");
  });

  it("leaves calls alone whose client does not know tasks, whatever their handlers begin", async () => {
    await open({
      job: tool({
        task: { begin: "manual" },
        async run(_args, ctx) {
          await ctx.task.begin("Begun");
          ctx.task.say("Still here");
          const [one, other] = [ctx.task.key("a"), ctx.task.key("a")];
          return `${ctx.task.id} ${ctx.task.attempt} ${one === other}`;
        },
      }),
    });
    const result = await callTool(served.declaring({ capabilities: PLAIN }), "job");
    expect(result.content[0].text).toBe("undefined 1 true");
  });

  it("gives handlers the id, the attempt and keys of their own", async () => {
    await open({
      job: tool({
        task: { begin: "manual" },
        async run(_args, ctx) {
          const { task } = ctx;
          const before = task.key("charge");
          await task.begin();
          await task.begin();
          return [task.id, task.attempt, before === task.key("charge"), task.key("charge") === task.key("mail")].join();
        },
      }),
    });
    const client = served.declaring();
    const { taskId } = await callTool(client, "job");
    const { result } = await taskIn(client, taskId, "completed");
    expect(result.content[0].text).toBe(`${taskId},1,true,false`);
  });

  it("shows what a handler says, at once the first time", async () => {
    await open({
      job: tool({
        task: true,
        async run(_args, ctx) {
          ctx.progress(1, 2, "Rendering");
          await gate.promise;
          return "done";
        },
      }),
    });
    const client = served.declaring();
    const { taskId } = await callTool(client, "job");
    for (let task = { statusMessage: "" }; task.statusMessage !== "Rendering";) {
      task = (await client.request("tasks/get", { taskId })) as typeof task;
    }
    expect(client.sent.filter(({ method }: { method: string }) => method === "notifications/progress")).toEqual([]);
  });

  it("makes no task where the store cannot keep it, says so, and has run nothing", async () => {
    const store = memoryTaskStore();
    const broken: TaskStore = Object.assign(Object.create(store) as TaskStore, {
      create: () => Promise.reject(new Error("no disk")),
      read: store.read.bind(store),
      replace: store.replace.bind(store),
      count: store.count.bind(store),
      due: store.due.bind(store),
      watch: undefined,
      onDue: undefined,
    });
    let runs = 0;
    await open({ job: tool({ task: true, run: () => `${(runs += 1)}` }) }, { store: broken, log: [] });
    const error = await refusalOf(callTool(served.declaring(), "job"));
    expect(error.code).toBe(-32603);
    expect(error.message).not.toContain("no disk");
    expect(runs).toBe(0);
  });
});

describe("The option `task`", () => {
  const run = (): string => "done";

  it("is refused without tasks() in the extensions, and never ignored", () => {
    const make = (): unknown => createServer({ name: "n", version: "1", tools: { job: tool({ task: true, run }) } });
    expect(make).toThrow(UsageError);
    expect(make).toThrow("task");
  });

  it.each([
    [{ task: 7 }, "`task` of tool"],
    [{ task: { mode: "sometimes" } }, "task.mode"],
    [{ task: { begin: -1 } }, "task.begin"],
    [{ task: { ttl: 0 } }, "task.ttl"],
    [{ task: { poll: 0.5 } }, "task.poll"],
    [{ task: { resume: "again" } }, "task.resume"],
    [{ task: { attempts: 0 } }, "task.attempts"],
    [{ task: { retries: 3 } }, "retries"],
  ])("is checked when the server is made: %j", (options, problem) => {
    const job = tool({ ...(options as object), run });
    expect(() => createServer({ name: "n", version: "1", tools: { job }, extensions: [tasks()] })).toThrow(problem);
  });

  it.each([
    [{ store: {} }, "store"],
    [{ maxTtl: 0 }, "maxTtl"],
    [{ perCaller: 1.5 }, "perCaller"],
    [{ lease: -1 }, "lease"],
    [{ engine: {} }, "engine"],
  ])("tasks() checks its own options: %j", (options, problem) => {
    expect(() => tasks(options as object)).toThrow(problem);
  });

  it("tasks() serves one server at a time", async () => {
    const extension = tasks();
    const make = (name: string): ReturnType<typeof createServer> =>
      createServer({ name, version: "1", extensions: [extension] });
    const client = new ModernClient(make("one"), { capabilities: DECLARED });
    expect(() => new ModernClient(make("two"))).toThrow("used by two servers");
    await client.disconnect();
  });
});
