/** Tasks of 2025-11-25, for which clients ask. */
import { RpcError } from "@toolwire/protocol";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { isCall, legacyServer, SILENCE } from "../scripted-server.ts";
import { withResolvers } from "../with-resolvers.ts";
import { connectTasks, ID, legacyTask, legacyTaskServer, sent } from "./task-script.ts";

const WORKING = legacyTask("working");
const COMPLETED = legacyTask("completed");
const DONE = { content: [{ type: "text", text: "done" }] };

describe("a call asks for a task", () => {
  test.each([
    ["required", undefined, {}],
    ["required", true, {}],
    ["required", { ttl: 60_000 }, { ttl: 60_000 }],
    ["optional", true, {}],
    ["optional", { ttl: 60_000 }, { ttl: 60_000 }],
  ] as const)("of a tool that says %s, with the option task: %j", async (support, task, asked) => {
    const server = legacyTaskServer([WORKING, COMPLETED], {}, support);
    const { client } = await connectTasks(server);
    const called = await client.callTool("slow", { a: 1 }, { task } as { task: true });
    expect(task === undefined ? called : await called.result()).toEqual(DONE);
    expect(sent(server, "tools/call")).toEqual([{ name: "slow", arguments: { a: 1 }, task: asked }]);
    expect(sent(server, "tasks/result")).toEqual([{ taskId: ID }]);
    await client.close();
  });

  test.each([
    ["a tool that says optional, if the caller does not want one", "optional", undefined],
    ["a tool that says forbidden", "forbidden", true],
    ["a tool that says nothing: it MUST NOT", undefined, true],
  ] as const)("but not of %s", async (_, support, task) => {
    const server = legacyTaskServer([], {}, support);
    const { client } = await connectTasks(server);
    const called = await client.callTool("slow", {}, { task } as { task: true });
    expect(task === undefined ? called : await called.result()).toEqual(DONE);
    expect(sent(server, "tools/call")).toEqual([{ name: "slow", arguments: {} }]);
    expect(server.received.some(isCall("tasks/get"))).toBe(false);
    await client.close();
  });

  test.each([
    ["that declares no tasks", { tools: {} }],
    ["whose calls of tools cannot be tasks", { tools: {}, tasks: { requests: { tools: {} } } }],
    ["that declares nonsense", { tools: {}, tasks: [] }],
  ])("never of a server %s, whatever its tools say", async (_, capabilities) => {
    const server = legacyTaskServer(
      [],
      { initialize: { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "legacy", version: "1" } } },
      "required",
    );
    const { client } = await connectTasks(server);
    expect(await (await client.callTool("slow", {}, { task: true })).result()).toEqual(DONE);
    expect(sent(server, "tools/call")).toEqual([{ name: "slow", arguments: {} }]);
    expect(server.received.some(isCall("tools/list"))).toBe(false);
    await client.close();
  });

  test("nor of a server of an older revision, which has no tasks", async () => {
    const server = legacyServer({ "tools/call": DONE }, "2025-06-18");
    const { client } = await connectTasks(server);
    expect(await client.callTool("slow")).toEqual(DONE);
    expect(sent(server, "tools/call")).toEqual([{ name: "slow" }]);
    await client.close();
  });
});

describe("the result of a task", () => {
  test("that has failed is that of the tool: it says what could not be done", async () => {
    const failed = { ...DONE, isError: true };
    const server = legacyTaskServer([legacyTask("failed")], { "tasks/result": failed }, "required");
    const { client } = await connectTasks(server);
    expect(await client.callTool("slow")).toEqual(failed);
    await client.close();
  });

  test("that has failed may be an error, which is that of the call", async () => {
    const refused = (): never => {
      throw new RpcError(-32050, "The disk is full.", { data: { left: 0 } });
    };
    const server = legacyTaskServer([legacyTask("failed")], { "tasks/result": refused }, "required");
    const { client } = await connectTasks(server);
    await expect(client.callTool("slow")).rejects.toMatchObject({ code: -32050, data: { left: 0 } });
    await client.close();
  });

  test("of a cancelled task is not asked for", async () => {
    const server = legacyTaskServer([legacyTask("cancelled")], {}, "required");
    const { client } = await connectTasks(server);
    await expect(client.callTool("slow")).rejects.toMatchObject({ code: "CANCELLED" });
    expect(server.received.some(isCall("tasks/result"))).toBe(false);
    await client.close();
  });

  test("that is a task again is refused, as is a task for which nobody has asked", async () => {
    const again = legacyTaskServer([COMPLETED], { "tasks/result": { task: WORKING } }, "required");
    const unasked = legacyTaskServer([COMPLETED], { "tools/call": { task: WORKING } }, "forbidden");
    for (const server of [again, unasked]) {
      const { client } = await connectTasks(server);
      await expect(client.callTool("slow")).rejects.toMatchObject({ name: "ProtocolViolation" });
      await client.close();
    }
  });
});

