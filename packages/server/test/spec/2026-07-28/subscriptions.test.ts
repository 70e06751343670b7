/** basic/patterns/subscriptions, and the change notifications of the server pages, of 2026-07-28. */
import { MetaKey } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { bindingOf } from "../../../src/binding.ts";
import { createServer, prompt, resource, tool, type Server } from "../../../src/index.ts";
import { LegacyClient, ModernClient, type Json } from "../../wire-client.ts";

const noop = tool({ run: () => "" });

function make(options: { maxSubscriptions?: number } = {}): Server {
  return createServer({
    name: "changes",
    version: "1",
    ...options,
    tools: { a: noop },
    prompts: { p: prompt({ get: () => "" }) },
    resources: { r: resource({ uri: "a://b", read: () => "" }) },
  });
}

const ACK = "notifications/subscriptions/acknowledged";
const TOOLS = "notifications/tools/list_changed";
const PROMPTS = "notifications/prompts/list_changed";
const RESOURCES = "notifications/resources/list_changed";
const UPDATED = "notifications/resources/updated";

describe("opening a stream", () => {
  test("the acknowledgment MUST come first and carry the subscription id, which is the id of the request", async () => {
    const server = make();
    const client = new ModernClient(server);
    for (const id of [7, "seven"]) {
      client.start("subscriptions/listen", { notifications: { toolsListChanged: true } }, id);
      await client.until(() =>
        client.notifications(ACK).some(({ params }) => params._meta[MetaKey.SubscriptionId] === id),
      );
    }
    expect(client.received.map((message) => "method" in message && message.method)).toStrictEqual([ACK, ACK]);
    expect(client.received[0]).toStrictEqual({
      jsonrpc: "2.0",
      method: ACK,
      params: { notifications: { toolsListChanged: true }, _meta: { [MetaKey.SubscriptionId]: 7 } },
    });
  });

  test("the acknowledgment reflects what the server can honor", async () => {
    const bare = new ModernClient(createServer({ name: "bare", version: "1", tools: {} }));
    const everything = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ["a://b"],
    };
    bare.start("subscriptions/listen", { notifications: everything });
    expect((await bare.notification(ACK)).params.notifications).toStrictEqual({ toolsListChanged: true });
    const full = new ModernClient(make());
    full.start("subscriptions/listen", { notifications: everything });
    expect((await full.notification(ACK)).params.notifications).toStrictEqual(everything);
  });

  test("an empty filter is acknowledged as one", async () => {
    const client = new ModernClient(make());
    client.start("subscriptions/listen", { notifications: {} });
    expect((await client.notification(ACK)).params.notifications).toStrictEqual({});
  });

  test.each([
    [{}],
    [{ notifications: [] }],
    [{ notifications: { toolsListChanged: 1 } }],
    [{ notifications: { resourceSubscriptions: "a" } }],
    [{ notifications: { resourceSubscriptions: [1] } }],
  ])("a malformed filter is refused: %j", async (params) => {
    await expect(new ModernClient(make()).request("subscriptions/listen", params)).rejects.toMatchObject({
      code: -32602,
    });
  });
});

describe("notifications", () => {
  test("only notifications that were asked for are sent, each with the subscription id", async () => {
    const server = make();
    const client = new ModernClient(server);
    client.start("subscriptions/listen", { notifications: { toolsListChanged: true } }, "t");
    client.start(
      "subscriptions/listen",
      { notifications: { promptsListChanged: true, resourceSubscriptions: ["a://b"] } },
      "p",
    );
    await client.notification(ACK, 2);
    server.resources.add("s", resource({ uri: "a://c", read: () => "" }));
    server.tools.add("b", noop);
    server.prompts.remove("p");
    server.resources.updated("a://c");
    server.resources.updated("a://b");
    await client.notification(UPDATED);
    const seen = client.received
      .slice(2)
      .map((message: Json) => [message.method, message.params._meta[MetaKey.SubscriptionId], message.params.uri]);
    expect(seen).toStrictEqual([
      [TOOLS, "t", undefined],
      [PROMPTS, "p", undefined],
      [UPDATED, "p", "a://b"],
    ]);
    expect(client.notifications(RESOURCES)).toHaveLength(0);
  });

  test("several changes at once are told once", async () => {
    const server = make();
    const client = new ModernClient(server);
    client.start("subscriptions/listen", { notifications: { toolsListChanged: true, resourcesListChanged: true } });
    await client.notification(ACK);
    for (let n = 0; n < 50; n += 1) server.tools.add(`t${n}`, noop);
    server.resources.remove("r");
    await client.notification(RESOURCES);
    expect(client.notifications(TOOLS)).toHaveLength(1);
    server.tools.remove("t0");
    await client.notification(TOOLS, 2);
  });

  test("the list that is fetched after the notification is the new one", async () => {
    const server = make();
    const client = new ModernClient(server);
    await client.request("tools/list");
    client.start("subscriptions/listen", { notifications: { toolsListChanged: true } });
    await client.notification(ACK);
    server.tools.add("b", noop);
    await client.notification(TOOLS);
    expect((await client.request("tools/list")).tools.map(({ name }: { name: string }) => name)).toStrictEqual([
      "a",
      "b",
    ]);
    server.tools.remove("a");
    await client.notification(TOOLS, 2);
    expect((await client.request("tools/list")).tools.map(({ name }: { name: string }) => name)).toStrictEqual(["b"]);
    await expect(client.callTool("a")).rejects.toMatchObject({ code: -32602 });
  });

  test("a client that subscribed to nothing hears of nothing", async () => {
    const server = make();
    const client = new ModernClient(server);
    await client.request("tools/list");
    server.tools.add("b", noop);
    await client.request("tools/list");
    expect(client.received.every((message) => "result" in message)).toBe(true);
  });

  test("streams of different clients do not meet", async () => {
    const server = make();
    const [one, two] = [new ModernClient(server), new ModernClient(server)];
    one.start("subscriptions/listen", { notifications: { toolsListChanged: true } }, 1);
    two.start("subscriptions/listen", { notifications: { resourceSubscriptions: ["a://b"] } }, 1);
    await Promise.all([one.notification(ACK), two.notification(ACK)]);
    server.resources.updated("a://b");
    server.tools.add("b", noop);
    await Promise.all([one.notification(TOOLS), two.notification(UPDATED)]);
    expect(one.notifications(UPDATED)).toHaveLength(0);
    expect(two.notifications(TOOLS)).toHaveLength(0);
  });
});

