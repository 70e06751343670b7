import { once } from "node:events";
import { createServer as createHttp } from "node:http";
import type { AddressInfo } from "node:net";
import { createMemoryEngine, type Cluster } from "@toolwire/server/cluster";
import { expect, onTestFinished, test } from "vitest";
import { RESOURCE } from "../../../server/test/auth/lab/issuer.ts";
import { DpopLab } from "../../../server/test/auth/lab/proofs.ts";
import type { GatewayConfig, ServerConfig } from "../../src/config/config.ts";
import { createGateway } from "../../src/create-gateway.ts";
import type { Gateway, GatewayEvent } from "../../src/gateway.ts";
import { openMemoryStorage } from "../../src/storage/memory-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { getTool } from "../local-gateway.ts";
import { LegacyCaller } from "./legacy-caller.ts";
import { startApi, startAsking } from "./upstreams.ts";

/** The issuer of the tokens of {@link DpopLab}. */
const ISSUER = "https://auth.example.com";

/** Serves the key of an issuer, until the test is over. */
async function serveKeys(keys: readonly object[]): Promise<string> {
  const http = createHttp((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ keys }));
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => void http.close());
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/keys`;
}

interface TwoGateways {
  readonly one: Gateway;
  readonly other: Gateway;
  readonly storage: Storage;
  readonly events: GatewayEvent[];
  readonly clusters: readonly Cluster[];
}

/** Two gateways in this process with one engine and one storage. */
async function startTwo(
  servers: { readonly [slug: string]: ServerConfig },
  listen: GatewayConfig["listen"] = {},
): Promise<TwoGateways> {
  const engine = createMemoryEngine();
  const storage = openMemoryStorage();
  const events: GatewayEvent[] = [];
  const network = { allow: ["127.0.0.1"] };
  const config: GatewayConfig = { version: 1, listen, admin: { token: "canary" }, network, servers };
  const start = async (): Promise<{ readonly gateway: Gateway; readonly cluster: Cluster }> => {
    const cluster = engine.connect();
    const gateway = await createGateway(config, {
      port: 0,
      adminPort: 0,
      storage: { ...storage, close: async () => undefined },
      cluster,
      onEvent: (event) => void events.push(event),
    });
    onTestFinished(async () => {
      await gateway.close();
      await cluster.close();
    });
    return { gateway, cluster };
  };
  const [first, second] = [await start(), await start()];
  return {
    one: first.gateway,
    other: second.gateway,
    storage,
    events,
    clusters: [first.cluster, second.cluster],
  };
}

test("A session that was opened at one gateway goes on at another, for the same caller alone", async () => {
  const api = await startApi();
  const { one, other, storage } = await startTwo({
    apis: { auth: { apiKeys: true }, sessions: true, tools: { get: getTool(`${api.url}/x`) } },
    others: { auth: { apiKeys: true }, sessions: true, tools: { get: getTool(`${api.url}/y`) } },
  });
  const { secret: ada } = await storage.keys.create({ name: "ada", principal: "ada" });
  const caller = await LegacyCaller.open(one.url, "apis", ada);
  expect(await caller.call(other.url, "get")).toBe("answer to /x");
  expect(await caller.call(one.url, "get")).toBe("answer to /x");
  const { secret: bob } = await storage.keys.create({ name: "bob", principal: "bob" });
  for (const foreign of [caller.impersonate("apis", bob), caller.impersonate("others", ada)]) {
    for (const { url } of [one, other]) await expect(foreign.call(url, "get")).rejects.toThrow(/^404 /);
  }
});

test("A question that was asked at one gateway is answered at another, and the call ends where it began", async () => {
  const { one, other } = await startTwo({ work: { upstreams: { asking: { url: await startAsking() } } } });
  const caller = await LegacyCaller.open(one.url, "work");
  const texts: (string | undefined)[] = [];
  for await (const { id, method, result } of caller.begin(one.url, "greet")) {
    if (method === "elicitation/create" && id !== undefined) await caller.answer(other.url, id, { name: "Ada" });
    if (result !== undefined) texts.push(result.content?.[0]?.text);
  }
  expect(texts).toEqual(["Hello Ada"]);
});

test("Calls a minute count over all gateways for each caller, and for each server and tool", async () => {
  const api = await startApi();
  const { one, other, storage } = await startTwo({
    apis: {
      auth: { apiKeys: true },
      limits: { perMinute: 4 },
      tools: { get: getTool(`${api.url}/x`), rare: { ...getTool(`${api.url}/rare`), limits: { perMinute: 1 } } },
    },
  });
  const call = async (gateway: Gateway, key: string, name: string): Promise<string> => {
    const response = await fetch(`${gateway.url}/mcp/apis`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } }),
    });
    const { result } = (await response.json()) as { result: { content: readonly [{ text: string }] } };
    return result.content[0].text;
  };
  const { secret: ada } = await storage.keys.create({ name: "ada" });
  const { secret: bob } = await storage.keys.create({ name: "bob" });
  expect(await call(one, ada, "rare")).toBe("answer to /rare");
  expect(await call(other, ada, "rare")).toContain('Rate limit of 1 calls a minute for the tool "rare" reached');
  expect(await call(other, ada, "get")).toBe("answer to /x");
  expect(await call(one, ada, "get")).toBe("answer to /x");
  expect(await call(other, ada, "get")).toContain("Rate limit of 4 calls a minute for this server reached");
  expect(await call(one, ada, "get")).toContain("Rate limit of 4 calls a minute for this server reached");
  expect(await call(one, bob, "get")).toBe("answer to /x");
});

test.each([
  ["tokens", {}],
  ["tokens and keys", { apiKeys: true as const }],
])("A proof of DPoP is good once for all gateways, where %s are taken", async (_, keys) => {
  const api = await startApi();
  const lab = await DpopLab.create();
  const publicUrl = "http://127.0.0.1:20000";
  const oauth = {
    issuer: ISSUER,
    audience: RESOURCE,
    jwksUri: await serveKeys([lab.issuerKey.jwk]),
    dpop: "required" as const,
  };
  const server = { auth: { oauth, ...keys }, tools: { get: getTool(`${api.url}/x`) } };
  const { one, other } = await startTwo({ work: server }, { publicUrl });
  const token = await lab.token();
  const call = async ({ url }: Gateway, proof: string): Promise<number> => {
    const response = await fetch(`${url}/mcp/work`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `DPoP ${token}`, dpop: proof },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get", arguments: {} } }),
    });
    await response.text();
    return response.status;
  };
  const prove = (): Promise<string> => lab.proof(token, { htu: `${publicUrl}/mcp/work` });
  const proof = await prove();
  expect([await call(one, proof), await call(other, proof), await call(one, proof)]).toEqual([200, 401, 401]);
  expect(await call(other, await prove())).toBe(200);
});

test("A server that was changed at one gateway is changed at the other, and clients of both are told", async () => {
  const api = await startApi();
  const { one, other, storage } = await startTwo({});
  const config = { auth: "none" as const, sessions: true, tools: { first: getTool(`${api.url}/1`) } };
  const { revision } = await one.putServer("made", config, 0);
  await expect.poll(() => other.server("made")?.tools.length).toBe(1);
  const listeners = await Promise.all(
    [one, other].map(async ({ url }) => {
      const caller = await LegacyCaller.open(url, "made");
      return caller.listen(url);
    }),
  );
  await other.putServer("made", { ...config, tools: { ...config.tools, second: getTool(`${api.url}/2`) } }, revision);
  await expect.poll(() => one.server("made")?.tools.length).toBe(2);
  for (const { messages, end } of listeners) {
    const { value } = await messages.next();
    expect(value).toMatchObject({ method: "notifications/tools/list_changed" });
    end();
  }
  expect(storage.servers.list()).toHaveLength(1);
});

test("Wrong admin tokens count over all gateways", async () => {
  const { one, other } = await startTwo({});
  const tryToken = async (gateway: Gateway): Promise<number> =>
    (await fetch(`${gateway.adminUrl}/api/v1/health`, { headers: { authorization: "Bearer wrong" } })).status;
  const first: number[] = [];
  for (let attempt = 0; attempt < 9; attempt += 1) first.push(await tryToken(one));
  expect(first).toEqual(Array.from({ length: 9 }, () => 401));
  expect([await tryToken(other), await tryToken(other)]).toEqual([401, 429]);
});

test("A gateway that drains is not ready at once, serves on until load balancers have noticed, and says that its engine is up", async () => {
  const api = await startApi();
  const { one } = await startTwo({ apis: { tools: { get: getTool(`${api.url}/x`) } } });
  const ready = async (): Promise<unknown> => (await fetch(`${one.url}/readyz`)).json();
  expect(await ready()).toEqual({ status: "ok", engine: "up" });
  expect(one.metrics()).toContain("toolwire_gateway_engine_up 1");
  const drained = one.drain({ wait: 60_000 });
  const response = await fetch(`${one.url}/readyz`);
  expect([response.status, await response.json()]).toEqual([503, { status: "unavailable", engine: "up" }]);
  const call = await fetch(`${one.url}/mcp/apis`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get", arguments: {} } }),
  });
  expect([call.status, call.headers.get("connection")]).toEqual([200, "close"]);
  await one.close();
  await drained;
});
