/** What becomes of a task when looking at it fails, and what servers may not do. */
import { connect, type ClientMiddleware } from "@toolwire/client";
import { tasks } from "@toolwire/client/tasks";
import { ProtocolViolation, RpcError, TransportError } from "@toolwire/protocol";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { httpPeer, result, type HttpAnswer } from "../http-peer.ts";
import { isCall } from "../scripted-server.ts";
import { withResolvers } from "../with-resolvers.ts";
import { COMPLETED, connectTasks, DISCOVERY, DONE, ID, sent, taskOf, taskServer, WORKING } from "./task-script.ts";

/** Throws an error as the answer to a look. */
const refuse = (code: number) => (): never => {
  throw new RpcError(code, "no");
};

/** Lets no time pass but by the hands of the test. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
}

describe("a task ends only by what its server says", () => {
  test.each([-32603, -32000, -32050])("a look that fails with %i is repeated", async (code) => {
    stopClock();
    const server = taskServer([refuse(code), refuse(code), COMPLETED]);
    const { client } = await connectTasks(server);
    const call = client.callTool("slow");
    await server.arrival(isCall("tools/call"));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await call).toEqual(DONE);
    expect(server.requests("tasks/get")).toHaveLength(3);
    await client.close();
  });

  test("a lost connection is waited for", async () => {
    const servers = [taskServer([new Promise<object>(() => {})]), taskServer([COMPLETED])];
    let opened = 0;
    const extension = tasks();
    const client = await connect(() => servers[opened++]!.channel, {
      extensions: [extension],
      reconnect: { delay: 1, maxDelay: 2 },
      onDiagnostic: () => {},
    });
    const call = client.callTool("slow");
    await servers[0]!.arrival(isCall("tasks/get"));
    servers[0]!.break(new TransportError("CONNECTION_LOST", "cut"));
    expect(await call).toEqual(DONE);
    await client.close();
  });

  test.each([
    ["seconds", "2"],
    ["a date", "Tue, 28 Jul 2026 10:00:02 GMT"],
  ])("a busy HTTP server is asked again no sooner than `Retry-After` says in %s", async (_, retryAfter) => {
    stopClock();
    vi.setSystemTime("2026-07-28T10:00:00Z");
    const looks: HttpAnswer[] = [{ status: 503, headers: { "retry-after": retryAfter } }];
    const peer = await httpPeer((call) => {
      switch (call.body?.method) {
        case "server/discover":
          return result(call, DISCOVERY);
        case "tools/call":
          return result(call, { resultType: "task", ...WORKING });
        default:
          return looks.shift() ?? result(call, { resultType: "complete", ...COMPLETED });
      }
    });
    let asked = 0;
    const refused = withResolvers<undefined>();
    const watch: ClientMiddleware = async ({ method }, next) => {
      if (method === "tasks/get") asked++;
      try {
        return await next();
      } catch (error) {
        refused.resolve(undefined);
        throw error;
      }
    };
    const client = await connect(peer.url, { extensions: [tasks()], middleware: [watch] });
    const handle = await client.callTool("slow", {}, { task: true });
    await vi.advanceTimersByTimeAsync(60);
    await refused.promise;
    await vi.advanceTimersByTimeAsync(1_900);
    expect(asked).toBe(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(asked).toBe(2);
    expect(await handle.result()).toEqual(DONE);
    await client.close();
    await peer.close();
  });

  test("is given up on when the server was out of reach for `maxSilence`, and goes on", async () => {
    stopClock();
    const server = taskServer([refuse(-32603)]);
    const { client } = await connectTasks(server, {}, { maxSilence: 30_000 });
    const call = expect(client.callTool("slow")).rejects.toMatchObject({ code: -32603 });
    await server.arrival(isCall("tools/call"));
    await vi.advanceTimersByTimeAsync(120_000);
    await call;
    expect(server.received.some(isCall("tasks/cancel"))).toBe(false);
    await client.close();
  });

  test("is not given up on for failures long after one another", async () => {
    stopClock();
    const seldom = taskOf("working", { pollIntervalMs: 20_000 });
    const server = taskServer([refuse(-32603), seldom, seldom, refuse(-32603), COMPLETED]);
    const { client } = await connectTasks(server, {}, { maxSilence: 30_000 });
    const call = client.callTool("slow");
    await server.arrival(isCall("tools/call"));
    await vi.advanceTimersByTimeAsync(120_000);
    expect(await call).toEqual(DONE);
    await client.close();
  });

  test("is LOST if the server does not know it, which is final", async () => {
    const server = taskServer([WORKING, refuse(-32602)]);
    const { client } = await connectTasks(server);
    const failure = client.callTool("slow");
    await expect(failure).rejects.toMatchObject({ name: "TaskError", code: "LOST", cause: { code: -32602 } });
    expect(server.received.some(isCall("tasks/cancel"))).toBe(false);
    await client.close();
  });

  test("is EXPIRED if it takes longer than its ttl, which the server may raise", async () => {
    stopClock();
    const raised = taskOf("working", { ttlMs: 60_000, pollIntervalMs: 1_000 });
    const server = taskServer([taskOf("working", { ttlMs: 2_000, pollIntervalMs: 60_000 }), raised]);
    const { client } = await connectTasks(server);
    let failure: unknown;
    const call = client.callTool("slow").catch((error: unknown) => (failure = error));
    await server.arrival(isCall("tools/call"));
    await vi.advanceTimersByTimeAsync(50_000);
    expect(failure).toBeUndefined();
    await vi.advanceTimersByTimeAsync(20_000);
    await call;
    expect(failure).toMatchObject({ name: "TaskError", code: "EXPIRED" });
    await client.close();
  });

  test("is EXPIRED, and not LOST, if the server does not know it after its ttl", async () => {
    stopClock();
    const server = taskServer([taskOf("working", { ttlMs: 500 }), refuse(-32602)], {
      "tools/call": { resultType: "task", ...taskOf("working", { ttlMs: 500, pollIntervalMs: 450 }) },
    });
    const { client } = await connectTasks(server);
    const call = expect(client.callTool("slow")).rejects.toMatchObject({ code: "EXPIRED" });
    await server.arrival(isCall("tools/call"));
    await vi.advanceTimersByTimeAsync(5_000);
    await call;
    await client.close();
  });

  test.each([-32601, -32021])("a server that refuses to tell by %i is not asked again", async (code) => {
    const server = taskServer([refuse(code)]);
    const { client } = await connectTasks(server);
    await expect(client.callTool("slow")).rejects.toMatchObject({ code });
    expect(server.requests("tasks/get")).toHaveLength(1);
    await client.close();
  });
});

/** Answers that break the rules, and what is said about them. */
const BROKEN: { readonly [problem: string]: readonly [look: object, message: string] } = {
  "no status": [{ taskId: ID }, "`status` must be one of working"],
  "an unknown status": [taskOf("paused"), "`status` must be one of"],
  "a name of the prototype as its status": [taskOf("toString"), "`status` must be one of"],
  "the id of another task": [
    taskOf("completed", { taskId: "task-2", result: DONE }),
    "`taskId` is that of another task",
  ],
  "no id": [taskOf("completed", { taskId: undefined, result: DONE }), "`taskId` must be text"],
  "completed without a result": [taskOf("completed"), "a completed task must have its `result`"],
  "failed without an error": [taskOf("failed", { error: "disk full" }), "a failed task must have its `error`"],
  "waiting for input without questions": [taskOf("input_required"), "it must have its `inputRequests`"],
  "a result that is a task again": [
    taskOf("completed", { result: { resultType: "task", ...WORKING } }),
    '`resultType` is "task"',
  ],
  "a result of no form": [taskOf("completed", { result: { content: 5 } }), "`content` must be an array"],
  "a result of an unknown type": [{ ...COMPLETED, resultType: "other" }, '`resultType` is "other"'],
};