describe("the end of a stream", () => {
  test("a client ends it by cancelling: nothing more comes, not even a response", async () => {
    const server = make();
    const client = new ModernClient(server);
    const { id } = client.start("subscriptions/listen", { notifications: { toolsListChanged: true } });
    await client.notification(ACK);
    client.notify("notifications/cancelled", { requestId: id });
    await client.request("tools/list");
    server.tools.add("b", noop);
    await client.request("tools/list");
    expect(client.received).toHaveLength(3);
  });

  test("a server MUST send notifications/cancelled and SHOULD respond when it tears a stream down", async () => {
    const server = make();
    const client = new ModernClient(server);
    const { id, response } = client.start("subscriptions/listen", { notifications: { toolsListChanged: true } });
    await client.notification(ACK);
    server.tools.add("b", noop);
    bindingOf(server).endSubscriptions();
    const result = await response;
    expect(result).toMatchObject({ resultType: "complete", _meta: { [MetaKey.SubscriptionId]: id } });
    // Earlier changes are still announced, then the end.
    expect(client.received.map((message: Json) => message.method)).toStrictEqual([
      ACK,
      TOOLS,
      "notifications/cancelled",
      undefined,
    ]);
    expect(client.notifications("notifications/cancelled")[0].params).toMatchObject({
      requestId: id,
      _meta: { [MetaKey.SubscriptionId]: id },
    });
    server.tools.add("c", noop);
    await client.request("tools/list");
    expect(client.notifications(TOOLS)).toHaveLength(1);
  });

  test("closing a connection ends its own streams gracefully, and no others", async () => {
    const server = make();
    const [one, two] = [new ModernClient(server), new ModernClient(server)];
    const ending = one.start("subscriptions/listen", { notifications: { toolsListChanged: true } });
    two.start("subscriptions/listen", { notifications: { toolsListChanged: true } });
    await Promise.all([one.notification(ACK), two.notification(ACK)]);
    await one.served.close();
    expect(await ending.response).toMatchObject({ resultType: "complete" });
    server.tools.add("b", noop);
    await two.notification(TOOLS);
  });

  test("a connection that breaks takes its streams with it", async () => {
    const server = make();
    const client = new ModernClient(server);
    client.start("subscriptions/listen", { notifications: { toolsListChanged: true } });
    await client.notification(ACK);
    await client.disconnect();
    server.tools.add("b", noop);
    await new ModernClient(server).request("tools/list");
    expect(client.notifications(TOOLS)).toHaveLength(0);
  });

  test("a connection may have several streams, but not any number", async () => {
    const server = make({ maxSubscriptions: 2 });
    const client = new ModernClient(server);
    const first = client.start("subscriptions/listen", { notifications: {} });
    client.start("subscriptions/listen", { notifications: {} });
    await expect(client.request("subscriptions/listen", { notifications: {} })).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("limit 2"),
    });
    client.notify("notifications/cancelled", { requestId: first.id });
    client.start("subscriptions/listen", { notifications: {} });
    await client.notification(ACK, 3);
    new ModernClient(server).start("subscriptions/listen", { notifications: {} });
  });
});

test("legacy sessions on the same server hear of changes too", async () => {
  const server = make();
  const legacy = await LegacyClient.open(server);
  await legacy.request("resources/subscribe", { uri: "a://b" });
  server.tools.add("b", noop);
  server.resources.updated("a://b");
  await legacy.notification(UPDATED);
  expect(legacy.notifications(TOOLS)).toStrictEqual([{ jsonrpc: "2.0", method: TOOLS }]);
});
