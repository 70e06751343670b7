import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { RpcError } from "@toolwire/protocol";
import { SOURCES } from "../../../protocol/test/spec-data.ts";
import { type Context, reply, tool, ToolError } from "../../src/index.ts";
import { LegacyClient, defer } from "../wire-client.ts";
import {
  BINDINGS,
  callTool,
  type ClientSettings,
  refusalOf,
  type Served,
  type TaskClient,
  taskIn,
} from "./task-clients.ts";
import { ADA, greeter, serveTasks, TASKS, type TaskServerOptions } from "./task-server.ts";

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const RELATED = "io.modelcontextprotocol/related-task";
const UNKNOWN = "task-00000000000000000000000000000000";

describe.each(BINDINGS)("Tasks of 2025-11-25, over $name", (binding) => {
  let served: Served;
  let gate = defer();
  let reached = defer<Context>();

  afterEach(async () => {
    gate.resolve();
    await served.close();
  });

  async function open(settings?: ClientSettings, options?: TaskServerOptions): Promise<TaskClient> {
    gate = defer();
    reached = defer<Context>();
    const tools = {
      quick: tool({ task: true, input: z.object({ n: z.number() }), run: ({ n }) => `${n} is done` }),
      listed: tool({ task: true, output: z.array(z.number()), run: () => [1, 2] }),
      bare: tool({
        task: true,
        output: z.array(z.number()),
        run: () => reply({ structured: [1, 2], content: [] }),
      }),
      counted: tool({ task: true, output: z.object({ n: z.number() }), run: () => ({ n: 7 }) }),
      held: tool({
        task: true,
        async run(_args, ctx) {
          reached.resolve(ctx);
          await gate.promise;
          return "opened";
        },
      }),
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
      late: tool({ task: { begin: "manual" }, run: () => "done" }),
      needy: tool({ task: { mode: "required" }, run: () => "done" }),
      never: tool({ task: { mode: "forbidden" }, run: () => "done" }),
      plain: tool({ run: () => "done" }),
      greeter,
      page: tool({
        task: true,
        async run(_args, ctx) {
          await ctx.elicit("page", { message: "Log in", url: "https://example.com/login" });
          return "logged in";
        },
      }),
      model: tool({
        task: true,
        async run(_args, ctx) {
          const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Hi" } }];
          const [{ model }, roots] = await Promise.all([ctx.sample("model", { messages, maxTokens: 5 }), ctx.roots()]);
          return `${model} in ${roots.length}`;
        },
      }),
    };
    served = await binding.serve(serveTasks(tools, options));
    return served.legacy(settings);
  }

  async function begin(client: TaskClient, name: string, args: object = {}, task: object = {}): Promise<string> {
    const created = await callTool(client, name, args, { task });
    return (created as { task: { taskId: string } }).task.taskId;
  }

  it("declares the capability, without a list, and not the extension", async () => {
    await open();
    const client = await served.legacy();
    await expect(client.request("tasks/list")).rejects.toMatchObject({ code: -32601 });
    await expect(client.request("tasks/update", { taskId: UNKNOWN })).rejects.toMatchObject({ code: -32601 });
  });

  it("answers a call that wishes for a task with a task that is working, and says its real ttl", async () => {
    const client = await open({}, { maxTtl: 50_000 });
    const { task, ...rest } = await callTool(client, "held", {}, { task: { ttl: 60_000 } });
    expect(rest).toEqual({});
    expect(task).toEqual({
      taskId: expect.stringMatching(/^task-[0-9a-f]{32}$/) as string,
      status: "working",
      createdAt: expect.stringMatching(ISO) as string,
      lastUpdatedAt: expect.stringMatching(ISO) as string,
      ttl: 50_000,
      pollInterval: 1000,
    });
  });

  it("waits with an ordinary call for the result of a tool that can be a task", async () => {
    const client = await open();
    expect(await callTool(client, "quick", { n: 2 })).toEqual({ content: [{ type: "text", text: "2 is done" }] });
  });

  it("makes a task at once of a tool that begins one later, if the client wishes for one", async () => {
    const client = await open();
    const id = await begin(client, "late");
    expect((await taskIn(client, id, "completed")).taskId).toBe(id);
  });

  it("says in the list of tools which can be tasks", async () => {
    const client = await open();
    const { tools } = await client.request("tools/list");
    const named = tools as { name: string; execution?: { taskSupport: string } }[];
    const support = Object.fromEntries(named.map(({ name, execution }) => [name, execution?.taskSupport]));
    expect(support).toMatchObject({ quick: "optional", needy: "required" });
    expect(support["never"] ?? "forbidden").toBe("forbidden");
    expect(support["plain"]).toBeUndefined();
  });

  it("refuses a wish for a task with -32601 where the tool cannot be one", async () => {
    const client = await open();
    for (const name of ["plain", "never"]) {
      expect((await refusalOf(callTool(client, name, {}, { task: {} }))).code).toBe(-32601);
    }
  });

  it("refuses an ordinary call with -32601 where the tool must be a task", async () => {
    const client = await open();
    expect((await refusalOf(callTool(client, "needy"))).code).toBe(-32601);
    expect((await taskIn(client, await begin(client, "needy"), "completed")).status).toBe("completed");
  });

  it.each([7, { ttl: "long" }, { ttl: -1 }, { ttl: 1.5 }])("refuses the wish %j with -32602", async (task) => {
    const client = await open();
    expect((await refusalOf(callTool(client, "quick", { n: 1 }, { task }))).code).toBe(-32602);
  });

  it("does not take the extension for a wish", async () => {
    await open();
    const client = await served.legacy({ capabilities: { extensions: { [TASKS]: {} } } });
    expect(await callTool(client, "quick", { n: 2 })).not.toHaveProperty("task");
  });

  it("returns from tasks/result what the call would have returned, tied to the task", async () => {
    const client = await open();
    const taskId = await begin(client, "counted");
    expect(await client.request("tasks/result", { taskId })).toEqual({
      content: [{ type: "text", text: '{"n":7}' }],
      structuredContent: { n: 7 },
      _meta: { [RELATED]: { taskId } },
    });
    const task = await client.request("tasks/get", { taskId });
    expect(task).toMatchObject({ taskId, status: "completed" });
    expect(task).not.toHaveProperty("_meta");
  });

  it.each(["listed", "bare"])("has structured content that is no object in the text only: %s", async (name) => {
    const client = await open();
    const taskId = await begin(client, name);
    const { _meta, ...result } = await client.request("tasks/result", { taskId });
    expect(result).toEqual({ content: [{ type: "text", text: "[1,2]" }] });
    expect(result).toEqual(await callTool(client, name));
    const { result: modern } = await served.declaring().request("tasks/get", { taskId });
    expect(modern.structuredContent).toEqual([1, 2]);
  });

  it("fails a task whose tool has failed, says why, and returns its result", async () => {
    const client = await open();
    const taskId = await begin(client, "failing");
    const result = await client.request("tasks/result", { taskId });
    expect(result).toMatchObject({ isError: true, content: [{ text: "It has failed." }] });
    expect(await client.request("tasks/get", { taskId })).toMatchObject({
      status: "failed",
      statusMessage: "It has failed.",
    });
  });

  it("returns from tasks/result the very error that the call has ended with", async () => {
    const client = await open();
    const taskId = await begin(client, "breaking");
    const error = await refusalOf(client.request("tasks/result", { taskId }));
    expect(error).toMatchObject({ code: -32_050, message: "It is broken.", data: { part: "axle" } });
    expect((await client.request("tasks/get", { taskId })).status).toBe("failed");
  });

  it("blocks tasks/result until the task has ended", async () => {
    const client = await open();
    const taskId = await begin(client, "held");
    let isOver = false;
    const result = client.request("tasks/result", { taskId }).finally(() => {
      isOver = true;
    });
    await reached.promise;
    await client.request("tasks/get", { taskId });
    expect(isOver).toBe(false);
    gate.resolve();
    expect((await result).content[0].text).toBe("opened");
  });

  it("cancels a task before it answers, and leaves it cancelled", async () => {
    const client = await open();
    const taskId = await begin(client, "held");
    const { signal } = await reached.promise;
    expect(await client.request("tasks/cancel", { taskId })).toMatchObject({ taskId, status: "cancelled" });
    expect(signal.aborted).toBe(true);
    gate.resolve();
    expect((await client.request("tasks/get", { taskId })).status).toBe("cancelled");
    expect((await refusalOf(client.request("tasks/result", { taskId }))).code).toBe(-32603);
  });

  it("ends a tasks/result that waits when the task is cancelled", async () => {
    const client = await open();
    const taskId = await begin(client, "held");
    const result = refusalOf(client.request("tasks/result", { taskId }));
    await client.request("tasks/cancel", { taskId });
    expect((await result).message).toContain("cancelled");
  });

  it("refuses to cancel a task that has ended with -32602", async () => {
    const client = await open();
    const taskId = await begin(client, "quick", { n: 1 });
    await client.request("tasks/result", { taskId });
    expect((await refusalOf(client.request("tasks/cancel", { taskId }))).code).toBe(-32602);
  });

  it("does not end a task by notifications/cancelled of the call", async () => {
    const client = await open();
    const taskId = await begin(client, "held");
    gate.resolve();
    expect((await taskIn(client, taskId, "completed")).status).toBe("completed");
  });

  it.each(["tasks/get", "tasks/result", "tasks/cancel"])(
    "refuses %s of an unknown task with -32602",
    async (method) => {
      const client = await open();
      expect((await refusalOf(client.request(method, { taskId: UNKNOWN }))).code).toBe(-32602);
      expect((await refusalOf(client.request(method, {}))).code).toBe(-32602);
    },
  );

  it("finds a task by its parameter, whatever the metadata says", async () => {
    const client = await open();
    const taskId = await begin(client, "held");
    const params = { taskId, _meta: { [RELATED]: { taskId: UNKNOWN } } };
    expect((await client.request("tasks/get", params)).taskId).toBe(taskId);
  });

  it("asks by a request that is tied to the task while tasks/result waits, and goes on with the answer", async () => {
    const asked: { method: string; params: { _meta: object } }[] = [];
    const client = await open({
      answer(request) {
        asked.push(request as (typeof asked)[number]);
        return ADA;
      },
    });
    const taskId = await begin(client, "greeter");
    await taskIn(client, taskId, "input_required");
    expect(asked).toHaveLength(0);
    const result = await client.request("tasks/result", { taskId });
    expect(result.content[0].text).toBe("Hello, Ada!");
    expect(asked).toHaveLength(1);
    expect(asked[0]?.method).toBe("elicitation/create");
    expect(asked[0]?.params._meta).toMatchObject({ [RELATED]: { taskId } });
  });

  it("asks for visits of pages, for models and for roots as well", async () => {
    const client = await open({
      answer(request) {
        const { method, params } = request as { method: string; params: { elicitationId?: string } };
        if (method === "elicitation/create") return params.elicitationId === undefined ? {} : { action: "accept" };
        if (method === "roots/list") return { roots: [] };
        return { role: "assistant", content: { type: "text", text: "Hello" }, model: "m" };
      },
    });
    const [page, model] = [await begin(client, "page"), await begin(client, "model")];
    expect((await client.request("tasks/result", { taskId: page })).content[0].text).toBe("logged in");
    expect((await client.request("tasks/result", { taskId: model })).content[0].text).toBe("m in 0");
  });

  it("asks again what is open when tasks/result is sent again by another client", async () => {
    const client = await open({ answer: () => ({ action: "accept", content: {} }) });
    const taskId = await begin(client, "greeter");
    const unfit = refusalOf(client.request("tasks/result", { taskId })).catch(() => undefined);
    await taskIn(client, taskId, "input_required");
    const other = await served.legacy({ answer: () => ADA });
    // Whoever answers first with what fits counts; the other client gives up after three answers.
    const result = await other.request("tasks/result", { taskId });
    expect(result.content[0].text).toMatch(/Hello, Ada!|did not fit/);
    await unfit;
  });

  it("goes on with the answer that came in the other protocol", async () => {
    const client = await open({
      answer() {
        throw new RpcError(-32_600, "I will not say.");
      },
    });
    const taskId = await begin(client, "greeter");
    await taskIn(client, taskId, "input_required");
    const modern = served.declaring();
    await modern.request("tasks/update", { taskId, inputResponses: { who: ADA } });
    const result = await client.request("tasks/result", { taskId });
    expect(result.content[0].text).toBe("Hello, Ada!");
  });

  it("fails the call if the client answers a question with an error", async () => {
    const client = await open({
      answer() {
        throw new RpcError(-32_600, "I will not say.");
      },
    });
    const taskId = await begin(client, "greeter");
    const result = await client.request("tasks/result", { taskId });
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain("I will not say.");
  });

  it("tells of progress with the token of the call, and of messages, while tasks/result waits", async () => {
    const client = await open();
    const created = await callTool(client, "held", {}, { task: {}, _meta: { progressToken: "p1" } });
    const { taskId } = created.task as { taskId: string };
    const ctx = await reached.promise;
    const result = client.request("tasks/result", { taskId });
    // Messages are kept once a second, so the first one is told at once.
    const heard = (method: string): boolean =>
      client.sent.some((message) => (message as { method: string }).method === method);
    for (let step = 1; !heard("notifications/progress") || !heard("notifications/tasks/status"); step += 1) {
      ctx.progress(step, 10_000, `Step ${step}`);
      await new Promise((resolve) => void setTimeout(resolve, 5));
    }
    gate.resolve();
    await result;
    const sent = client.sent as { method: string; params: { _meta?: object; progressToken?: string } }[];
    const progress = sent.find(({ method }) => method === "notifications/progress");
    expect(progress?.params).toMatchObject({ progressToken: "p1", _meta: { [RELATED]: { taskId } } });
    const status = sent.find(({ method }) => method === "notifications/tasks/status");
    expect(status?.params).not.toHaveProperty("_meta");
    for (const source of SOURCES) expect(source.complaintAbout("2025-11-25", "Task", status?.params)).toBeUndefined();
  });

  it("lists the tasks of a caller in pages, if it is told to", async () => {
    const client = await open({}, { list: true, maxRunning: 200, perCaller: 200 });
    const made = await Promise.all(Array.from({ length: 105 }, (_, n) => begin(client, "quick", { n })));
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.request("tasks/list", cursor === undefined ? {} : { cursor });
      const { tasks, nextCursor } = page as { tasks: { taskId: string }[]; nextCursor?: string };
      found.push(...tasks.map(({ taskId }) => taskId));
      cursor = nextCursor;
    } while (cursor !== undefined);
    expect(found.toSorted()).toEqual(made.toSorted());
    for (const bad of ["x", "!", "YWZ0ZXIgLi4v", "a".repeat(2000)]) {
      expect((await refusalOf(client.request("tasks/list", { cursor: bad }))).code).toBe(-32602);
    }
  });
});

