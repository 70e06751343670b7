/** What servers announce about tasks: used where it comes, and never relied on. */
import { describe, expect, test } from "vitest";
import { isCall, type Script, type ScriptedServer, SILENCE } from "../scripted-server.ts";
import { withResolvers } from "../with-resolvers.ts";
import { COMPLETED, connectTasks, DONE, ID, sent, taskOf, taskServer, WORKING, type Looks } from "./task-script.ts";

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

/** A server that agrees to announce some of the tasks that it is asked for. */
function listening(
  agreed: (wanted: readonly string[]) => unknown,
  looks: Looks = [WORKING],
  script: Script = {},
): ScriptedServer {
  return taskServer(looks, {
    ...script,
    "subscriptions/listen": (params, { id }, server) => {
      const { taskIds } = (params as unknown as { notifications: { taskIds: string[] } }).notifications;
      const notifications = { taskIds: agreed(taskIds) };
      server.notify("notifications/subscriptions/acknowledged", { notifications, _meta: { [SUBSCRIPTION]: id } });
      return SILENCE;
    },
  });
}

/** Announces something on the stream of the only subscription. */
function announce(server: ScriptedServer, task: object, method = "notifications/tasks"): void {
  const [request] = server.requests("subscriptions/listen");
  server.notify(method, { ...task, _meta: { [SUBSCRIPTION]: request?.id } });
}

describe("a server that announces the changes of a task", () => {
  test("is listened to, with the id of the task, and its last announcement is the result", async () => {
    const server = listening((wanted) => wanted, [WORKING, WORKING]);
    const { client } = await connectTasks(server);
    const handle = await client.callTool("slow", {}, { task: true });
    await server.arrival(isCall("subscriptions/listen"));
    expect(sent(server, "subscriptions/listen")).toEqual([{ notifications: { taskIds: [ID] } }]);
    const messages: (string | undefined)[] = [];
    const collected = (async () => {
      for await (const { message } of handle) {
        messages.push(message);
        if (message === "half") announce(server, { ...COMPLETED, statusMessage: "all" });
      }
    })();
    announce(server, taskOf("working", { statusMessage: "half" }));
    expect(await handle.result()).toEqual(DONE);
    await collected;
    expect(messages).toEqual([undefined, "half", "all"]);
    // One look before listening, one after the agreement, for what has changed between.
    expect(server.requests("tasks/get").length).toBeLessThanOrEqual(2);
    expect(server.requests("subscriptions/listen")).toHaveLength(1);
    await client.close();
  });

  test("is listened to from the beginning if it wants to be looked at seldom, and looked at once it agrees", async () => {
    const seldom = taskOf("working", { pollIntervalMs: 60_000 });
    const server = listening((wanted) => wanted, [seldom], { "tools/call": { resultType: "task", ...seldom } });
    const { client } = await connectTasks(server);
    const call = client.callTool("slow");
    await server.arrival(isCall("tasks/get"));
    expect(server.requests("subscriptions/listen")).toHaveLength(1);
    announce(server, COMPLETED);
    expect(await call).toEqual(DONE);
    await client.close();
  });

  test("has its stream ended when the task is over", async () => {
    const server = listening((wanted) => wanted);
    const { client } = await connectTasks(server);
    const call = client.callTool("slow");
    await server.arrival(isCall("subscriptions/listen"));
    announce(server, COMPLETED);
    await call;
    const [request] = server.requests("subscriptions/listen");
    const ended = await server.arrival(isCall("notifications/cancelled"));
    expect(ended).toMatchObject({ params: { requestId: request?.id } });
    await client.close();
  });

  test("may ask by an announcement", async () => {
    const server = listening((wanted) => wanted);
    const updated = withResolvers<undefined>();
    const question = {
      method: "elicitation/create",
      params: { mode: "form", message: "Who?", requestedSchema: { type: "object", properties: {} } },
    };
    const { client } = await connectTasks(server, {
      elicitation() {
        updated.resolve(undefined);
        return { action: "decline" };
      },
    });
    const call = client.callTool("slow");
    await server.arrival(isCall("subscriptions/listen"));
    announce(server, taskOf("input_required", { inputRequests: { a: question } }));
    await updated.promise;
    await server.arrival(isCall("tasks/update"));
    announce(server, COMPLETED);
    expect(await call).toEqual(DONE);
    await client.close();
  });

  test("is looked at when an announcement makes no sense, or is about another task", async () => {
    for (const odd of [{ taskId: ID, status: "paused" }, taskOf("completed", { taskId: "task-2", result: DONE }), {}]) {
      let isAsked = false;
      const server = taskServer([], {
        "subscriptions/listen": (_, { id }, at) => {
          at.notify("notifications/subscriptions/acknowledged", {
            notifications: { taskIds: [ID] },
            _meta: { [SUBSCRIPTION]: id },
          });
          return SILENCE;
        },
        "tasks/get": () => ({ resultType: "complete", ...(isAsked ? COMPLETED : WORKING) }),
      });
      const { client } = await connectTasks(server);
      const call = client.callTool("slow");
      await server.arrival(isCall("subscriptions/listen"));
      isAsked = true;
      announce(server, odd);
      expect(await call).toEqual(DONE);
      await client.close();
    }
  });

  test("cannot take an end back, nor what is newer", async () => {
    const news = taskOf("working", { lastUpdatedAt: "2026-07-28T10:00:05Z", statusMessage: "new" });
    const server = listening((wanted) => wanted, [news], { "com.example/echo": { resultType: "complete" } });
    const { client } = await connectTasks(server);
    const handle = await client.callTool("slow", {}, { task: true });
    await server.arrival(isCall("subscriptions/listen"));
    announce(server, taskOf("working", { lastUpdatedAt: "2026-07-28T10:00:01Z", statusMessage: "old" }));
    // What was announced has arrived when the answer to a later request has.
    await client.request("com.example/echo");
    expect(handle.state.message).toBe("new");
    announce(server, { ...COMPLETED, lastUpdatedAt: "2026-07-28T10:00:06Z" });
    announce(server, taskOf("working", { lastUpdatedAt: "2026-07-28T10:00:07Z", statusMessage: "again" }));
    expect(await handle.result()).toEqual(DONE);
    expect(handle.state).toMatchObject({ status: "completed" });
    await client.close();
  });

  test("is not listened to for anything else than states of tasks", async () => {
    const server = listening((wanted) => wanted);
    const { client } = await connectTasks(server);
    const handle = await client.callTool("slow", {}, { task: true });
    await server.arrival(isCall("subscriptions/listen"));
    announce(server, { ...COMPLETED }, "notifications/other");
    announce(server, { progress: 1 }, "notifications/progress");
    announce(server, taskOf("working", { statusMessage: "goes on" }));
    for await (const { message } of handle) if (message === "goes on") break;
    expect(handle.state.status).toBe("working");
    handle.detach();
    await client.close();
  });
});

