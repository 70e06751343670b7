import { connect, type ClientExtension, type ClientOptions, type ExtensionClient } from "@toolwire/client";
import type { NotificationMessage } from "@toolwire/protocol";
import type { ExtensionHost } from "@toolwire/server";
import { describe, expect, test } from "vitest";
import { isCall, legacyServer, modernServer, SILENCE, type ScriptedServer } from "../scripted-server.ts";
import { withResolvers } from "../with-resolvers.ts";
import { BINDINGS, flags, flagsServer } from "./flags.ts";

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const QUICK: ClientOptions = { reconnect: { delay: 1, maxDelay: 2 }, onDiagnostic: () => {} };

const listener = { notification: () => {} };

const watcher = {
  id: "com.example/watcher",
  topics: ["places"],
  api: (client: ExtensionClient) => client,
} satisfies ClientExtension<object>;

/** A server that agrees to the first place that is asked for. */
function placesServer(): ScriptedServer {
  return modernServer({
    "subscriptions/listen": (params, { id }, server) => {
      const { places } = (params as unknown as { notifications: { places: string[] } }).notifications;
      const notifications = { places: places.slice(0, 1), other: true };
      server.notify("notifications/place", { too: "early", _meta: { [SUBSCRIPTION]: id } });
      server.notify("notifications/subscriptions/acknowledged", { notifications, _meta: { [SUBSCRIPTION]: id } });
      return SILENCE;
    },
  });
}

describe.each(BINDINGS)("over %s", (_, open) => {
  test("a topic is subscribed to, with what the server agrees to, and its notifications arrive", async () => {
    const hosts: ExtensionHost[] = [];
    const { client, close } = await open(flagsServer(hosts), { extensions: [flags] });
    const heard = withResolvers<NotificationMessage>();
    const subscription = await client
      .use(flags)
      .client.subscribe("flagNames", ["dark-mode", "secret"], { notification: heard.resolve });
    expect(subscription.accepted).toEqual(["dark-mode"]);
    hosts[0]?.publish("flagNames", "dark-mode");
    expect(await heard.promise).toMatchObject({
      method: "notifications/com.example/flag",
      params: { name: "dark-mode" },
    });
    subscription.close();
    expect(await subscription.closed).toBeUndefined();
    await close();
  });

  test("what the server does not agree to is not accepted", async () => {
    const { client, close } = await open(flagsServer(), { extensions: [flags] });
    const subscription = await client.use(flags).client.subscribe("flagNames", ["secret"], listener);
    expect(subscription.accepted).toBeUndefined();
    await close();
    expect(await subscription.closed).toBeUndefined();
  });
});

describe("a subscription to a topic", () => {
  test("asks for this topic only, and hears nothing before it is acknowledged, nor of the stream itself", async () => {
    const server = placesServer();
    const client = await connect(server.channel, { extensions: [watcher] });
    const heard: NotificationMessage[] = [];
    const { promise, resolve } = withResolvers<undefined>();
    const subscription = await client.use(watcher).subscribe("places", ["Oslo", "Rome"], {
      notification(message) {
        heard.push(message);
        resolve(undefined);
      },
    });
    const [request] = server.requests("subscriptions/listen");
    expect(request?.params).toMatchObject({ notifications: { places: ["Oslo", "Rome"] } });
    expect(subscription.accepted).toEqual(["Oslo"]);
    server.notify("notifications/place", { of: "nobody" });
    server.notify("notifications/subscriptions/acknowledged", {
      notifications: { places: ["Oslo"] },
      _meta: { [SUBSCRIPTION]: request?.id },
    });
    server.notify("notifications/place", { of: "Oslo", _meta: { [SUBSCRIPTION]: request?.id } });
    await promise;
    expect(heard).toMatchObject([{ params: { of: "Oslo" } }]);
    await client.close();
  });

  test("is renewed after a reconnect, and says that something may have been missed", async () => {
    const servers = [placesServer(), placesServer()];
    let opened = 0;
    const client = await connect(() => servers[opened++]!.channel, { ...QUICK, extensions: [watcher] });
    const resumed = withResolvers<undefined>();
    const subscription = await client
      .use(watcher)
      .subscribe("places", ["Oslo"], { ...listener, resumed: () => resumed.resolve(undefined) });
    servers[0]!.break(new Error("cut"));
    await resumed.promise;
    expect(servers[1]!.requests("subscriptions/listen")).toHaveLength(1);
    expect(subscription.accepted).toEqual(["Oslo"]);
    await client.close();
  });

  test("goes on if its listener fails, which is reported", async () => {
    const server = placesServer();
    const failures: string[] = [];
    const { promise, resolve } = withResolvers<undefined>();
    const client = await connect(server.channel, {
      extensions: [watcher],
      onDiagnostic: ({ message }) => {
        failures.push(message);
        if (failures.length === 2) resolve(undefined);
      },
    });
    await client.use(watcher).subscribe("places", ["Oslo"], {
      notification() {
        throw new Error("deaf");
      },
    });
    const [request] = server.requests("subscriptions/listen");
    for (let time = 0; time < 2; time++) {
      server.notify("notifications/place", { _meta: { [SUBSCRIPTION]: request?.id } });
    }
    await promise;
    expect(failures[0]).toBe("A listener failed at notifications/place: Error: deaf");
    await client.close();
  });

  test("is refused if the extension does not name the topic, or the revision has none", async () => {
    const [modern, legacy] = [modernServer(), legacyServer()];
    const one = await connect(modern.channel, { extensions: [watcher] });
    const two = await connect(legacy.channel, { extensions: [watcher] });
    await expect(one.use(watcher).subscribe("others", [], listener)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
    await expect(two.use(watcher).subscribe("places", [], listener)).rejects.toMatchObject({ code: "UNSUPPORTED" });
    expect([...modern.received, ...legacy.received].some(isCall("subscriptions/listen"))).toBe(false);
    await Promise.all([one.close(), two.close()]);
  });

  test("rejects with the error of the server", async () => {
    const client = await connect(modernServer().channel, { extensions: [watcher] });
    await expect(client.use(watcher).subscribe("places", [], listener)).rejects.toMatchObject({ code: -32601 });
    await client.close();
  });
});
