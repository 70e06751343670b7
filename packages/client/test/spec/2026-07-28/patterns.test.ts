/** basic/patterns of 2026-07-28: multi round-trip requests, cancellation, progress and subscriptions. */
import { connect, type Change, type ClientOptions, type ClientDiagnostic } from "@toolwire/client";
import { MetaKey, type NotificationMessage } from "@toolwire/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { isCall, modernServer, SILENCE, type Script } from "../../scripted-server.ts";
import { withResolvers } from "../../with-resolvers.ts";

async function connected(script: Script, options: ClientOptions = {}) {
  const server = modernServer(script);
  const client = await connect(server.channel, { onDiagnostic: () => {}, ...options });
  onTestFinished(() => client.close());
  return { server, client };
}

describe("multi round-trip requests", () => {
  const FORM = {
    method: "elicitation/create",
    params: { message: "?", requestedSchema: { type: "object", properties: {} } },
  };
  const ask = { resultType: "input_required", inputRequests: { again: FORM } };

  test("a retry MUST NOT have a requestState that its server did not give, whatever the request began with", async () => {
    const { server, client } = await connected(
      { "tools/call": ({ requestState }) => (requestState === undefined ? { content: [] } : ask) },
      { elicitation: () => ({ action: "accept" }) },
    );
    const begun = { name: "t", inputResponses: { past: { action: "decline" } }, requestState: "kept from yesterday" };
    await client.request("tools/call", begun as { name: string });
    const [first, second] = server.requests("tools/call");
    expect(first?.params).toMatchObject(begun);
    expect(second?.params).not.toHaveProperty("requestState");
    expect(second?.params).toMatchObject({ name: "t", inputResponses: { again: { action: "accept", content: {} } } });
    expect((second!.params as { inputResponses: object }).inputResponses).not.toHaveProperty("past");
  });

  test("inputs MUST be there before the retry: what cannot be answered is not sent again", async () => {
    const { server, client } = await connected(
      { "tools/call": ask },
      { elicitation: () => Promise.reject(new Error("nobody there")) },
    );
    await expect(client.callTool("t")).rejects.toThrow("nobody there");
    expect(server.requests("tools/call")).toHaveLength(1);
  });

  test("each retry is a request of its own, with the metadata that every request MUST have", async () => {
    const { server, client } = await connected(
      { "tools/call": (params) => ("inputResponses" in params ? { content: [] } : ask) },
      { elicitation: () => ({ action: "cancel" }) },
    );
    await client.callTool("t", {}, { _meta: { "com.example/a": 1 } });
    const [first, second] = server.requests("tools/call");
    expect(second?.id).not.toBe(first?.id);
    const meta = (first!.params as { _meta: object })._meta;
    expect(meta).toHaveProperty([MetaKey.ClientCapabilities]);
    expect((second!.params as { _meta: object })._meta).toEqual(meta);
  });
});

