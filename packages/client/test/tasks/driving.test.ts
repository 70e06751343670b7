/** Calls that servers answer with tasks of the extension, as their callers see them. */
import { connect, type ClientMiddleware } from "@toolwire/client";
import { TaskError, tasks, type TaskState } from "@toolwire/client/tasks";
import { RpcError } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { httpPeer, result } from "../http-peer.ts";
import { isCall, SILENCE } from "../scripted-server.ts";
import { withResolvers } from "../with-resolvers.ts";
import { COMPLETED, connectTasks, DISCOVERY, DONE, ID, sent, taskOf, taskServer, WORKING } from "./task-script.ts";

describe("a call that is answered with a task", () => {
  test("resolves to the final result, which callers and middleware see, and nothing before it", async () => {
    const server = taskServer([WORKING, WORKING, COMPLETED]);
    const seen: object[] = [];
    const watch: ClientMiddleware = async (call, next) => {
      const answer = await next();
      if (call.method === "tools/call") seen.push(answer);
      return answer;
    };
    const { client } = await connectTasks(server, { middleware: [watch] });
    expect(await client.callTool("slow")).toEqual(DONE);
    expect(seen).toEqual([DONE]);
    expect(sent(server, "tasks/get")).toEqual([{ taskId: ID }, { taskId: ID }, { taskId: ID }]);
    await client.close();
  });

  test("is the same for a caller whose server answers at once", async () => {
    const { client } = await connectTasks(taskServer([], { "tools/call": DONE }));
    expect(await client.callTool("slow")).toEqual(DONE);
    const handle = await client.callTool("slow", {}, { task: true });
    expect([handle.id, handle.ref, handle.state.status]).toEqual([undefined, undefined, "completed"]);
    expect(await handle.result()).toEqual(DONE);
    const states: TaskState[] = [];
    for await (const state of handle) states.push(state);
    expect(states).toEqual([handle.state]);
    await handle.cancel();
    await client.close();
  });

  test("has a result that says what the tool could not do: that is no failure of the task", async () => {
    const failed = { ...DONE, isError: true };
    const { client } = await connectTasks(taskServer([taskOf("completed", { result: failed })]));
    expect(await client.callTool("slow")).toEqual(failed);
    await client.close();
  });

  test("rejects with the error of the call, as the server has sent it", async () => {
    const error = { code: -32050, message: "The disk is full.", data: { left: 0 } };
    const { client } = await connectTasks(taskServer([taskOf("failed", { error })]));
    const failure = client.callTool("slow");
    await expect(failure).rejects.toThrow(RpcError);
    await expect(failure).rejects.toMatchObject(error);
    await client.close();
  });

  test("rejects with CANCELLED if the server has cancelled the task, and says why", async () => {
    const { client } = await connectTasks(taskServer([taskOf("cancelled", { statusMessage: "no\u001b[2J" })]));
    const failure = client.callTool("slow");
    await expect(failure).rejects.toThrow(TaskError);
    await expect(failure).rejects.toMatchObject({
      code: "CANCELLED",
      message: expect.stringContaining("no\\u001b[2J") as string,
    });
    await client.close();
  });

  test("is answered at once by a task that is over already, without waiting for its poll interval", async () => {
    const created = { resultType: "task", ...COMPLETED, pollIntervalMs: 60_000 };
    const { client } = await connectTasks(taskServer([COMPLETED], { "tools/call": created }));
    expect(await client.callTool("slow")).toEqual(DONE);
    await client.close();
  });

  test("is understood if the server repeats the type of the result in its answers to `tasks/get`", async () => {
    const { client } = await connectTasks(taskServer([{ ...COMPLETED, resultType: "task" }]));
    expect(await client.callTool("slow")).toEqual(DONE);
    await client.close();
  });

  test("is checked against the output schema of its tool, like the result of any call", async () => {
    const outputSchema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
    const list = { tools: [{ name: "slow", inputSchema: { type: "object" }, outputSchema }] };
    const wrong = taskOf("completed", { result: { ...DONE, structuredContent: { sum: "3" } } });
    const { client } = await connectTasks(taskServer([wrong], { "tools/list": list }));
    await client.listTools();
    await expect(client.callTool("slow")).rejects.toMatchObject({ name: "ProtocolViolation" });
    await client.close();
  });

  test("sends no request of its own to a server that does not have tasks", async () => {
    const plain = { ...DISCOVERY, capabilities: { tools: {} } };
    const server = taskServer([], { "server/discover": plain, "tools/call": DONE });
    const { client } = await connectTasks(server);
    expect(await client.callTool("slow")).toEqual(DONE);
    expect(server.received.some(isCall("tasks/get"))).toBe(false);
    await client.close();
  });
});

