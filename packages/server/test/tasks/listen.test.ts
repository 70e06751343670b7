import { afterEach, describe, expect, it } from "vitest";
import { tool } from "../../src/index.ts";
import { type Deferred, defer, type Json, ModernClient } from "../wire-client.ts";
import { ADA, DECLARED, greeter, PLAIN, serveTasks } from "./task-server.ts";

const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const CHANGED = "notifications/tasks";
const UNKNOWN = "task-00000000000000000000000000000000";

describe("subscriptions/listen with taskIds", () => {
  let client: ModernClient;
  let gate: Deferred<void>;

  function open(): void {
    gate = defer();
    const held = tool({
      task: true,
      async run(_args, ctx) {
        ctx.task.say("Holding");
        ctx.progress(1, 2, "Half");
        ctx.log("info", "Half");
        await gate.promise;
        return "opened";
      },
    });
    client = new ModernClient(serveTasks({ held, greeter }, { maxWatched: 3 }), {
      capabilities: DECLARED,
      logLevel: "info",
    });
  }

  afterEach(async () => {
    gate.resolve();
    await client.disconnect();
  });

  async function begin(name: string): Promise<string> {
    return ((await client.callTool(name)) as { taskId: string }).taskId;
  }

  async function statusSeen(status: string): Promise<Json> {
    const find = (): Json =>
      client.notifications(CHANGED).find(({ params }) => (params as { status: string }).status === status);
    await client.until(() => find() !== undefined);
    return find();
  }

  it("agrees to the tasks of the caller, and leaves out those that it does not have", async () => {
    open();
    const id = await begin("held");
    client.start("subscriptions/listen", { notifications: { taskIds: [id, UNKNOWN, id] } });
    const { params } = await client.notification(ACKNOWLEDGED);
    expect(params.notifications).toEqual({ taskIds: [id] });
  });

  it("sends the whole task at each change, as tasks/get would return it", async () => {
    open();
    const id = await begin("greeter");
    const other = await begin("held");
    const listening = client.start("subscriptions/listen", { notifications: { taskIds: [id] } });
    await client.notification(ACKNOWLEDGED);
    const inputResponses = { who: ADA };
    for (let status = ""; status !== "input_required";) {
      ({ status } = (await client.request("tasks/get", { taskId: id })) as { status: string });
    }
    await client.request("tasks/update", { taskId: id, inputResponses });
    const { params } = await statusSeen("completed");
    const { _meta, ...task } = params as { _meta: { [key: string]: unknown } };
    const got = (await client.request("tasks/get", { taskId: id })) as object;
    expect(got).toMatchObject(task);
    expect(task).toHaveProperty("result.content");
    expect(_meta["io.modelcontextprotocol/subscriptionId"]).toBe(listening.id);
    expect(JSON.stringify(client.notifications(CHANGED))).not.toContain(other);
  });

  it("sends neither progress nor log messages of tasks", async () => {
    open();
    const { taskId } = await client.callTool("held", {}, { _meta: { progressToken: "p" } });
    client.start("subscriptions/listen", { notifications: { taskIds: [taskId] } });
    await client.notification(ACKNOWLEDGED);
    gate.resolve();
    await statusSeen("completed");
    expect(client.notifications("notifications/progress")).toEqual([]);
    expect(client.notifications("notifications/message")).toEqual([]);
  });

  it("refuses a client that does not declare the extension with -32021", async () => {
    open();
    const undeclared = { _meta: { "io.modelcontextprotocol/clientCapabilities": PLAIN } };
    const params = { notifications: { taskIds: [UNKNOWN] }, ...undeclared };
    await expect(client.request("subscriptions/listen", params)).rejects.toMatchObject({ code: -32021 });
  });

  it.each([7, "all", [7], [UNKNOWN, {}], ["a", "b", "c", "d"], ["x".repeat(300)]])(
    "refuses the filter %j",
    async (taskIds) => {
      open();
      const listening = client.request("subscriptions/listen", { notifications: { taskIds } });
      await expect(listening).rejects.toMatchObject({ code: -32602 });
    },
  );
});
