import { connect } from "@toolwire/client";
import { expect, test } from "vitest";
import type { GatewayConfig } from "../../src/config/config.ts";
import { defer } from "../deferred.ts";
import { openMemoryStorage } from "../../src/storage/memory-storage.ts";
import { getTool, startLocal } from "../local-gateway.ts";
import { simulateApi } from "../simulated-api.ts";

/** The configuration of a gateway with other servers. */
function withServers(config: GatewayConfig, servers: GatewayConfig["servers"] & object): GatewayConfig {
  return { ...config, servers };
}

test("a reload adds, changes and removes servers", async () => {
  await using api = await simulateApi(({ target }) => ({ body: JSON.stringify(target) }));
  await using local = await startLocal({
    kept: { tools: { get: getTool(`${api.url}/kept`) } },
    gone: { tools: { get: getTool(`${api.url}/gone`) } },
  });
  const { gateway } = local;
  await gateway.reload(
    withServers(gateway.config, {
      kept: { tools: { get: getTool(`${api.url}/changed`), more: getTool(`${api.url}/more`) } },
      fresh: { tools: { get: getTool(`${api.url}/fresh`) } },
    }),
  );
  expect((await local.call("kept", "get")).text).toBe('"/changed"');
  expect((await local.call("kept", "more")).text).toBe('"/more"');
  expect((await local.call("fresh", "get")).text).toBe('"/fresh"');
  expect((await local.post("gone", {})).status).toBe(404);
  expect(gateway.servers().map(({ slug }) => slug)).toEqual(["kept", "fresh"]);
});

test("a status changes at once, and back", async () => {
  await using api = await simulateApi(() => ({}));
  const tools = { get: getTool(`${api.url}/x`) };
  await using local = await startLocal({ s: { tools } });
  const { gateway } = local;
  for (const [status, code] of [
    ["paused", 503],
    ["draft", 404],
    ["active", 200],
  ] as const) {
    await gateway.reload(withServers(gateway.config, { s: { status, tools } }));
    expect((await local.post("s", { jsonrpc: "2.0", id: 1, method: "ping" })).status).toBe(code);
  }
});

test("bad-configuration-changes-nothing: an invalid configuration throws, and everything goes on", async () => {
  await using api = await simulateApi(() => ({}));
  const tools = { get: getTool(`${api.url}/x`) };
  await using local = await startLocal({ s: { tools } });
  const { gateway } = local;
  const before = gateway.config;
  const bad: readonly (GatewayConfig["servers"] & object)[] = [
    { s: { tools }, "Not a slug": {} },
    { other: { tools }, s: { tools: { get: getTool("ftp://x") } } },
    { other: { tools }, s: { tools: { get: getTool(`${api.url}/{absent}`) } } },
    { other: { tools }, s: { tools: { get: getTool(`${api.url}/x`, { response: { select: "a[" } }) } } },
    { other: { tools }, s: { openapi: { document: { openapi: "9.9.9" } } } },
    { other: { tools }, s: { tools: { "a b": getTool(`${api.url}/x`) } } },
    { other: { tools }, s: { tools, credentials: { main: { bearer: "${env:NOT_SET}" } } } },
  ];
  for (const servers of bad) {
    await expect(gateway.reload(withServers(before, servers))).rejects.toMatchObject({ name: "UsageError" });
    expect(gateway.config).toBe(before);
    expect(gateway.servers().map(({ slug }) => slug)).toEqual(["s"]);
    expect((await local.call("s", "get")).text).toBe("{}");
  }
});

test("a call in flight survives the reload that replaces its server", async () => {
  const reached = defer();
  const answer = defer();
  await using api = await simulateApi(({ target }) => {
    if (target !== "/slow") return { body: '"new"' };
    return (_, response) => {
      reached.resolve();
      void answer.promise.then(() => response.end('"old"'));
    };
  });
  await using local = await startLocal({ s: { title: "One", tools: { get: getTool(`${api.url}/slow`) } } });
  const { gateway } = local;
  const slow = local.call("s", "get");
  await reached.promise;
  await gateway.reload(
    withServers(gateway.config, { s: { title: "Two", tools: { get: getTool(`${api.url}/fast`) } } }),
  );
  expect((await local.call("s", "get")).text).toBe('"new"');
  answer.resolve();
  expect((await slow).text).toBe('"old"');
  expect(local.records.map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
});

test("calls never fail while reloads follow each other", async () => {
  await using api = await simulateApi(() => ({}));
  const tools = { get: getTool(`${api.url}/x`) };
  await using local = await startLocal({ s: { tools } });
  const { gateway } = local;
  const done = new AbortController();
  const outcomes: (string | undefined)[] = [];
  const caller = (async () => {
    while (!done.signal.aborted) outcomes.push((await local.call("s", "get")).text);
  })();
  for (let round = 0; round < 10; round++) {
    await gateway.reload(withServers(gateway.config, { s: { title: `Title ${round}`, tools } }));
  }
  done.abort();
  await caller;
  expect(outcomes.length).toBeGreaterThan(0);
  expect(outcomes.every((text) => text === "{}")).toBe(true);
});

test.each(["modern", "legacy"] as const)(
  "a client of the %s era is told if only the tools have changed, and keeps its connection",
  async (era) => {
    await using api = await simulateApi(() => ({}));
    await using local = await startLocal({ s: { sessions: true, tools: { one: getTool(`${api.url}/1`) } } });
    const { gateway } = local;
    const changed = defer();
    await using client = await connect(`${gateway.url}/mcp/s`, { era });
    await client.subscribe({ tools: true }, () => changed.resolve());
    const tools = { one: getTool(`${api.url}/1`), two: getTool(`${api.url}/2`) };
    await gateway.reload(withServers(gateway.config, { s: { sessions: true, tools } }));
    await changed.promise;
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["one", "two"]);
  },
);