describe("a server that breaks the rules", () => {
  test.each(Object.entries(BROKEN))("%s: the call rejects, and says why", async (_, [look, message]) => {
    const { client } = await connectTasks(taskServer([look]));
    const failure = client.callTool("slow");
    await expect(failure).rejects.toThrow(ProtocolViolation);
    await expect(failure).rejects.toThrow(message);
    await client.close();
  });

  test.each([
    ["no id", taskOf("working", { taskId: undefined })],
    ["an empty id", taskOf("working", { taskId: "" })],
    ["an id of half a character, which no header can hold", taskOf("working", { taskId: "a\uD800" })],
    ["an id without end", taskOf("working", { taskId: "a".repeat(5_000) })],
    ["an unknown status", taskOf("begun")],
  ])("a call that is answered with a task of %s rejects, and nothing is asked", async (_, created) => {
    const server = taskServer([], { "tools/call": { resultType: "task", ...created } });
    const { client } = await connectTasks(server);
    await expect(client.callTool("slow")).rejects.toThrow(ProtocolViolation);
    expect(server.received.some(isCall("tasks/get"))).toBe(false);
    await client.close();
  });

  test("whose task makes no sense has it cancelled, because nobody can use it", async () => {
    const server = taskServer([taskOf("paused")]);
    const { client } = await connectTasks(server);
    await expect(client.callTool("slow")).rejects.toThrow(ProtocolViolation);
    await server.arrival(isCall("tasks/cancel"));
    expect(sent(server, "tasks/cancel")).toEqual([{ taskId: ID }]);
    await client.close();
  });

  test("MUST NOT answer another method with a task: that is invalid", async () => {
    const server = taskServer([], { "prompts/get": { resultType: "task", ...WORKING } });
    const { client } = await connectTasks(server);
    await expect(client.getPrompt("slow")).rejects.toThrow('`resultType` is "task"');
    expect(server.received.some(isCall("tasks/get"))).toBe(false);
    await client.close();
  });
});
