import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { RpcError } from "@toolwire/protocol";
import { tool, ToolError } from "../../src/index.ts";
import { defer } from "../wire-client.ts";
import { BINDINGS, callTool, refusalOf, type Served, type TaskClient, taskIn, taskWhen } from "./task-clients.ts";
import { ADA, DECLARED, greeter, NAME, PLAIN, serveTasks, TASKS, type TaskServerOptions } from "./task-server.ts";

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const UNKNOWN = "task-00000000000000000000000000000000";

describe.each(BINDINGS)("Tasks as an extension, over $name", (binding) => {
  let served: Served;
  let gate = defer();

  afterEach(async () => {
    gate.resolve();
    await served.close();
  });

  async function open(options?: TaskServerOptions): Promise<TaskClient> {
    gate = defer();
    const tools = {
      quick: tool({ task: true, input: z.object({ n: z.number() }), run: ({ n }) => `${n} is done` }),
      held: tool({ task: true, run: () => gate.promise.then(() => "opened") }),
      failing: tool({
        task: true,
        run() {
          throw new ToolError("It has failed.");
        },
      }),
      breaking: tool({
        task: true,
        run() {
          throw new RpcError(-32_050, "It is broken.", { data: { part: "axle" } });
        },
      }),
      needy: tool({ task: { mode: "required" }, run: () => "done" }),
      never: tool({ task: { mode: "forbidden" }, run: () => "done" }),
      plain: tool({ run: () => "done" }),
      greeter,
      pair: tool({
        task: true,
        async run(_args, ctx) {
          const names = await Promise.all([ctx.elicit("first", NAME), ctx.elicit("second", NAME)]);
          return names.map(({ name }) => name).join(" and ");
        },
      }),
    };
    served = await binding.serve(serveTasks(tools, options));
    return served.declaring();
  }

  it("declares the extension in discovery, and not the capability of 2025-11-25", async () => {
    const client = await open();
    const { capabilities } = await client.request("server/discover");
    expect(capabilities.extensions[TASKS]).toEqual({});
    expect(capabilities).not.toHaveProperty("tasks");
  });

  it("answers a call with a flat task, whose resultType is task", async () => {
    const client = await open();
    const { _meta, ...task } = await callTool(client, "held");
    expect(task).toEqual({
      resultType: "task",
      taskId: expect.stringMatching(/^task-[0-9a-f]{32}$/) as string,
      status: "working",
      createdAt: expect.stringMatching(ISO) as string,
      lastUpdatedAt: expect.stringMatching(ISO) as string,
      ttlMs: 3_600_000,
      pollIntervalMs: 1000,
    });
  });

  it("finds a task as soon as the call is answered, also for another client", async () => {
    const client = await open();
    const { taskId } = await callTool(client, "held");
    const task = await served.declaring().request("tasks/get", { taskId });
    expect(task).toMatchObject({ taskId, status: "working", resultType: "complete" });
    expect(task).not.toHaveProperty("result");
    expect(task).not.toHaveProperty("inputRequests");
  });

  it("inlines the result that the call would have returned", async () => {
    const client = await open();
    const { taskId } = await callTool(client, "quick", { n: 7 });
    const task = await taskIn(client, taskId, "completed");
    expect(task.resultType).toBe("complete");
    expect(task.result).toEqual({ resultType: "complete", content: [{ type: "text", text: "7 is done" }] });
    expect(JSON.stringify(task)).not.toContain("related-task");
    expect(task).not.toHaveProperty("error");
  });

  it("completes a task whose tool has failed, with isError in its result", async () => {
    const client = await open();
    const { taskId } = await callTool(client, "failing");
    const { result } = await taskIn(client, taskId, "completed");
    expect(result).toMatchObject({ isError: true, content: [{ text: "It has failed." }] });
  });

  it("fails a task that ends with a JSON-RPC error, which it contains", async () => {
    const client = await open();
    const { taskId } = await callTool(client, "breaking");
    const task = await taskIn(client, taskId, "failed");
    expect(task.error).toMatchObject({ message: "It is broken.", data: { part: "axle" } });
    expect(task.statusMessage).toBe("It is broken.");
    expect(task).not.toHaveProperty("result");
  });

  it("makes no task of a call whose arguments do not fit", async () => {
    const client = await open();
    const result = await callTool(client, "quick", { n: "seven" });
    expect(result).toMatchObject({ resultType: "complete", isError: true });
  });

  it("answers a client that does not declare the extension in this very request with the result", async () => {
    const client = await open();
    await callTool(client, "quick", { n: 1 });
    const undeclared = served.declaring({ capabilities: PLAIN });
    const result = await callTool(undeclared, "quick", { n: 2 });
    expect(result).toMatchObject({ resultType: "complete", content: [{ text: "2 is done" }] });
  });

  it("ignores the parameter `task` of 2025-11-25", async () => {
    const client = await open();
    const undeclared = served.declaring({ capabilities: PLAIN });
    for (const each of [client, undeclared]) {
      const result = await callTool(each, "plain", {}, { task: { ttl: 1 } });
      expect(result).toMatchObject({ resultType: "complete", content: [{ text: "done" }] });
    }
  });

  it("does not take the capability of 2025-11-25 for the extension", async () => {
    await open();
    const old = { ...PLAIN, tasks: { list: {}, cancel: {} } };
    const result = await callTool(served.declaring({ capabilities: old }), "quick", { n: 2 });
    expect(result.resultType).toBe("complete");
  });

  it("answers directly where a tool forbids tasks, and where it does not know of them", async () => {
    const client = await open();
    for (const name of ["never", "plain"]) expect((await callTool(client, name)).resultType).toBe("complete");
  });

  it("refuses a client without the extension with -32021 where a tool requires a task, and names it", async () => {
    await open();
    const error = await refusalOf(callTool(served.declaring({ capabilities: PLAIN }), "needy"));
    expect(error.code).toBe(-32021);
    expect(error.data).toEqual({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
  });

  it("lists no execution of tools, and every tool", async () => {
    const client = await open();
    const { tools } = await client.request("tools/list");
    expect(tools.map(({ name }: { name: string }) => name)).toContain("needy");
    expect(JSON.stringify(tools)).not.toContain("execution");
  });

  it.each(["tasks/get", "tasks/update", "tasks/cancel"])(
    "refuses %s of a client without the extension with -32021, before it looks for the task",
    async (method) => {
      await open();
      const undeclared = served.declaring({ capabilities: PLAIN });
      const error = await refusalOf(undeclared.request(method, { taskId: UNKNOWN, inputResponses: {} }));
      expect(error.code).toBe(-32021);
      expect(error.data).toEqual({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
    },
  );

  it.each(["tasks/get", "tasks/update", "tasks/cancel"])(
    "refuses %s of an unknown task with -32602",
    async (method) => {
      const client = await open();
      const error = await refusalOf(client.request(method, { taskId: UNKNOWN, inputResponses: {} }));
      expect(error.code).toBe(-32602);
      expect(error.message).toContain("Task not found");
    },
  );

  it.each([
    ["tasks/get", {}],
    ["tasks/get", { taskId: 7 }],
    ["tasks/cancel", { taskId: "x".repeat(300) }],
    ["tasks/update", { taskId: UNKNOWN }],
    ["tasks/update", { taskId: UNKNOWN, inputResponses: [] }],
  ])("refuses %s with the parameters %j", async (method, params) => {
    const client = await open();
    expect((await refusalOf(client.request(method, params))).code).toBe(-32602);
  });

  it.each(["tasks/result", "tasks/list"])("does not know %s", async (method) => {
    const client = await open();
    expect((await refusalOf(client.request(method, { taskId: UNKNOWN }))).code).toBe(-32601);
  });

  it("shows all open questions, and goes on when they are answered", async () => {
    const client = await open();
    const { taskId } = await callTool(client, "greeter");
    const waiting = await taskIn(client, taskId, "input_required");
    expect(Object.keys(waiting.inputRequests)).toEqual(["who"]);
    expect(waiting.inputRequests.who).toMatchObject({
      method: "elicitation/create",
      params: { message: NAME.message },
    });
    const { _meta, ...ack } = await client.request("tasks/update", { taskId, inputResponses: { who: ADA } });
    expect(ack).toEqual({ resultType: "complete" });
    const { result } = await taskIn(client, taskId, "completed");
    expect(result.content[0].text).toBe("Hello, Ada!");
  });

  it("takes some of the answers, shows the rest at once, and goes on with the last one", async () => {
    const client = await open();
    const { taskId } = await callTool(client, "pair");
    const { inputRequests } = await taskIn(client, taskId, "input_required");
    expect(Object.keys(inputRequests)).toEqual(["first", "second"]);
    await client.request("tasks/update", { taskId, inputResponses: { first: ADA } });
    const rest = await client.request("tasks/get", { taskId });
    expect(rest.status).toBe("input_required");
    expect(Object.keys(rest.inputRequests)).toEqual(["second"]);
    const grace = { action: "accept", content: { name: "Grace" } };
    // An answer that was given does not change any more, and keys that were never asked are ignored.
    const inputResponses = { first: grace, second: grace, third: { ignored: true } };
    await client.request("tasks/update", { taskId, inputResponses });
    const { result } = await taskIn(client, taskId, "completed");
    expect(result.content[0].text).toBe("Ada and Grace");
  });

  it("acknowledges answers to a task that has ended, and ignores them", async () => {
    const client = await open();
    const { taskId } = await callTool(client, "quick", { n: 1 });
    const before = await taskIn(client, taskId, "completed");
    await client.request("tasks/update", { taskId, inputResponses: { who: ADA } });
    expect(await client.request("tasks/get", { taskId })).toEqual(before);
  });

  it("asks again under another key if an answer does not fit, and gives up after three", async () => {
    const client = await open();
    const { taskId } = await callTool(client, "greeter");
    const bad = { action: "accept", content: { name: 7 } };
    for (const key of ["who", "who~2", "who~3"]) {
      const asks = (task: { inputRequests?: object }): boolean => Object.hasOwn(task.inputRequests ?? {}, key);
      const { inputRequests } = await taskWhen(client, taskId, asks);
      expect(Object.keys(inputRequests)).toEqual([key]);
      if (key !== "who") expect(inputRequests[key].params.message).toContain("The last answer did not fit");
      await client.request("tasks/update", { taskId, inputResponses: { [key]: bad } });
    }
    const { result } = await taskIn(client, taskId, "completed");
    expect(result).toMatchObject({ isError: true });
    expect(result.content[0].text).toContain("did not fit");
  });

  it("does not ask what the client did not declare", async () => {
    await open();
    const client = served.declaring({ capabilities: { extensions: DECLARED.extensions } });
    const { taskId } = await callTool(client, "greeter");
    const { error } = await taskIn(client, taskId, "failed");
    expect(error.code).toBe(-32021);
  });

  it("acknowledges a cancellation with an empty result, and stops the work", async () => {
    const client = await open();
    const { taskId } = await callTool(client, "held");
    const { _meta, ...ack } = await client.request("tasks/cancel", { taskId });
    expect(ack).toEqual({ resultType: "complete" });
    const task = await taskIn(client, taskId, "cancelled");
    expect(task).not.toHaveProperty("result");
    gate.resolve();
    expect((await client.request("tasks/get", { taskId })).status).toBe("cancelled");
  });

  it("acknowledges the cancellation of a task that has ended, and leaves it as it is", async () => {
    const client = await open();
    const { taskId } = await callTool(client, "quick", { n: 1 });
    const before = await taskIn(client, taskId, "completed");
    const { _meta, ...ack } = await client.request("tasks/cancel", { taskId });
    expect(ack).toEqual({ resultType: "complete" });
    expect(await client.request("tasks/get", { taskId })).toEqual(before);
  });

  it("keeps the outcome for a while even if the time of the task is up", async () => {
    const client = await open({ maxTtl: 60_000, keep: 120_000 });
    const { taskId, ttlMs } = await callTool(client, "quick", { n: 1 });
    expect(ttlMs).toBe(60_000);
    const done = await taskIn(client, taskId, "completed");
    expect(done.ttlMs).toBeGreaterThanOrEqual(120_000);
  });

  it("fails a task that is not done in its time, and tells its handler to stop", async () => {
    const client = await open({ maxTtl: 30 });
    const { taskId } = await callTool(client, "held");
    const { error } = await taskIn(client, taskId, "failed");
    expect(error.message).toContain("ttl");
  });

  it("forgets a task that has ended when its time is up", async () => {
    const client = await open({ maxTtl: 20, keep: 20 });
    const { taskId } = await callTool(client, "quick", { n: 1 });
    const error = await refusalOf(taskIn(client, taskId, "never"));
    expect(error.code).toBe(-32602);
  });
});