test("limits go on counting over a reload that does not change them", async () => {
  await using api = await simulateApi(() => ({}));
  const tools = { get: getTool(`${api.url}/x`) };
  await using local = await startLocal({ s: { limits: { perMinute: 1 }, tools } });
  const { gateway } = local;
  await local.call("s", "get");
  await gateway.reload(withServers(gateway.config, { s: { limits: { perMinute: 1 }, tools, status: "active" } }));
  expect((await local.call("s", "get")).text).toContain("Rate limit");
});

test("a server can be stored, changed and removed while the gateway runs", async () => {
  await using api = await simulateApi(({ target }) => ({ body: JSON.stringify(target) }));
  await using local = await startLocal({ file: { tools: { get: getTool(`${api.url}/file`) } } });
  const { gateway } = local;
  const first = await gateway.putServer("stored", { tools: { get: getTool(`${api.url}/1`) } }, 0);
  expect((await local.call("stored", "get")).text).toBe('"/1"');
  expect(gateway.server("stored")?.isFromFile).toBe(false);
  const second = await gateway.putServer("stored", { tools: { get: getTool(`${api.url}/2`) } }, first.revision);
  expect((await local.call("stored", "get")).text).toBe('"/2"');
  await expect(gateway.putServer("stored", { tools: {} }, first.revision)).rejects.toThrow(/revision|changed/);
  await expect(gateway.putServer("stored", { tools: { get: { description: 5 } } }, second.revision)).rejects.toThrow(
    /servers\.stored\.tools\.get/,
  );
  await expect(gateway.putServer("file", { tools: {} }, 0)).rejects.toThrow(/configuration file/);
  await expect(gateway.putServer("Bad Slug", { tools: {} }, 0)).rejects.toThrow(/slug/);
  expect((await local.call("stored", "get")).text).toBe('"/2"');
  expect(await gateway.removeServer("stored", second.revision)).toBe(true);
  expect((await local.post("stored", {})).status).toBe(404);
});

test("an admin calls drafts, too, with all steps, and gets the id of the record", async () => {
  await using api = await simulateApi(() => ({ body: '{"ok":1}' }));
  const tools = { draft: getTool(`${api.url}/x`, { status: "draft" }) };
  await using local = await startLocal({ s: { status: "draft", tools, limits: { perMinute: 1 } } });
  const server = local.gateway.server("s");
  for (let round = 0; round < 3; round++) {
    const called = await server?.call("draft", {});
    expect(called?.result).toMatchObject({ content: [{ type: "text", text: '{"ok":1}' }] });
    expect(called?.id).toBe(local.records.at(-1)?.id);
  }
  expect(local.records[0]).toMatchObject({ principal: "admin", outcome: "ok", tool: "draft" });
  await expect(server?.call("absent", {})).rejects.toMatchObject({ code: -32602 });
  expect(server?.tools).toEqual([
    expect.objectContaining({ status: "draft", source: "http", bytes: expect.any(Number) as number }),
  ]);
});

test("a document that cannot be fetched leaves the server running with a problem", async () => {
  await using api = await simulateApi(() => ({ status: 503 }));
  const tools = { get: getTool(`${api.url}/x`) };
  await using local = await startLocal({
    s: { tools, openapi: { document: `${api.url}/openapi.json`, baseUrl: api.url } },
  });
  expect(local.gateway.server("s")?.problems[0]).toMatch(/could not be fetched, and is tried again/);
  expect(await local.list("s")).toEqual(["get"]);
});

test("a stored server that cannot be built any more keeps nobody else from being served", async () => {
  await using api = await simulateApi(() => ({}));
  const storage = openMemoryStorage();
  const tools = { get: getTool(`${api.url}/x`) };
  await storage.servers.put(
    "broken",
    { tools, credentials: { main: { bearer: "${env:GONE}" } }, openapi: { document: "./gone.yaml" } },
    0,
  );
  await storage.servers.put("fine", { tools }, 0);
  await using local = await startLocal({ file: { tools } }, { options: { storage } });
  expect(local.gateway.servers().map(({ slug }) => slug)).toEqual(["file", "fine"]);
  expect(local.events.find(({ server }) => server === "broken")?.message).toContain("cannot be built");
  expect((await local.call("fine", "get")).text).toBe("{}");
});