describe("a server that announces nothing", () => {
  test.each([
    ["agrees to no task", (): unknown => []],
    ["agrees to another task", (): unknown => ["task-2"]],
    ["leaves the topic out", (): unknown => undefined],
    ["says nonsense", (): unknown => "task-1"],
  ])("is looked at if it %s", async (_, agreed) => {
    const server = listening(agreed, [WORKING, WORKING, WORKING, COMPLETED]);
    const { client } = await connectTasks(server);
    expect(await client.callTool("slow")).toEqual(DONE);
    expect(server.requests("tasks/get")).toHaveLength(4);
    await client.close();
  });

  test("is asked for that once, and not for every task", async () => {
    const server = taskServer([WORKING, WORKING, COMPLETED, WORKING, WORKING, COMPLETED]);
    const { client } = await connectTasks(server);
    await client.callTool("slow");
    await client.callTool("slow");
    expect(server.requests("subscriptions/listen")).toHaveLength(1);
    await client.close();
  });

  test("is not asked at all for a task that is over when it is first looked at", async () => {
    const server = listening((wanted) => wanted, [COMPLETED]);
    const { client } = await connectTasks(server);
    await client.callTool("slow");
    expect(server.received.some(isCall("subscriptions/listen"))).toBe(false);
    await client.close();
  });
});

test("no more than eight tasks of a client have a stream of their own", async () => {
  let made = 0;
  const server = taskServer([], {
    "tools/call": () => ({ resultType: "task", ...WORKING, taskId: `task-${++made}` }),
    "tasks/get": ({ taskId }) => ({ resultType: "complete", ...WORKING, taskId }),
    "subscriptions/listen": (params, { id }, at) => {
      const { notifications } = params;
      at.notify("notifications/subscriptions/acknowledged", { notifications, _meta: { [SUBSCRIPTION]: id } });
      return SILENCE;
    },
  });
  const { client } = await connectTasks(server);
  const handles = await Promise.all(Array.from({ length: 12 }, () => client.callTool("slow", {}, { task: true })));
  const lookedTwice = (id: string | undefined): boolean =>
    sent(server, "tasks/get").filter((params) => (params as { taskId: string }).taskId === id).length >= 2;
  for (const { id } of handles) {
    await server.arrival(() => lookedTwice(id));
  }
  expect(server.requests("subscriptions/listen")).toHaveLength(8);
  for (const handle of handles) handle.detach();
  await client.close();
});
