/** Tasks that are found again by another client, as after a restart of the program. */
import { connect } from "@toolwire/client";
import { tasks, type TaskRef } from "@toolwire/client/tasks";
import { RpcError } from "@toolwire/protocol";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { httpPeer, result } from "../http-peer.ts";
import { isCall, modernServer } from "../scripted-server.ts";
import {
  COMPLETED,
  connectTasks,
  DISCOVERY,
  DONE,
  ID,
  legacyTask,
  legacyTaskServer,
  taskOf,
  taskServer,
  WORKING,
} from "./task-script.ts";

const REF: TaskRef = { id: ID, tool: "slow", server: "tasks", generation: "2026-07-28" };

describe("a reference", () => {
  test("survives as JSON, and leads another client to the same task", async () => {
    const first = await connectTasks(taskServer([WORKING]));
    const handle = await first.client.callTool("slow", {}, { task: true });
    const kept = JSON.stringify(handle.ref);
    handle.detach();
    await first.client.close();

    const { client, extension } = await connectTasks(taskServer([WORKING, COMPLETED]));
    const again = await client.use(extension).resumeTask(JSON.parse(kept) as TaskRef);
    expect(again).toMatchObject({ id: ID, ref: JSON.parse(kept) as object, state: { status: "working" } });
    expect(await again.result()).toEqual(DONE);
    await client.close();
  });

  test("names the address of the server, without its credentials, where there is one", async () => {
    const peer = await httpPeer((call) => {
      if (call.body?.method === "server/discover") return result(call, DISCOVERY);
      const isCreated = call.body?.method === "tools/call";
      return result(call, isCreated ? { resultType: "task", ...WORKING } : { resultType: "complete", ...COMPLETED });
    });
    const extension = tasks();
    const client = await connect(peer.url, { extensions: [extension] });
    const { ref } = await client.callTool("slow", {}, { task: true });
    expect(ref).toEqual({ ...REF, server: peer.url });
    await expect(client.use(extension).resumeTask(REF)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await (await client.use(extension).resumeTask(ref!)).result()).toEqual(DONE);
    await client.close();
    await peer.close();
  });

  test("of another server is refused before anybody is asked", async () => {
    const server = taskServer();
    const { client, extension } = await connectTasks(server);
    await expect(
      client.use(extension).resumeTask({ ...REF, server: "https://bank.example/mcp" }),
    ).rejects.toMatchObject({
      name: "UsageError",
      message: 'The task is one of "https://bank.example/mcp", and this client is connected to "tasks".',
    });
    expect(server.received.some(isCall("tasks/get"))).toBe(false);
    await client.close();
  });

  test("of a revision whose tasks the server does not have is refused", async () => {
    const { client, extension } = await connectTasks(taskServer());
    const older: TaskRef = { ...REF, generation: "2025-11-25" };
    await expect(client.use(extension).resumeTask(older)).rejects.toMatchObject({ code: "UNSUPPORTED" });
    const without = modernServer({ "server/discover": { ...DISCOVERY, capabilities: {} } });
    const other = await connectTasks(without);
    await expect(other.client.use(other.extension).resumeTask(REF)).rejects.toMatchObject({ code: "UNSUPPORTED" });
    await Promise.all([client.close(), other.client.close()]);
  });

  test.each([undefined, null, "task-1", {}, { ...REF, id: "" }, { ...REF, tool: 5 }])(
    "that is none is refused: %j",
    async (ref) => {
      const { client, extension } = await connectTasks(taskServer());
      await expect(client.use(extension).resumeTask(ref as never)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
      await client.close();
    },
  );
});

describe("a task that is resumed", () => {
  test("is LOST at once if the server does not know it", async () => {
    const unknown = (): never => {
      throw new RpcError(-32602, "no such task");
    };
    const { client, extension } = await connectTasks(taskServer([unknown]));
    await expect(client.use(extension).resumeTask(REF)).rejects.toMatchObject({ name: "TaskError", code: "LOST" });
    await client.close();
  });

  test("has its result at once if it is over", async () => {
    const server = taskServer([COMPLETED]);
    const { client, extension } = await connectTasks(server);
    const handle = await client.use(extension).resumeTask(REF);
    expect(handle.state.status).toBe("completed");
    expect(await handle.result()).toEqual(DONE);
    expect(server.requests("tasks/get")).toHaveLength(1);
    await client.close();
  });

  test("is EXPIRED when the server may have forgotten it, counted from when it was made", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const old = taskOf("working", { ttlMs: 60_000, lastUpdatedAt: "2026-07-28T10:00:50Z" });
    const { client, extension } = await connectTasks(taskServer([old]));
    const handle = await client.use(extension).resumeTask(REF);
    let failure: unknown;
    const ended = handle.result().catch((error: unknown) => (failure = error));
    await vi.advanceTimersByTimeAsync(9_000);
    expect(failure).toBeUndefined();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(failure).toMatchObject({ code: "EXPIRED" });
    await ended;
    await client.close();
  });

  test("has its result checked against the output schema of its tool", async () => {
    const outputSchema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
    const list = { tools: [{ name: "slow", inputSchema: { type: "object" }, outputSchema }] };
    const wrong = taskOf("completed", { result: { ...DONE, structuredContent: {} } });
    const { client, extension } = await connectTasks(taskServer([wrong], { "tools/list": list }));
    await client.listTools();
    const handle = await client.use(extension).resumeTask(REF);
    await expect(handle.result()).rejects.toMatchObject({ name: "ProtocolViolation" });
    await client.close();
  });

  test("is cancelled when its signal aborts", async () => {
    const server = taskServer([WORKING]);
    const { client, extension } = await connectTasks(server);
    const stop = new AbortController();
    const handle = await client.use(extension).resumeTask(REF, { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(handle.result()).rejects.toThrow("enough");
    await server.arrival(isCall("tasks/cancel"));
    await client.close();
  });

  test("can be one of 2025-11-25", async () => {
    const server = legacyTaskServer([legacyTask("working"), legacyTask("completed")], {}, "optional");
    const { client, extension } = await connectTasks(server);
    const handle = await client.use(extension).resumeTask({ ...REF, server: "legacy", generation: "2025-11-25" });
    expect(await handle.result()).toMatchObject({ content: [{ text: "done" }] });
    await client.close();
  });
});
