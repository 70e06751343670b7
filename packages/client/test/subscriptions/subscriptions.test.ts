import { connect, type Change, type ClientOptions } from "@toolwire/client";
import { RpcError, TransportError } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { exchangeServer, type Exchanged } from "../exchange-server.ts";
import { isCall, legacyServer, modernServer, SILENCE, type ScriptedServer } from "../scripted-server.ts";
import { withResolvers } from "../with-resolvers.ts";
import { toRefusal } from "../../src/transports/http/errors.ts";

const QUICK: ClientOptions = { reconnect: { delay: 1, maxDelay: 2 }, onDiagnostic: () => {} };
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

/** Sends a notification on a subscription, as a modern server does. */
function announce(server: ScriptedServer, id: unknown, method: string, params: object = {}): void {
  server.notify(method, { ...params, _meta: { [SUBSCRIPTION]: id } });
}

/** A modern server that agrees to what it is given. */
function listening(agreed: (asked: object) => object = (asked) => asked): ScriptedServer {
  return modernServer({
    "subscriptions/listen": (params, { id }, server) => {
      const { notifications } = params as unknown as { notifications: object };
      announce(server, id, "notifications/subscriptions/acknowledged", { notifications: agreed(notifications) });
      return SILENCE;
    },
    "tools/list": { tools: [], ttlMs: 60_000 },
  });
}

/** Ends the subscription of a server, in either of the ways of the spec. */
function end(server: ScriptedServer, how: string): void {
  const { id } = server.requests("subscriptions/listen")[0] ?? { id: 0 };
  const result = { resultType: "complete", _meta: { [SUBSCRIPTION]: id } };
  if (how === "a result") server.send({ jsonrpc: "2.0", id, result });
  else server.notify("notifications/cancelled", { requestId: id });
}

function changes(): { listener: (change: Change) => void; heard: Change[]; next(): Promise<Change> } {
  const heard: Change[] = [];
  const waiting: ((change: Change) => void)[] = [];
  return {
    heard,
    listener(change) {
      heard.push(change);
      waiting.shift()?.(change);
    },
    next() {
      const { promise, resolve } = withResolvers<Change>();
      waiting.push(resolve);
      return promise;
    },
  };
}