describe("over HTTP, the client MUST set `Mcp-Name` to the id of the task", () => {
  test("in tasks/get, tasks/update and tasks/cancel", async () => {
    const question = {
      method: "elicitation/create",
      params: { mode: "form", message: "?", requestedSchema: { type: "object", properties: {} } },
    };
    let looks = 0;
    const updated = withResolvers<undefined>();
    const peer = await httpPeer((call) => {
      switch (call.body?.method) {
        case "tasks/update":
          updated.resolve(undefined);
          return result(call, { resultType: "complete" });
        case "server/discover":
          return result(call, DISCOVERY);
        case "tools/call":
          return result(call, { resultType: "task", ...WORKING });
        case "tasks/get":
          return result(call, {
            resultType: "complete",
            ...(looks++ === 0 ? taskOf("input_required", { inputRequests: { a: question } }) : WORKING),
          });
        default:
          return result(call, { resultType: "complete" });
      }
    });
    const client = await connect(peer.url, { extensions: [tasks()], elicitation: () => ({ action: "accept" }) });
    const handle = await client.callTool("slow", {}, { task: true });
    await updated.promise;
    await handle.cancel();
    const names = new Map(peer.calls.map(({ headers, body }) => [body?.method, headers["mcp-name"]]));
    expect([names.get("tasks/get"), names.get("tasks/cancel")]).toEqual([ID, ID]);
    expect([names.get("tasks/update")]).toEqual([ID]);
    handle.detach();
    await client.close();
    await peer.close();
  });
});

describe("when the caller gives up", () => {
  test("the task is cancelled, by `tasks/cancel` and not by a notification", async () => {
    const server = taskServer([WORKING]);
    const { client } = await connectTasks(server);
    const stop = new AbortController();
    const call = client.callTool("slow", {}, { signal: stop.signal });
    await server.arrival(isCall("tasks/get"));
    stop.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await server.arrival(isCall("tasks/cancel"));
    expect(sent(server, "tasks/cancel")).toEqual([{ taskId: ID }]);
    await client.close();
  });

  test("by `maxTimeout`, the task is cancelled as well", async () => {
    const server = taskServer([WORKING]);
    const { client } = await connectTasks(server);
    await expect(client.callTool("slow", {}, { maxTimeout: 100 })).rejects.toMatchObject({ code: "TIMEOUT" });
    await server.arrival(isCall("tasks/cancel"));
    await client.close();
  });

  test("by closing the client, the task goes on", async () => {
    const server = taskServer([WORKING]);
    const { client } = await connectTasks(server);
    const call = expect(client.callTool("slow")).rejects.toMatchObject({ code: "CLOSED" });
    await server.arrival(isCall("tasks/get"));
    await client.close();
    await call;
    expect(server.received.some(isCall("tasks/cancel"))).toBe(false);
  });
});

