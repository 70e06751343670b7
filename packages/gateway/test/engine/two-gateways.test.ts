/** Two gateways in processes of their own, with an engine in which they meet, and a Postgres that they share. */
import { readFileSync } from "node:fs";
import { findPostgres, findRedis, startPostgres, startRedis } from "@toolwire/engines";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parse, stringify } from "yaml";
import { AdminCaller, callTool } from "../cluster/admin-caller.ts";
import { LegacyCaller } from "../cluster/legacy-caller.ts";
import { startApi, startAsking } from "../cluster/upstreams.ts";
import { type GatewayProcess, startGateway } from "../gateway-process.ts";

const TOKEN = "an-admin-token-of-tests-0123456789";

/** What both gateways have to be given, as in deploy/compose.yaml. */
const KEYS = `k1:${Buffer.alloc(32, 7).toString("base64")}`;

const closers: (() => Promise<unknown>)[] = [];

async function startEngines(): Promise<{ readonly redis: string | undefined; readonly postgres: string }> {
  const found = findRedis();
  const redis = found === undefined ? undefined : await startRedis(found.program);
  const postgres = await startPostgres(findPostgres().bin);
  closers.push(async () => postgres.close());
  if (redis !== undefined) closers.push(async () => redis.close());
  return { redis: redis?.url, postgres: postgres.url };
}

/** The configuration of the compose file, with servers of the test. */
function writeConfig(cluster: object, servers: object): string {
  const text = readFileSync(new URL("../../../../deploy/gateway.yaml", import.meta.url), "utf8");
  const config = parse(text) as { readonly admin: object; readonly analytics: object };
  return stringify({
    ...config,
    listen: { host: "127.0.0.1", drain: "200ms" },
    admin: { ...config.admin, host: "127.0.0.1" },
    analytics: { ...config.analytics, path: "data" },
    cluster,
    network: { allow: ["127.0.0.1"] },
    servers,
  });
}

let engines: Awaited<ReturnType<typeof startEngines>>;
let api: Awaited<ReturnType<typeof startApi>>;
let servers: object;

beforeAll(async () => {
  engines = await startEngines();
  api = await startApi(closers);
  const get = (path: string, more: object = {}): object => ({
    description: "Gets something",
    request: { method: "GET", url: `${api.url}/${path}` },
    ...more,
  });
  servers = {
    apis: {
      auth: { apiKeys: true },
      sessions: true,
      limits: { perMinute: 100_000 },
      tools: { get: get("get"), counted: get("counted"), rare: get("rare", { limits: { perMinute: 3 } }) },
    },
    asking: { auth: { apiKeys: true }, upstreams: { asking: { url: await startAsking(closers) } } },
  };
}, 120_000);