describe("on a modern server", () => {
  test("one request asks for what is wanted, and the answer says what was agreed to", async () => {
    const server = listening(() => ({
      toolsListChanged: true,
      resourceSubscriptions: ["a://1"],
      promptsListChanged: true,
    }));
    const client = await connect(server.channel);
    const subscription = await client.subscribe({ tools: true, resources: true, uris: ["a://1", "a://2"] }, () => {});
    expect(server.requests("subscriptions/listen")[0]?.params).toMatchObject({
      notifications: { toolsListChanged: true, resourcesListChanged: true, resourceSubscriptions: ["a://1", "a://2"] },
      _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" },
    });
    expect(subscription.accepted).toEqual({ tools: true, prompts: false, resources: false, uris: ["a://1"] });
    await client.close();
    await expect(subscription.closed).resolves.toBeUndefined();
  });

  test.each([
    ["tools", "toolsListChanged"],
    ["prompts", "promptsListChanged"],
    ["resources", "resourcesListChanged"],
  ])("%s alone are asked for as %s", async (kind, name) => {
    const server = listening();
    const client = await connect(server.channel);
    const none = { tools: false, prompts: false, resources: false };
    const subscription = await client.subscribe({ ...none, [kind]: true }, () => {});
    const [{ params } = {}] = server.requests("subscriptions/listen");
    expect(params).toEqual(expect.objectContaining({ notifications: { [name]: true } }));
    expect(subscription.accepted).toEqual({ ...none, [kind]: true, uris: [] });
    await client.close();
  });

  test("changes are heard by the subscription that they are meant for, and drop what is cached", async () => {
    const server = listening();
    const client = await connect(server.channel);
    const tools = changes();
    const resources = changes();
    await client.subscribe({ tools: true }, tools.listener);
    await client.subscribe({ resources: true, uris: ["a://1"] }, resources.listener);
    const [first, second] = server.requests("subscriptions/listen").map(({ id }) => id);
    await client.listTools();
    const heard = [tools.next(), resources.next(), resources.next()];
    announce(server, first, "notifications/tools/list_changed");
    announce(server, second, "notifications/resources/list_changed");
    announce(server, second, "notifications/resources/updated", { uri: "a://1/below" });
    await Promise.all(heard);
    expect(tools.heard).toEqual([{ kind: "tools" }]);
    expect(resources.heard).toEqual([{ kind: "resources" }, { kind: "resource", uri: "a://1/below" }]);
    await client.listTools();
    expect(server.requests("tools/list")).toHaveLength(2);
    await client.close();
  });

  test("closing tells the server, and nothing is heard any more", async () => {
    const server = listening();
    const client = await connect(server.channel);
    const { listener, heard } = changes();
    const subscription = await client.subscribe({ tools: true }, listener);
    const { id } = server.requests("subscriptions/listen")[0] ?? {};
    subscription.close();
    subscription.close();
    expect(await server.arrival(isCall("notifications/cancelled"))).toMatchObject({ params: { requestId: id } });
    announce(server, id, "notifications/tools/list_changed");
    await client.discover();
    expect(heard).toEqual([]);
    await expect(subscription.closed).resolves.toBeUndefined();
    await client.close();
  });

  test("the end of an `await using` block closes it, and waits for that", async () => {
    const server = listening();
    const client = await connect(server.channel);
    let isClosed = false;
    {
      await using subscription = await client.subscribe({ tools: true }, () => {});
      void subscription.closed.then(() => (isClosed = true));
    }
    expect(isClosed).toBe(true);
    await server.arrival(isCall("notifications/cancelled"));
    await client.close();
  });

  test.each(["a result", "a cancellation"])("%s of the server ends it for good", async (how) => {
    const server = listening();
    const client = await connect(server.channel, { ...QUICK, timeout: 50 });
    const subscription = await client.subscribe({ tools: true }, () => {});
    end(server, how);
    await expect(subscription.closed).resolves.toBeUndefined();
    expect(server.requests("subscriptions/listen")).toHaveLength(1);
    await client.close();
  });

  test.each(["a result", "a cancellation"])(
    "%s of a server that shuts down does not: the next is asked",
    async (how) => {
      const servers: ScriptedServer[] = [];
      const client = await connect(() => {
        const server = listening();
        servers.push(server);
        return server.channel;
      }, QUICK);
      const { listener, next } = changes();
      const subscription = await client.subscribe({ tools: true }, listener);
      const missed = next();
      end(servers[0]!, how);
      await servers[0]?.close();
      expect(await missed).toEqual({ kind: "tools", resumed: true });
      const more = next();
      const again = servers[1]!;
      announce(again, again.requests("subscriptions/listen")[0]?.id, "notifications/tools/list_changed");
      expect(await more).toEqual({ kind: "tools" });
      subscription.close();
      await expect(subscription.closed).resolves.toBeUndefined();
      await client.close();
    },
  );

  test("a server that shuts down and cannot be started again ends it without a complaint", async () => {
    const server = listening();
    const client = await connect(server.channel, QUICK);
    const subscription = await client.subscribe({ tools: true }, () => {});
    end(server, "a result");
    await server.close();
    await expect(subscription.closed).resolves.toBeUndefined();
    await expect(client.closed).resolves.toMatchObject({ code: "CONNECTION_LOST" });
  });

  test("closing does not wait for the server to make up its mind", async () => {
    const server = listening();
    const client = await connect(server.channel, QUICK);
    const subscription = await client.subscribe({ tools: true }, () => {});
    end(server, "a result");
    await client.discover();
    subscription.close();
    await expect(subscription.closed).resolves.toBeUndefined();
    await client.close();
  });

  test("a refusal rejects", async () => {
    const client = await connect(modernServer().channel);
    await expect(client.subscribe({ tools: true }, () => {})).rejects.toMatchObject({ code: -32601 });
    await client.close();
  });

  test("silence in place of an agreement rejects in time", async () => {
    const client = await connect(modernServer({ "subscriptions/listen": () => SILENCE }).channel, { timeout: 5 });
    await expect(client.subscribe({ tools: true }, () => {})).rejects.toMatchObject({ code: "TIMEOUT" });
    await client.close();
  });

  test("a lost connection is survived: it is asked for again, and what may have been missed is announced", async () => {
    const servers: ScriptedServer[] = [];
    const client = await connect(() => {
      const server = listening();
      servers.push(server);
      return server.channel;
    }, QUICK);
    const { listener, heard, next } = changes();
    const subscription = await client.subscribe({ tools: true, uris: ["a://1"] }, listener);
    const both = [next(), next()];
    servers[0]?.break(new TransportError("CONNECTION_LOST", "gone"));
    await Promise.all(both);
    expect(heard).toEqual([
      { kind: "tools", resumed: true },
      { kind: "resource", uri: "a://1", resumed: true },
    ]);
    const more = next();
    const again = servers[1];
    announce(again!, again?.requests("subscriptions/listen")[0]?.id, "notifications/tools/list_changed");
    expect(await more).toEqual({ kind: "tools" });
    expect(subscription.accepted).toEqual({ tools: true, prompts: false, resources: false, uris: ["a://1"] });
    await client.close();
    await expect(subscription.closed).resolves.toBeUndefined();
  });

  test("a lost connection that does not come back ends it with the reason", async () => {
    const server = listening();
    const client = await connect(server.channel, QUICK);
    const subscription = await client.subscribe({ tools: true }, () => {});
    server.break(new TransportError("CONNECTION_LOST", "gone"));
    await expect(subscription.closed).resolves.toMatchObject({ code: "CONNECTION_LOST" });
    await expect(client.closed).resolves.toMatchObject({ code: "CONNECTION_LOST" });
  });
});