describe("a handle", () => {
  test("tells of every state, first of the current one, and iterations share one driver", async () => {
    const gate = withResolvers<object>();
    const server = taskServer([
      taskOf("working", { statusMessage: "half", lastUpdatedAt: "2026-07-28T10:00:01Z" }),
      () => gate.promise,
    ]);
    const { client } = await connectTasks(server);
    const handle = await client.callTool("slow", {}, { task: true });
    const collect = async (): Promise<string[]> => {
      const seen: string[] = [];
      for await (const { status, message } of handle) {
        seen.push(`${status} ${message}`);
        if (message === "half") gate.resolve({ ...COMPLETED, lastUpdatedAt: "2026-07-28T10:00:02Z" });
      }
      return seen;
    };
    const all = ["working undefined", "working half", "completed undefined"];
    expect(await Promise.all([collect(), collect()])).toEqual([all, all]);
    expect(await collect()).toEqual(["completed undefined"]);
    expect(await handle.result()).toEqual(DONE);
    expect(server.requests("tasks/get")).toHaveLength(2);
    await client.close();
  });

  test("is no promise, has the id of the task, and shows what the server says about it", async () => {
    const { client } = await connectTasks(
      taskServer([WORKING], {
        "tools/call": {
          resultType: "task",
          ...taskOf("working", { ttlMs: 60_000, statusMessage: "a\u0007b".repeat(1000) }),
        },
      }),
    );
    const handle = await client.callTool("slow", {}, { task: true });
    expect("then" in handle).toBe(false);
    expect(handle).toMatchObject({
      id: ID,
      ref: { id: ID, tool: "slow", server: "tasks", generation: "2026-07-28" },
      state: { status: "working", createdAt: "2026-07-28T10:00:00Z", ttl: 60_000 },
    });
    expect(handle.state.message).not.toContain("\u0007");
    expect(handle.state.message!.length).toBeLessThan(4000);
    handle.detach();
    await client.close();
  });

  test("stops waiting when the signal of `result()` aborts, and the task goes on", async () => {
    const gate = withResolvers<object>();
    const server = taskServer([() => gate.promise]);
    const { client } = await connectTasks(server);
    const handle = await client.callTool("slow", {}, { task: true });
    await expect(handle.result({ signal: AbortSignal.abort(new Error("later")) })).rejects.toThrow("later");
    gate.resolve({ resultType: "complete", ...COMPLETED });
    expect(await handle.result()).toEqual(DONE);
    expect(server.received.some(isCall("tasks/cancel"))).toBe(false);
    await client.close();
  });

  test("cancels the task, and waits for what becomes of it: cancelled", async () => {
    const server = taskServer([WORKING, taskOf("cancelled")]);
    const { client } = await connectTasks(server);
    const handle = await client.callTool("slow", {}, { task: true });
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ name: "TaskError", code: "CANCELLED" });
    await handle.cancel();
    expect(sent(server, "tasks/cancel")).toEqual([{ taskId: ID }]);
    await client.close();
  });

  test("cancels the task, which may be completed all the same", async () => {
    const { client } = await connectTasks(taskServer([WORKING, COMPLETED]));
    const handle = await client.callTool("slow", {}, { task: true });
    await handle.cancel();
    expect(await handle.result()).toEqual(DONE);
    await client.close();
  });

  test("cancels the task, which the server may forget at once", async () => {
    const gone = (): never => {
      throw new RpcError(-32602, "no such task");
    };
    const { client } = await connectTasks(taskServer([WORKING, gone]));
    const handle = await client.callTool("slow", {}, { task: true });
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ code: "CANCELLED" });
    await client.close();
  });

  test.each(["detach()", "await using"])("lets go of the task by %s: it goes on, and nobody looks", async (how) => {
    const looking = withResolvers<object>();
    const server = taskServer([() => looking.promise]);
    const { client } = await connectTasks(server);
    const handle = await client.callTool("slow", {}, { task: true });
    if (how === "detach()") handle.detach();
    else await handle[Symbol.asyncDispose]();
    await expect(handle.result()).rejects.toMatchObject({ code: "DETACHED" });
    for await (const { status } of handle) expect(status).toBe("working");
    expect(server.received.some(isCall("tasks/cancel"))).toBe(false);
    looking.resolve(SILENCE);
    await client.close();
  });

  test("is refused with an option that makes no sense", async () => {
    const { client } = await connectTasks(taskServer());
    for (const task of ["yes", 5, { ttl: -1 }, { ttl: 1.5 }, { tll: 5 }]) {
      await expect(client.callTool("slow", {}, { task: task as never })).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
      });
    }
    await client.close();
  });
});