describe("a task that waits for input", () => {
  test("SHOULD have its result asked for at once: the server asks while it is waited for", async () => {
    const asked: string[] = [];
    const finished = withResolvers<object>();
    const server = legacyTaskServer(
      [legacyTask("input_required")],
      {
        "tasks/result": async (_params, _request, at) => {
          const { result } = (await at.push("elicitation/create", {
            message: "Who?",
            requestedSchema: { type: "object", properties: { name: { type: "string" } } },
            _meta: { "io.modelcontextprotocol/related-task": { taskId: ID } },
          })) as unknown as { result: { content: { name: string } } };
          finished.resolve({});
          return { content: [{ type: "text", text: `Hello, ${result.content.name}` }] };
        },
      },
      "required",
    );
    const { client } = await connectTasks(server, {
      elicitation({ message }) {
        asked.push(message);
        return { action: "accept", content: { name: "Ada" } };
      },
    });
    expect(await client.callTool("slow")).toMatchObject({ content: [{ text: "Hello, Ada" }] });
    expect([asked, server.requests("tasks/result").length]).toEqual([["Who?"], 1]);
    await client.close();
  });

  test("may wait longer than any request: the wait for its result has no time limit", async () => {
    const finished = withResolvers<object>();
    let looks = 0;
    const server = legacyTaskServer(
      [],
      {
        "tasks/get": () => {
          if (++looks === 6) finished.resolve(DONE);
          return legacyTask("input_required");
        },
        "tasks/result": () => finished.promise,
      },
      "required",
    );
    const { client } = await connectTasks(server, { timeout: 100 });
    expect(await client.callTool("slow")).toEqual(DONE);
    expect(server.requests("tasks/result")).toHaveLength(1);
    await client.close();
  });

  test("is looked at beside that, and the request for the result is sent again if it fails", async () => {
    const looks = [legacyTask("input_required"), legacyTask("input_required"), WORKING, COMPLETED];
    let tries = 0;
    const server = legacyTaskServer(
      looks,
      {
        "tasks/result": () => {
          if (++tries === 1) throw new RpcError(-32603, "The proxy was restarted.");
          return DONE;
        },
      },
      "required",
    );
    const { client } = await connectTasks(server);
    expect(await client.callTool("slow")).toEqual(DONE);
    expect(tries).toBe(2);
    await client.close();
  });
});

describe("cancelling", () => {
  test("asks the server, which has cancelled the task when it answers", async () => {
    let isCancelled = false;
    const server = legacyTaskServer(
      [],
      {
        "tasks/get": () => (isCancelled ? legacyTask("cancelled") : WORKING),
        "tasks/cancel": () => {
          isCancelled = true;
          return legacyTask("cancelled");
        },
      },
      "optional",
    );
    const { client } = await connectTasks(server);
    const handle = await client.callTool("slow", {}, { task: true });
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ code: "CANCELLED" });
    await client.close();
  });

  test("does no harm to a task that is over: the server MUST refuse that, and the result is there", async () => {
    const refused = (): never => {
      throw new RpcError(-32602, "It is over.");
    };
    const server = legacyTaskServer([COMPLETED], { "tasks/cancel": refused }, "optional");
    const { client } = await connectTasks(server);
    const handle = await client.callTool("slow", {}, { task: true });
    await handle.cancel();
    expect(await handle.result()).toEqual(DONE);
    await client.close();
  });

  test("is refused where the server has not declared it", async () => {
    const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
    const initialize = { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "legacy", version: "1" } };
    const server = legacyTaskServer([WORKING], { initialize }, "optional");
    const { client } = await connectTasks(server);
    const handle = await client.callTool("slow", {}, { task: true });
    await expect(handle.cancel()).rejects.toMatchObject({ code: "UNSUPPORTED" });
    handle.detach();
    await client.close();
  });
});

describe("notifications of the status of a task", () => {
  test("have the client look at once, and are not believed", async () => {
    let isOver = false;
    const slow = { pollInterval: 60_000 };
    const server = legacyTaskServer(
      [],
      {
        "tools/call": { task: legacyTask("working", slow) },
        "tasks/get": () => (isOver ? COMPLETED : legacyTask("working", slow)),
      },
      "required",
    );
    const { client } = await connectTasks(server);
    const handle = await client.callTool("slow", {}, { task: true });
    server.notify("notifications/tasks/status", { ...COMPLETED });
    await server.arrival(isCall("tasks/get"));
    expect(await handle.refresh()).toMatchObject({ status: "working" });
    isOver = true;
    server.notify("notifications/tasks/status", {});
    server.notify("notifications/tasks/status", { taskId: "task-2" });
    server.notify("notifications/tasks/status", { taskId: ID });
    expect(await handle.result()).toEqual(DONE);
    await client.close();
  });

  test("without end do not make the client ask without end", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const slow = { pollInterval: 60_000 };
    const server = legacyTaskServer(
      [],
      { "tools/call": { task: legacyTask("working", slow) }, "tasks/get": legacyTask("working", slow) },
      "required",
    );
    const { client } = await connectTasks(server);
    const handle = await client.callTool("slow", {}, { task: true });
    for (let round = 0; round < 100; round++) {
      for (let time = 0; time < 100; time++) server.notify("notifications/tasks/status", { taskId: ID });
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(server.requests("tasks/get").length).toBeLessThanOrEqual(21);
    handle.detach();
    await client.close();
  });
});

test("nothing is declared to a server of 2025-11-25: clients that run no tasks have nothing to declare", async () => {
  const server = legacyTaskServer([], { "tools/call": SILENCE }, "optional");
  const { client } = await connectTasks(server);
  expect(server.requests("initialize")[0]?.params).toMatchObject({ capabilities: {} });
  expect(JSON.stringify(server.requests("initialize")[0])).not.toContain('tasks"');
  await client.close();
});
