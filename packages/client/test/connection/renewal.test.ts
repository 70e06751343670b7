import type { ServerResponse } from "node:http";
import { connect, type Change, type ConnectOptions } from "@toolwire/client";
import { describe, expect, test } from "vitest";
import { listen, openEvents, sendJson, type Seen } from "../transports/http/listen.ts";
import { withResolvers } from "../with-resolvers.ts";

const QUIET: ConnectOptions = {
  era: "legacy",
  memory: false,
  onDiagnostic: () => {},
  reconnect: { delay: 1, maxDelay: 2 },
};

/** A legacy server with sessions that it can forget. */
class LegacyServer {
  session = 1;
  initializations = 0;
  readonly subscribed: string[] = [];
  readonly #streams: ServerResponse[] = [];
  /** Answers in place of the server, if it returns true. */
  intercept: (seen: Seen, response: ServerResponse) => boolean = () => false;

  readonly answer = (seen: Seen, response: ServerResponse): void => {
    if (this.intercept(seen, response)) return;
    const { method, headers, message } = seen;
    const id = `s${this.session}`;
    if (message?.method === "initialize") {
      this.initializations++;
      const capabilities = { logging: {}, tools: { listChanged: true }, resources: { subscribe: true } };
      const result = { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "x", version: "1" } };
      sendJson(response, { jsonrpc: "2.0", id: message.id, result }, 200, { "mcp-session-id": id });
    } else if (headers["mcp-session-id"] !== id) response.writeHead(404).end();
    else if (method === "GET") {
      openEvents(response)("", "retry: 1\nid: e1\n");
      this.#streams.push(response);
    } else if (method === "DELETE") response.writeHead(200).end();
    else if (message?.id === undefined) response.writeHead(202).end();
    else {
      if (message.method === "resources/subscribe") this.subscribed.push(`${id} ${message.params!["uri"] as string}`);
      sendJson(response, { jsonrpc: "2.0", id: message.id, result: { content: [] } });
    }
  };

  /** Forgets everybody. */
  restart(): void {
    this.session++;
    for (const stream of this.#streams.splice(0)) stream.destroy();
  }
}

describe("connecting to a legacy server over HTTP", () => {
  test("takes no longer than allowed, though the server does not acknowledge that all is ready", async () => {
    const server = new LegacyServer();
    const { url, seen } = await listen(server.answer);
    // Everything that is loaded when it is needed has been, so that the time goes by at the server alone.
    await (await connect(url, QUIET)).close();
    seen.length = 0;
    server.intercept = ({ message }) => message?.method === "notifications/initialized";
    await expect(connect(url, { ...QUIET, connectTimeout: 500 })).rejects.toMatchObject({ code: "TIMEOUT" });
    expect(seen.map(({ message }) => message?.method)).toContain("notifications/initialized");
  });

  test("can be given up by a signal then", async () => {
    const server = new LegacyServer();
    const stop = new AbortController();
    server.intercept = ({ message }) => {
      if (message?.method !== "notifications/initialized") return false;
      stop.abort(new Error("enough"));
      return true;
    };
    const { url } = await listen(server.answer);
    await expect(connect(url, { ...QUIET, signal: stop.signal })).rejects.toThrow("enough");
  });

  test.each([400, 405, 422])("goes on though %i is all that it says to a client that is ready", async (status) => {
    const server = new LegacyServer();
    server.intercept = ({ message }, response) => {
      if (message?.method !== "notifications/initialized") return false;
      response.writeHead(status).end();
      return true;
    };
    const { url } = await listen(server.answer);
    const told: unknown[] = [];
    const client = await connect(url, { ...QUIET, onDiagnostic: ({ error }) => told.push(error) });
    await expect(client.callTool("t")).resolves.toEqual({ content: [] });
    expect(told).toMatchObject([{ code: "NOT_ACKNOWLEDGED", cause: { status } }]);
    await client.close();
  });

  test("waits for no end of what a server says to a client that is ready", async () => {
    const server = new LegacyServer();
    const left = withResolvers<void>();
    server.intercept = ({ message }, response) => {
      if (message?.method !== "notifications/initialized") return false;
      response.on("close", left.resolve);
      openEvents(response);
      return true;
    };
    const { url } = await listen(server.answer);
    const client = await connect(url, QUIET);
    await expect(client.callTool("t")).resolves.toEqual({ content: [] });
    await client.close();
    await left.promise;
  });

  test("holds only some of the streams that a server opens in place of acknowledgements", async () => {
    const server = new LegacyServer();
    let opened = 0;
    const left = withResolvers<void>();
    server.intercept = ({ message }, response) => {
      if (!message?.method?.startsWith("notifications/")) return false;
      opened += 1;
      response.on("close", left.resolve);
      openEvents(response);
      return true;
    };
    const { url } = await listen(server.answer);
    const client = await connect(url, QUIET);
    for (let sent = 0; sent < 20; sent++) await client.notify("notifications/roots/list_changed");
    await left.promise;
    expect(opened).toBe(21);
    await client.close();
  });

  test("does not depend on the first words of its stream", async () => {
    const server = new LegacyServer();
    server.intercept = ({ method }) => method === "GET";
    const { url } = await listen(server.answer);
    const client = await connect(url, QUIET);
    await expect(client.callTool("t")).resolves.toEqual({ content: [] });
    await client.close();
  });

  test("does not take a missing stream for a missing session", async () => {
    const server = new LegacyServer();
    server.intercept = ({ method }, response) => {
      if (method !== "GET") return false;
      response.writeHead(404).end();
      return true;
    };
    const { url } = await listen(server.answer);
    const client = await connect(url, QUIET);
    await client.callTool("t");
    expect(server.initializations).toBe(1);
    await client.close();
  });
});

