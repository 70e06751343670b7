import { afterEach, describe, expect, it } from "vitest";
import { tool } from "../../src/index.ts";
import { fakeAuth } from "../fake-auth.ts";
import { defer } from "../wire-client.ts";
import {
  callTool,
  type ClientSettings,
  HTTP,
  refusalOf,
  type Served,
  type TaskClient,
  taskIn,
} from "./task-clients.ts";
import { ADA, greeter, serveTasks } from "./task-server.ts";

const UNKNOWN = "task-00000000000000000000000000000000";

describe("Tasks of authenticated callers", () => {
  let served: Served;
  let gate = defer();

  afterEach(async () => {
    gate.resolve();
    await served.close();
  });

  async function open(): Promise<void> {
    gate = defer();
    const held = tool({ task: true, run: (_args, ctx) => gate.promise.then(() => `for ${ctx.principal?.id}`) });
    const scoped = tool({
      task: true,
      async run(_args, ctx) {
        ctx.requireScopes("write");
        await ctx.tryElicit("who", { message: "Who?", schema: { type: "object", properties: {} } });
        return `${ctx.principal?.id} ${ctx.principal?.scopes?.join()} ${JSON.stringify(ctx.principal?.claims)}`;
      },
    });
    const server = serveTasks({ held, greeter, scoped }, { list: true });
    const ada = { scopes: ["write"], claims: { team: "engines" }, expiresAt: Date.now() + 60_000 };
    served = await HTTP.serve(server, fakeAuth({ ada, eve: { scopes: ["write"] }, null: {} }));
  }

  async function refuse(client: TaskClient, method: string, taskId: string): Promise<string> {
    const error = await refusalOf(client.request(method, { taskId, inputResponses: { who: ADA } }));
    return `${error.code} ${error.message}`;
  }

  it.each(["tasks/get", "tasks/update", "tasks/cancel"])("are unknown to others in %s", async (method) => {
    await open();
    const own = served.declaring({ token: "ada" });
    const { taskId } = await callTool(own, "greeter");
    await taskIn(own, taskId, "input_required");
    const other = served.declaring({ token: "eve" });
    expect(await refuse(other, method, taskId as string)).toBe(await refuse(other, method, UNKNOWN));
    expect((await own.request("tasks/get", { taskId })).status).toBe("input_required");
  });

  it.each(["tasks/get", "tasks/result", "tasks/cancel"])(
    "are unknown to others in %s of 2025-11-25",
    async (method) => {
      await open();
      const own = await served.legacy({ token: "ada" });
      const { task } = await callTool(own, "greeter", {}, { task: {} });
      const { taskId } = task as { taskId: string };
      const other = await served.legacy({ token: "eve" });
      expect(await refuse(other, method, taskId)).toBe(await refuse(other, method, UNKNOWN));
      expect(await taskIn(own, taskId, "input_required")).toMatchObject({ taskId });
    },
  );

  it("are found by their caller over every session and in every revision that has tasks", async () => {
    await open();
    const settings: ClientSettings = { token: "ada" };
    const { taskId } = await callTool(served.declaring(settings), "greeter");
    await taskIn(await served.legacy(settings), taskId, "input_required");
    const legacy = await served.legacy({ ...settings, answer: () => ADA });
    const result = await legacy.request("tasks/result", { taskId });
    expect(result.content[0].text).toBe("Hello, Ada!");
    expect((await served.declaring(settings).request("tasks/get", { taskId })).status).toBe("completed");
  });

  it("of 2025-11-25 can be read and cancelled in 2026-07-28 by clients that know the former only, and no others can", async () => {
    await open();
    const legacy = await served.legacy({ token: "ada" });
    const { task } = await callTool(legacy, "held", {}, { task: {} });
    const { taskId } = task as { taskId: string };
    const { taskId: modern } = await callTool(served.declaring({ token: "ada" }), "held");
    const capabilities = { tasks: { cancel: {} } } as object;
    const older = served.declaring({ token: "ada", capabilities });
    expect((await older.request("tasks/get", { taskId })).status).toBe("working");
    for (const id of [modern, UNKNOWN, 7]) {
      expect((await refusalOf(older.request("tasks/get", { taskId: id }))).code).toBe(-32021);
    }
    const other = served.declaring({ token: "eve", capabilities });
    expect((await refusalOf(other.request("tasks/cancel", { taskId }))).code).toBe(-32021);
    await older.request("tasks/cancel", { taskId });
    expect((await legacy.request("tasks/get", { taskId })).status).toBe("cancelled");
  });

  it("are listed for their caller only", async () => {
    await open();
    const own = await served.legacy({ token: "ada" });
    const { task } = await callTool(own, "held", {}, { task: {} });
    const { tasks } = await own.request("tasks/list");
    expect(tasks).toEqual([expect.objectContaining({ taskId: (task as { taskId: string }).taskId })]);
    // A caller who is called "null" is not the one who is nobody.
    for (const token of ["eve", "null"]) {
      expect((await (await served.legacy({ token })).request("tasks/list")).tasks).toEqual([]);
    }
  });

  it("go on with the scopes and claims of their caller, and check scopes again", async () => {
    await open();
    const own = served.declaring({ token: "ada" });
    const { taskId } = await callTool(own, "scoped");
    await taskIn(own, taskId, "input_required");
    await own.request("tasks/update", { taskId, inputResponses: { who: { action: "decline" } } });
    const { result } = await taskIn(own, taskId, "completed");
    expect(result.content[0].text).toBe('ada write {"team":"engines"}');
    const poor = served.declaring({ token: "null" });
    const refused = await callTool(poor, "scoped");
    expect((await taskIn(poor, refused.taskId, "failed")).error.message).toContain("write");
  });
});