describe("Before 2025-11-25", () => {
  it("runs a tool within its request, whatever the client wishes, and leaves out tools that must be tasks", async () => {
    const server = serveTasks({
      quick: tool({ task: true, run: () => "done" }),
      needy: tool({ task: { mode: "required" }, run: () => "done" }),
    });
    for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18"] as const) {
      const client = await LegacyClient.open(server, { revision });
      const result: unknown = await client.callTool("quick", {}, { task: {} });
      expect(result).toEqual({ content: [{ type: "text", text: "done" }] });
      const { tools } = (await client.request("tools/list")) as { tools: object[] };
      expect(tools).toEqual([expect.objectContaining({ name: "quick" })]);
      expect(tools[0]).not.toHaveProperty("execution");
      await expect(client.callTool("needy")).rejects.toMatchObject({ code: -32602 });
      await expect(client.request("tasks/get", { taskId: UNKNOWN })).rejects.toMatchObject({ code: -32601 });
      await client.disconnect();
    }
  });

  it("declares tasks in initialize in 2025-11-25 only, beside the extensions that are declared there", async () => {
    const server = serveTasks({ greeter }, { list: true });
    const capabilitiesIn = async (revision: "2025-06-18" | "2025-11-25"): Promise<object> => {
      const client = new LegacyClient(server, revision);
      const clientInfo = { name: "test", version: "1" };
      const result: { capabilities: object } = await client.request("initialize", {
        protocolVersion: revision,
        clientInfo,
        capabilities: {},
      });
      await client.disconnect();
      return result.capabilities;
    };
    const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
    expect(await capabilitiesIn("2025-11-25")).toMatchObject({ tasks });
    expect(await capabilitiesIn("2025-11-25")).not.toHaveProperty("extensions");
    expect(await capabilitiesIn("2025-06-18")).not.toHaveProperty("tasks");
  });
});