test("a client that could open no other session says that it is closed once it is, and not why that failed", async () => {
  const server = new LegacyServer();
  const { url } = await listen(server.answer);
  const client = await connect(url, QUIET);
  server.intercept = ({ method, message }, response) => {
    if (method !== "GET" && message?.method !== "initialize") return false;
    response.writeHead(503).end();
    return true;
  };
  server.restart();
  await expect(client.callTool("t")).rejects.toMatchObject({ status: 503 });
  await client.close();
  await expect(client.callTool("t")).rejects.toMatchObject({ code: "CLOSED" });
});

describe("a subscription to a legacy server over HTTP", () => {
  async function subscribe(server: LegacyServer, options: ConnectOptions = QUIET) {
    const { url } = await listen(server.answer);
    const client = await connect(url, options);
    const resumed = withResolvers<Change>();
    const subscription = await client.subscribe({ tools: true, uris: ["x:1"] }, (change) => {
      if (change.kind === "resource") resumed.resolve(change);
    });
    return { client, subscription, resumed: resumed.promise };
  }

  test("outlives a restart that nobody but its stream notices", async () => {
    const server = new LegacyServer();
    const { client, resumed } = await subscribe(server);
    server.restart();
    expect(await resumed).toEqual({ kind: "resource", uri: "x:1", resumed: true });
    expect(server.subscribed).toEqual(["s1 x:1", "s2 x:1"]);
    await client.close();
  });

  test("outlives a restart that takes its time", async () => {
    const server = new LegacyServer();
    const { client, resumed } = await subscribe(server);
    let refused = 0;
    server.intercept = ({ message }, response) => {
      if (message?.method !== "initialize" || ++refused > 2) return false;
      response.writeHead(503).end();
      return true;
    };
    server.restart();
    expect(await resumed).toMatchObject({ resumed: true });
    expect(server.subscribed).toEqual(["s1 x:1", "s2 x:1"]);
    await client.close();
  });

  test("outlives a new session that fails half-way", async () => {
    const server = new LegacyServer();
    const { client, resumed } = await subscribe(server);
    let hasFailed = false;
    server.intercept = ({ method, message }, response) => {
      // Only the call is to notice.
      if (method === "GET" && !hasFailed) return true;
      if (message?.method !== "notifications/initialized" || hasFailed) return false;
      hasFailed = true;
      response.writeHead(500).end();
      return true;
    };
    server.restart();
    await expect(client.callTool("t")).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE", status: 500 });
    expect(await resumed).toMatchObject({ resumed: true });
    expect(server.subscribed).toEqual(["s1 x:1", "s2 x:1"]);
    await client.close();
  });

  test("outlives a new session that is forgotten before it is renewed there, and the failure to open another", async () => {
    const server = new LegacyServer();
    const { client, resumed } = await subscribe(server);
    const refusals = new Map([
      ["resources/subscribe", 404],
      ["initialize", 503],
    ]);
    server.intercept = ({ message }, response) => {
      const status = refusals.get(message?.method ?? "");
      if (status === undefined || (status === 503 && refusals.size > 1)) return false;
      refusals.delete(message!.method!);
      response.writeHead(status).end();
      return true;
    };
    server.restart();
    expect(await resumed).toMatchObject({ resumed: true });
    expect(refusals.size).toBe(0);
    await client.close();
  });

  test("is made in a new session if the server has forgotten the one that there was", async () => {
    const server = new LegacyServer();
    const { url } = await listen(server.answer);
    const client = await connect(url, QUIET);
    // Only the subscription is to notice.
    server.intercept = ({ method }) => method === "GET";
    server.restart();
    const subscription = await client.subscribe({ uris: ["x:1"] }, () => {});
    expect(subscription.accepted.uris).toEqual(["x:1"]);
    expect(server.subscribed).toEqual(["s2 x:1"]);
    await client.close();
  });

  test("is not made in new sessions without end", async () => {
    const server = new LegacyServer();
    const { url } = await listen(server.answer);
    const client = await connect(url, QUIET);
    server.intercept = ({ message }, response) => {
      if (message?.method !== "resources/subscribe") return false;
      response.writeHead(404).end();
      return true;
    };
    const subscribed = client.subscribe({ uris: ["x:1"] }, () => {});
    await expect(subscribed).rejects.toMatchObject({ code: "SESSION_EXPIRED" });
    expect(server.initializations).toBeLessThan(4);
    await client.close();
  });

  test("ends with a client that is closed while a new session is opened", async () => {
    const server = new LegacyServer();
    const { client, subscription } = await subscribe(server);
    const asked = withResolvers<void>();
    server.intercept = ({ message }) => {
      if (message?.method !== "initialize") return false;
      asked.resolve();
      return true;
    };
    server.restart();
    await asked.promise;
    await client.close();
    await expect(subscription.closed).resolves.toBeUndefined();
  });
});