afterAll(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

describe.each(["redis", "postgres"] as const)("Two gateways that meet in %s", { timeout: 120_000 }, (engine) => {
  let one: GatewayProcess;
  let other: GatewayProcess;
  let admin: { readonly one: AdminCaller; readonly other: AdminCaller };

  const start = (): Promise<GatewayProcess> =>
    startGateway(writeConfig({ engine, url: "${env:ENGINE_URL}" }, servers), {
      GATEWAY_ADMIN_TOKEN: TOKEN,
      TOOLWIRE_GATEWAY_KEYS: KEYS,
      DATABASE_URL: engines.postgres,
      ENGINE_URL: (engine === "redis" ? engines.redis : engines.postgres) ?? "",
    });

  beforeAll(async () => {
    if (engine === "redis" && engines.redis === undefined) throw new Error("This machine has no Redis.");
    [one, other] = await Promise.all([start(), start()]);
    const headers = { authorization: `Bearer ${TOKEN}` };
    admin = { one: new AdminCaller(one.adminUrl, headers), other: new AdminCaller(other.adminUrl, headers) };
  }, 120_000);

  afterAll(async () => {
    await Promise.all([one, other].map((gateway) => gateway[Symbol.asyncDispose]()));
  });

  it("takes a key that was made at one at the other, and neither does once it is revoked", async () => {
    const { id, secret } = await admin.one.createKey("ada");
    await expect.poll(async () => (await callTool(other.url, "apis", "get", { key: secret })).status).toBe(200);
    expect((await callTool(one.url, "apis", "get", { key: secret })).text).toBe("answer to /get");
    expect((await admin.other.send("DELETE", `keys/${id}`)).ok).toBe(true);
    for (const { url } of [other, one]) {
      await expect
        .poll(async () => (await callTool(url, "apis", "get", { key: secret }).catch(() => ({ status: 401 }))).status)
        .toBe(401);
    }
  });

  it("goes on with a session at the other, and answers a question there", async () => {
    const { secret } = await admin.one.createKey("bob");
    await expect.poll(async () => (await callTool(other.url, "apis", "get", { key: secret })).status).toBe(200);
    const caller = await LegacyCaller.open(one.url, "apis", secret);
    expect(await caller.call(other.url, "get")).toBe("answer to /get");
    const asked = await LegacyCaller.open(one.url, "asking", secret);
    const texts: (string | undefined)[] = [];
    for await (const { id, method, result } of asked.begin(one.url, "greet")) {
      if (method === "elicitation/create" && id !== undefined) await asked.answer(other.url, id, { name: "Bob" });
      if (result !== undefined) texts.push(result.content?.[0]?.text);
    }
    expect(texts).toEqual(["Hello Bob"]);
  });

  it("counts the calls of a caller at both", async () => {
    const { secret } = await admin.one.createKey("eve");
    await expect.poll(async () => (await callTool(other.url, "apis", "get", { key: secret })).status).toBe(200);
    const texts: string[] = [];
    for (const { url } of [one, other, one, other, one]) {
      texts.push((await callTool(url, "apis", "rare", { key: secret })).text);
    }
    expect(texts.slice(0, 3)).toEqual(["answer to /rare", "answer to /rare", "answer to /rare"]);
    for (const text of texts.slice(3)) expect(text).toContain('Rate limit of 3 calls a minute for the tool "rare"');
  });

  it("has one login to the page, whichever of them a browser gets, and one logout", async () => {
    const host = { origin: one.adminUrl };
    const login = await admin.one.send("POST", "session", { token: TOKEN }, { ...host, authorization: "" });
    expect(login.status).toBe(204);
    const [, value = ""] = /toolwire_admin_\d+=([^;]+)/.exec(login.headers.get("set-cookie") ?? "") ?? [];
    // A load balancer would have one port.
    const cookieAt = (gateway: GatewayProcess): string => `toolwire_admin_${new URL(gateway.adminUrl).port}=${value}`;
    const statusAt = async (gateway: GatewayProcess): Promise<number> =>
      (await fetch(`${gateway.adminUrl}/api/v1/servers`, { headers: { cookie: cookieAt(gateway) } })).status;
    expect([await statusAt(one), await statusAt(other)]).toEqual([200, 200]);
    const logout = await fetch(`${other.adminUrl}/api/v1/session`, {
      method: "DELETE",
      headers: { cookie: cookieAt(other), origin: other.adminUrl },
    });
    expect(logout.status).toBe(204);
    expect([await statusAt(one), await statusAt(other)]).toEqual([401, 401]);
  });

  it("serves a server that was made at one at the other, and tells clients there of its changes", async () => {
    const slug = `made-${engine}`;
    const tool = (path: string): object => ({
      description: "Gets",
      request: { method: "GET", url: `${api.url}/${path}` },
    });
    const config = { auth: "none", sessions: true, tools: { first: tool("1") } };
    expect((await admin.one.send("PUT", `servers/${slug}`, config)).status).toBe(201);
    await expect.poll(async () => (await callTool(other.url, slug, "first")).text).toBe("answer to /1");
    const caller = await LegacyCaller.open(other.url, slug);
    const { messages, end } = await caller.listen(other.url);
    const patch = await admin.one.send(
      "PATCH",
      `servers/${slug}`,
      { tools: { second: tool("2") } },
      { "if-match": '"1"' },
    );
    expect(patch.status).toBe(200);
    const { value } = await messages.next();
    expect(value).toMatchObject({ method: "notifications/tools/list_changed" });
    // Each gateway tells all clients when it has taken the change over, so the first may tell them before the others have.
    await expect
      .poll(() => caller.call(other.url, "second").catch((error: unknown) => String(error)))
      .toBe("answer to /2");
    end();
  });

  it("has each call in its log exactly once, wherever it was served", async () => {
    const { secret } = await admin.one.createKey("log");
    await expect.poll(async () => (await callTool(other.url, "apis", "get", { key: secret })).status).toBe(200);
    const before = await admin.one.listCalls("counted");
    const calls = Array.from({ length: 100 }, async (_, index) =>
      callTool([one, other][index % 2]?.url ?? "", "apis", "counted", { key: secret }),
    );
    for (const { text } of await Promise.all(calls)) expect(text).toBe("answer to /counted");
    await expect.poll(async () => (await admin.other.listCalls("counted")).length).toBe(before.length + 100);
    const ids = await admin.one.listCalls("counted");
    expect(new Set(ids).size).toBe(before.length + 100);
  });

  it("loses no session when one of them is killed, and none when the other is replaced", async () => {
    const { secret } = await admin.one.createKey("kill");
    await expect.poll(async () => (await callTool(other.url, "apis", "get", { key: secret })).status).toBe(200);
    const caller = await LegacyCaller.open(one.url, "apis", secret);
    await one.end("SIGKILL");
    expect(await caller.call(other.url, "get")).toBe("answer to /get");
    const next = await start();
    try {
      expect(await other.end("SIGTERM")).toBe(0);
      expect(await caller.call(next.url, "get")).toBe("answer to /get");
      for (const output of [one.output(), other.output(), next.output()]) expect(output).not.toContain(TOKEN);
    } finally {
      await next[Symbol.asyncDispose]();
    }
  });
});

it("goes on without its engine with what needs none, and ends no session for it", { timeout: 120_000 }, async () => {
  const found = findRedis();
  if (found === undefined) throw new Error("This machine has no Redis.");
  const redis = await startRedis(found.program);
  onTestFinished(() => redis.close());
  const gateway = await startGateway(writeConfig({ engine: "redis", url: "${env:ENGINE_URL}" }, servers), {
    GATEWAY_ADMIN_TOKEN: TOKEN,
    TOOLWIRE_GATEWAY_KEYS: KEYS,
    DATABASE_URL: engines.postgres,
    ENGINE_URL: redis.url,
  });
  onTestFinished(async () => gateway[Symbol.asyncDispose]());
  const admin = new AdminCaller(gateway.adminUrl, { authorization: `Bearer ${TOKEN}` });
  const { secret: key } = await admin.createKey("outage");
  const caller = await LegacyCaller.open(gateway.url, "apis", key);
  const readyz = async (): Promise<unknown> => (await fetch(`${gateway.url}/readyz`)).json();
  redis.pause();
  try {
    await expect.poll(readyz, { timeout: 60_000 }).toEqual({ status: "ok", engine: "down" });
    // Without a session, a call asks for a limit at most, and counts by itself.
    expect(await callTool(gateway.url, "apis", "get", { key })).toEqual({ status: 200, text: "answer to /get" });
    const opened = LegacyCaller.open(gateway.url, "apis", key);
    await expect(opened).rejects.toThrow(/^503 /);
  } finally {
    redis.continue();
  }
  await expect.poll(readyz, { timeout: 60_000 }).toEqual({ status: "ok", engine: "up" });
  expect(await caller.call(gateway.url, "get")).toBe("answer to /get");
});

it("serves with workers that each reach the Postgres, and logs each call once", { timeout: 120_000 }, async () => {
  const config = parse(writeConfig({}, servers)) as Record<string, object>;
  const { cluster: _cluster, ...alone } = config;
  const gateway = await startGateway(stringify({ ...alone, listen: { workers: 2 } }), {
    GATEWAY_ADMIN_TOKEN: TOKEN,
    TOOLWIRE_GATEWAY_KEYS: KEYS,
    DATABASE_URL: engines.postgres,
  });
  onTestFinished(async () => gateway[Symbol.asyncDispose]());
  const admin = new AdminCaller(gateway.adminUrl, { authorization: `Bearer ${TOKEN}` });
  const { secret: key } = await admin.createKey("workers");
  let known = 0;
  await expect
    .poll(async () => {
      const { status } = await callTool(gateway.url, "apis", "get", { key }).catch(() => ({ status: 401 }));
      known = status === 200 ? known + 1 : 0;
      return known;
    })
    .toBeGreaterThan(5);
  const before = (await admin.listCalls("counted")).length;
  const caller = await LegacyCaller.open(gateway.url, "apis", key);
  for (let index = 0; index < 20; index += 1) {
    expect(await caller.call(gateway.url, "counted")).toBe("answer to /counted");
  }
  expect(await gateway.end("SIGTERM")).toBe(0);
  const next = await startGateway(stringify(alone), {
    GATEWAY_ADMIN_TOKEN: TOKEN,
    TOOLWIRE_GATEWAY_KEYS: KEYS,
    DATABASE_URL: engines.postgres,
  });
  onTestFinished(async () => next[Symbol.asyncDispose]());
  const reader = new AdminCaller(next.adminUrl, { authorization: `Bearer ${TOKEN}` });
  expect(await reader.listCalls("counted")).toHaveLength(before + 20);
});

it.each([
  ["redis", "redis://gateway:canary-password-81f3@127.0.0.1:1"],
  ["postgres", "postgres://gateway:canary-password-81f3@127.0.0.1:1/x"],
])("says that %s cannot be reached, without its password", { timeout: 60_000 }, async (engine, url) => {
  const failure: unknown = await startGateway(
    `version: 1\nadmin: false\nanalytics: { store: memory }\ncluster: { engine: ${engine}, url: "\${env:ENGINE_URL}" }\n`,
    { ENGINE_URL: url },
  ).catch((error: unknown) => error);
  expect(String(failure)).toContain("The engine of `cluster` cannot be used:");
  expect(String(failure)).not.toContain("canary");
});