describe("over exchanges, where a stream can break and the connection live on", () => {
  function streaming() {
    const streams: Exchanged[] = [];
    const opened: ((stream: Exchanged) => void)[] = [];
    const server = exchangeServer({
      "server/discover": () => ({ supportedVersions: ["2026-07-28"], capabilities: { tools: { listChanged: true } } }),
      "subscriptions/listen": (stream) => {
        streams.push(stream);
        opened.shift()?.(stream);
        const { id } = stream.request;
        stream.sink.notification({
          jsonrpc: "2.0",
          method: "notifications/subscriptions/acknowledged",
          params: { notifications: { toolsListChanged: true }, _meta: { [SUBSCRIPTION]: id } },
        });
        return undefined;
      },
    });
    const nextStream = () => new Promise<Exchanged>((resolve) => opened.push(resolve));
    return { server, streams, nextStream };
  }

  test("the stream is opened again", async () => {
    const { server, streams, nextStream } = streaming();
    const client = await connect(server, QUICK);
    const { listener, next } = changes();
    const subscription = await client.subscribe({ tools: true }, listener);
    const reopened = nextStream();
    const change = next();
    streams[0]?.sink.failed(new TransportError("CONNECTION_LOST", "proxy had enough"));
    await reopened;
    expect(await change).toEqual({ kind: "tools", resumed: true });
    subscription.close();
    await subscription.closed;
    expect(streams[1]?.isCancelled).toBe(true);
    await client.close();
  });

  test("a stream that breaks again and again is given up", async () => {
    const { server, streams, nextStream } = streaming();
    const client = await connect(server, { ...QUICK, reconnect: { attempts: 3, delay: 1 } });
    const subscription = await client.subscribe({ tools: true }, () => {});
    for (let attempt = 0; attempt < 4; attempt++) {
      const reopened = nextStream();
      streams.at(-1)?.sink.failed(new TransportError("CONNECTION_LOST", "again"));
      if (attempt < 3) await reopened;
    }
    await expect(subscription.closed).resolves.toMatchObject({ code: "CONNECTION_LOST" });
    expect(streams).toHaveLength(4);
    await client.close();
  });

  test("closing the client ends it at once, also while it waits to ask again", async () => {
    const { server, streams } = streaming();
    const client = await connect(server, { ...QUICK, reconnect: { delay: 1e9, maxDelay: 1e9 } });
    const subscription = await client.subscribe({ tools: true }, () => {});
    streams[0]?.sink.failed(new TransportError("CONNECTION_LOST", "proxy had enough"));
    await client.close();
    await expect(subscription.closed).resolves.toBeUndefined();
  });

  test.each(["a result", "a cancellation"])("%s leads to another question, since it may be a restart", async (how) => {
    const { server, streams, nextStream } = streaming();
    const client = await connect(server, QUICK);
    const { listener, next } = changes();
    const subscription = await client.subscribe({ tools: true }, listener);
    const { request, sink } = streams[0]!;
    const reopened = nextStream();
    const change = next();
    if (how === "a result") sink.response({ jsonrpc: "2.0", id: request.id, result: { resultType: "complete" } });
    else {
      const params = { requestId: request.id };
      sink.notification({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    }
    await reopened;
    expect(await change).toEqual({ kind: "tools", resumed: true });
    subscription.close();
    await expect(subscription.closed).resolves.toBeUndefined();
    await client.close();
  });

  test("a server that ends the stream again and again is left alone", async () => {
    const { server, streams, nextStream } = streaming();
    const client = await connect(server, { ...QUICK, reconnect: { attempts: 3, delay: 1 } });
    const subscription = await client.subscribe({ tools: true }, () => {});
    for (let attempt = 0; attempt < 4; attempt++) {
      const reopened = nextStream();
      const { request, sink } = streams.at(-1)!;
      sink.response({ jsonrpc: "2.0", id: request.id, result: { resultType: "complete" } });
      if (attempt < 3) await reopened;
    }
    await expect(subscription.closed).resolves.toBeUndefined();
    expect(streams).toHaveLength(4);
    await client.close();
  });

  test("a refusal after a break is final", async () => {
    const { server, streams } = streaming();
    const client = await connect(server, QUICK);
    const subscription = await client.subscribe({ tools: true }, () => {});
    streams[0]?.sink.response({
      jsonrpc: "2.0",
      id: streams[0].request.id,
      error: { code: -32603, message: "closed shop" },
    });
    await expect(subscription.closed).resolves.toBeInstanceOf(RpcError);
    await client.close();
  });

  test("a refusal by a server that shuts down, which says so by its status, is not final", async () => {
    const { server, streams, nextStream } = streaming();
    const client = await connect(server, QUICK);
    await client.subscribe({ tools: true }, () => {});
    const reopened = nextStream();
    const error = { code: -32603, message: "The server is shutting down." };
    streams[0]?.sink.response({ jsonrpc: "2.0", id: streams[0].request.id, error }, toRefusal(503, false, true));
    expect(await reopened).toBe(streams[1]);
    await client.close();
  });
});

describe("on a legacy server", () => {
  const script = { "resources/subscribe": {}, "resources/unsubscribe": {} };

  test("resources are subscribed to one by one, and lists announce themselves", async () => {
    const server = legacyServer(script);
    const client = await connect(server.channel);
    const { listener, heard, next } = changes();
    const subscription = await client.subscribe(
      { tools: true, prompts: true, uris: ["a://1", "a://1", "a://2"] },
      listener,
    );
    expect(server.requests("resources/subscribe").map(({ params }) => params)).toEqual([
      { uri: "a://1" },
      { uri: "a://2" },
    ]);
    expect(subscription.accepted).toEqual({ tools: true, prompts: true, resources: false, uris: ["a://1", "a://2"] });
    const expected = [next(), next(), next()];
    server.notify("notifications/tools/list_changed");
    server.notify("notifications/resources/list_changed");
    server.notify("notifications/resources/updated", { uri: "a://1/part" });
    server.notify("notifications/resources/updated", { uri: "a://12" });
    server.notify("notifications/prompts/list_changed");
    await Promise.all(expected);
    expect(heard).toEqual([{ kind: "tools" }, { kind: "resource", uri: "a://1/part" }, { kind: "prompts" }]);
    subscription.close();
    await server.arrival(
      (message) => isCall("resources/unsubscribe")(message) && JSON.stringify(message).includes("a://2"),
    );
    await client.close();
  });

  test("subscriptions that the server cannot serve, or refuses, are not accepted", async () => {
    const server = legacyServer({
      initialize: {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {}, prompts: { listChanged: true }, resources: { subscribe: true } },
        serverInfo: { name: "x", version: "1" },
      },
      "resources/subscribe": (params) => {
        if ((params["uri"] as string) === "a://secret") throw new RpcError(-32002, "Resource not found");
        return {};
      },
    });
    const client = await connect(server.channel);
    const filter = { tools: true, prompts: true, resources: true, uris: ["a://1", "a://secret"] };
    const subscription = await client.subscribe(filter, () => {});
    expect(subscription.accepted).toEqual({ tools: false, prompts: true, resources: false, uris: ["a://1"] });
    await client.close();
  });

  test("two subscriptions to one resource are one to the server", async () => {
    const server = legacyServer(script);
    const client = await connect(server.channel);
    const first = await client.subscribe({ uris: ["a://1"] }, () => {});
    const second = await client.subscribe({ uris: ["a://1"] }, () => {});
    expect(server.requests("resources/subscribe")).toHaveLength(1);
    first.close();
    await first.closed;
    await client.ping();
    expect(server.requests("resources/unsubscribe")).toHaveLength(0);
    second.close();
    await server.arrival(isCall("resources/unsubscribe"));
    await client.close();
  });

  test("two subscriptions to one resource share the refusal of the server", async () => {
    const server = legacyServer({
      "resources/subscribe": () => {
        throw new RpcError(-32002, "Resource not found");
      },
    });
    const client = await connect(server.channel);
    const both = await Promise.all([
      client.subscribe({ uris: ["a://secret"] }, () => {}),
      client.subscribe({ uris: ["a://secret"] }, () => {}),
    ]);
    expect(both.map(({ accepted }) => accepted.uris)).toEqual([[], []]);
    expect(server.requests("resources/subscribe")).toHaveLength(1);
    const third = await client.subscribe({ uris: ["a://secret"] }, () => {});
    expect(third.accepted.uris).toEqual([]);
    expect(server.requests("resources/subscribe")).toHaveLength(2);
    for (const subscription of [...both, third]) subscription.close();
    await client.ping();
    expect(server.requests("resources/unsubscribe")).toHaveLength(0);
    await client.close();
  });

  test("a subscription that the server accepts after another one has failed is undone", async () => {
    let sessions = 0;
    const agreed = withResolvers<object>();
    const failed = withResolvers<undefined>();
    const server = exchangeServer({
      initialize: () => {
        sessions++;
        return {
          protocolVersion: "2025-11-25",
          capabilities: { resources: { subscribe: true } },
          serverInfo: { name: "x", version: "1" },
        };
      },
      "resources/list": () => {
        if (sessions === 1) throw new TransportError("SESSION_EXPIRED", "who are you?");
        return { resources: [] };
      },
      "resources/subscribe": ({ request }) => {
        if (server.requests("resources/subscribe").length === 3) return agreed.promise;
        if (server.requests("resources/subscribe").length !== 4) return {};
        expect(request.params).toMatchObject({ uri: "a://2" });
        failed.resolve(undefined);
        throw new TransportError("CONNECTION_LOST", "gone");
      },
      "resources/unsubscribe": () => ({}),
    });
    const client = await connect(server, { ...QUICK, era: "legacy" });
    const { listener, next } = changes();
    const subscription = await client.subscribe({ uris: ["a://1", "a://2"] }, listener);
    const resumed = next();
    await client.listResources();
    await failed.promise;
    // By the end of this turn, the failure has reached everybody.
    await new Promise((resolve) => setImmediate(resolve));
    agreed.resolve({});
    await resumed;
    subscription.close();
    const unsubscribed = () => server.requests("resources/unsubscribe").map(({ request }) => request.params);
    await eventually(() => expect(unsubscribed()).toEqual([{ uri: "a://1" }, { uri: "a://1" }, { uri: "a://2" }]));
    await client.close();
  });

  test("a session that the server has forgotten is opened anew", async () => {
    let sessions = 0;
    let subscribed = 0;
    const server = exchangeServer({
      initialize: () => {
        sessions++;
        return {
          protocolVersion: "2025-11-25",
          capabilities: { resources: { subscribe: true } },
          serverInfo: { name: "x", version: "1" },
        };
      },
      "resources/subscribe": () => {
        if (++subscribed === 2) throw new TransportError("SESSION_EXPIRED", "who are you?");
        return {};
      },
      "resources/list": () => {
        if (sessions === 1) throw new TransportError("SESSION_EXPIRED", "who are you?");
        return { resources: [] };
      },
    });
    const client = await connect(server, { ...QUICK, era: "legacy" });
    const { listener, next } = changes();
    await client.subscribe({ uris: ["a://1"] }, listener);
    const change = next();
    await client.listResources();
    expect(await change).toEqual({ kind: "resource", uri: "a://1", resumed: true });
    expect(sessions).toBe(3);
    await client.close();
  });

  test("a lost connection is survived", async () => {
    const servers: ScriptedServer[] = [];
    const client = await connect(() => {
      const server = legacyServer(script);
      servers.push(server);
      return server.channel;
    }, QUICK);
    const { listener, heard, next } = changes();
    await client.subscribe({ prompts: true, uris: ["a://1"] }, listener);
    const both = [next(), next()];
    await servers[0]?.close();
    await Promise.all(both);
    expect(heard).toEqual([
      { kind: "prompts", resumed: true },
      { kind: "resource", uri: "a://1", resumed: true },
    ]);
    expect(servers[1]?.requests("resources/subscribe")).toHaveLength(1);
    await client.close();
  });
});

test.each([
  ["modern", modernServer],
  ["legacy", legacyServer],
])("there is no subscription to a %s server after the end of the client", async (_, make) => {
  const client = await connect(make().channel);
  await client.close();
  await expect(client.subscribe({ tools: true }, () => {})).rejects.toMatchObject({ code: "CLOSED" });
});

test("there is no subscription if the client is closed before the server agrees", async () => {
  const server = modernServer({ "subscriptions/listen": () => SILENCE });
  const client = await connect(server.channel);
  const subscribing = client.subscribe({ tools: true }, () => {});
  await server.arrival(isCall("subscriptions/listen"));
  const closing = client.close();
  await expect(subscribing).rejects.toMatchObject({ code: "CLOSED" });
  await closing;
});

test.each([
  ["modern", () => modernServer({ "subscriptions/listen": () => SILENCE }), "subscriptions/listen"],
  ["legacy", () => legacyServer({ "resources/subscribe": () => SILENCE }), "resources/subscribe"],
])(
  "a %s server that leaves before it agrees makes it fail, though the client connects again",
  async (_, make, method) => {
    const servers: ScriptedServer[] = [];
    const client = await connect(() => {
      const server = make();
      servers.push(server);
      return server.channel;
    }, QUICK);
    const subscribing = client.subscribe({ uris: ["a://1"] }, () => {});
    await servers[0]!.arrival(isCall(method));
    servers[0]!.break();
    await expect(subscribing).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    await client.close();
  },
);

test("a server may notify before anything is agreed on, and listeners may fail then, too", async () => {
  const seen: unknown[] = [];
  const server = legacyServer({
    initialize: (_, __, self) => {
      self.notify("notifications/message", { level: "info", data: "starting" });
      self.notify("notifications/tools/list_changed");
      return { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "x", version: "1" } };
    },
  });
  const client = await connect(server.channel, {
    onDiagnostic: ({ message }) => seen.push(message),
    onLog: ({ data }) => {
      throw new Error(String(data));
    },
  });
  expect(seen).toEqual(["A listener failed at notifications/message: Error: starting"]);
  await client.close();
});

test("all notifications reach `onNotification`, whose failures do no harm", async () => {
  const seen: string[] = [];
  const server = legacyServer({ "tools/call": { content: [] } });
  const client = await connect(server.channel, {
    onDiagnostic: () => {},
    onNotification: ({ method }) => {
      seen.push(method);
      throw new Error("clumsy");
    },
  });
  server.notify("notifications/tools/list_changed");
  server.notify("notifications/example", { a: 1 });
  await client.callTool("t");
  expect(seen).toEqual(["notifications/tools/list_changed", "notifications/example"]);
  await client.close();
});