describe("a server that has forgotten its session", () => {
  test("gets the notification that noticed once more, over the new one", async () => {
    const server = new LegacyServer();
    const { url, seen } = await listen(server.answer);
    const client = await connect(url, QUIET);
    server.restart();
    await client.notify("notifications/custom", { n: 1 });
    const news = seen.filter(({ message }) => message?.method === "notifications/custom");
    expect(news.map(({ headers, message }) => [headers["mcp-session-id"], message?.params])).toEqual([
      ["s1", { n: 1 }],
      ["s2", { n: 1 }],
    ]);
    expect(server.initializations).toBe(2);
    await client.close();
  });

  test("is not asked for more sessions than each call and notification needs if it forgets each new one at once", async () => {
    const server = new LegacyServer();
    let forgets = false;
    server.intercept = ({ method, message }, response) => {
      const isHandshake = message?.method === "initialize" || message?.method === "notifications/initialized";
      const isForgotten = forgets && method === "POST" && !isHandshake;
      if (isForgotten) response.writeHead(404).end();
      return isForgotten;
    };
    const { url, seen } = await listen(server.answer);
    const client = await connect(url, { ...QUIET, logLevel: "info" });
    forgets = true;
    await expect(client.callTool("t")).rejects.toMatchObject({ code: "SESSION_EXPIRED" });
    await expect(client.notify("notifications/custom")).rejects.toMatchObject({ code: "SESSION_EXPIRED" });
    await client.close();
    const sent = seen.map(({ message }) => message?.method);
    expect(sent.filter((method) => method === "tools/call")).toHaveLength(4);
    expect(sent.filter((method) => method === "notifications/custom")).toHaveLength(2);
    // At the beginning, three for the call, for the notification, and because the notification was in vain again.
    expect(server.initializations).toBeLessThanOrEqual(6);
    // Each new session is told the log level, which is no reason for another one.
    expect(sent.filter((method) => method === "logging/setLevel").length).toBeLessThanOrEqual(6);
  });
});