describe("cancellation", () => {
  test("MUST only be sent for requests that are believed to be in progress", async () => {
    const { server, client } = await connected({ "tools/call": { content: [] } });
    const before = AbortSignal.abort(new Error("never mind"));
    await expect(client.callTool("t", {}, { signal: before })).rejects.toThrow("never mind");
    const after = new AbortController();
    await client.callTool("t", {}, { signal: after.signal });
    after.abort();
    await client.discover();
    expect(server.notifications("notifications/cancelled")).toEqual([]);
    expect(server.requests("tools/call")).toHaveLength(1);
  });

  test("a response that crosses it SHOULD be ignored, and MUST do no harm", async () => {
    const diagnostics: ClientDiagnostic[] = [];
    const { server, client } = await connected(
      { "tools/call": () => SILENCE },
      { onDiagnostic: (event) => diagnostics.push(event) },
    );
    const abort = new AbortController();
    const call = client.callTool("t", {}, { signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await server.arrival(isCall("notifications/cancelled"));
    server.send({ jsonrpc: "2.0", id: server.requests("tools/call")[0]!.id, result: { content: [] } });
    await expect(client.discover()).resolves.toBeDefined();
    expect(diagnostics.map(({ level }) => level)).toEqual(["debug"]);
  });

  test("a cancellation by a server SHOULD be ignored if it is malformed, or names a request that is unknown, finished or no subscription", async () => {
    const { server, client } = await connected({
      "tools/call": async (_, { id }, { notify }) => {
        for (const requestId of [id, 1, 99, "x", null, {}]) notify("notifications/cancelled", { requestId });
        notify("notifications/cancelled");
        return { content: [] };
      },
    });
    await expect(client.callTool("t")).resolves.toEqual({ content: [] });
    expect(server.requests("tools/call")).toHaveLength(1);
  });

  test("the reason of a cancellation SHOULD be logged: the listener to notifications is told that of a subscription", async () => {
    const heard = withResolvers<NotificationMessage>();
    const { server, client } = await connected(LISTENING, {
      timeout: 50,
      onNotification(message) {
        if (message.method === "notifications/cancelled") heard.resolve(message);
      },
    });
    const subscription = await client.subscribe({ tools: true }, () => {});
    const { id } = server.requests("subscriptions/listen")[0]!;
    server.notify("notifications/cancelled", { requestId: id, reason: "maintenance" });
    expect((await heard.promise).params).toEqual({ requestId: id, reason: "maintenance" });
    await expect(subscription.closed).resolves.toBeUndefined();
  });
});

describe("progress", () => {
  test("tokens MUST be strings or integers, and unique across all active requests", async () => {
    const { server, client } = await connected({ "tools/call": () => SILENCE, "resources/read": () => SILENCE });
    const options = { onProgress: () => {} };
    const calls = [
      client.callTool("a", {}, options),
      client.callTool("b", {}, options),
      client.readResource("c:", options),
    ];
    await server.arrival(isCall("resources/read"));
    const tokens = [...server.requests("tools/call"), ...server.requests("resources/read")].map(
      ({ params }) => (params as { _meta: { progressToken: unknown } })._meta.progressToken,
    );
    expect(tokens.every(Number.isInteger)).toBe(true);
    expect(new Set(tokens).size).toBe(3);
    await client.close();
    await Promise.allSettled(calls);
  });

  test("tokens SHOULD be tracked: reports for others, or after the end, reach nobody", async () => {
    const heard: number[] = [];
    const { server, client } = await connected({
      "tools/call": (params, _, { notify }) => {
        const { progressToken } = params._meta as { progressToken: number };
        notify("notifications/progress", { progressToken: progressToken + 1, progress: 1 });
        notify("notifications/progress", { progressToken: String(progressToken), progress: 2 });
        notify("notifications/progress", { progressToken, progress: 3 });
        notify("notifications/progress", { progress: 4 });
        return { content: [] };
      },
    });
    await client.callTool("t", {}, { onProgress: ({ progress }) => heard.push(progress) });
    const { id } = server.requests("tools/call")[0]!;
    server.notify("notifications/progress", { progressToken: id, progress: 5 });
    await client.discover();
    expect(heard).toEqual([3]);
  });
});

/** A server that agrees to whatever is subscribed to. */
const LISTENING: Script = {
  "subscriptions/listen": (params, { id }, { notify }) => {
    const { notifications } = params as { notifications?: unknown };
    notify("notifications/subscriptions/acknowledged", { notifications, _meta: { [MetaKey.SubscriptionId]: id } });
    return SILENCE;
  },
};

describe("subscriptions", () => {
  test.each<[string, unknown, object]>([
    ["some of it", { toolsListChanged: true }, { tools: true, prompts: false, uris: [] }],
    ["more than was asked for", { resourcesListChanged: true }, { tools: false, resources: false }],
    ["what makes no sense", { toolsListChanged: "yes", resourceSubscriptions: 7 }, { tools: false, uris: [] }],
    ["nothing", undefined, { tools: false, prompts: false, resources: false, uris: [] }],
  ])("the client SHOULD check what was acknowledged: %s", async (_, notifications, accepted) => {
    const { client } = await connected({
      "subscriptions/listen": (__, { id }, { notify }) => {
        notify("notifications/subscriptions/acknowledged", { notifications, _meta: { [MetaKey.SubscriptionId]: id } });
        return SILENCE;
      },
    });
    const subscription = await client.subscribe({ tools: true, prompts: true, uris: ["a://b"] }, () => {});
    expect(subscription.accepted).toMatchObject(accepted);
  });

  test("nothing counts as announced before the acknowledgement, which MUST come first", async () => {
    const changes: Change[] = [];
    const { server, client } = await connected({
      "subscriptions/listen": (_, { id }, { notify }) => {
        const _meta = { [MetaKey.SubscriptionId]: id };
        notify("notifications/tools/list_changed", { _meta });
        notify("notifications/subscriptions/acknowledged", { notifications: { toolsListChanged: true }, _meta });
        return SILENCE;
      },
    });
    await client.subscribe({ tools: true }, (change) => changes.push(change));
    await client.discover();
    expect(changes).toEqual([]);
    const { id } = server.requests("subscriptions/listen")[0]!;
    server.notify("notifications/tools/list_changed", { _meta: { [MetaKey.SubscriptionId]: id } });
    await client.discover();
    expect(changes).toEqual([{ kind: "tools" }]);
  });
});
