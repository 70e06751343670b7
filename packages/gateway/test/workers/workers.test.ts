/** A gateway that serves with several processes, and its embedded database. */
import { readFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";
import { AdminCaller, callTool } from "../cluster/admin-caller.ts";
import { LegacyCaller } from "../cluster/legacy-caller.ts";
import { startApi, startAsking } from "../cluster/upstreams.ts";
import { type GatewayProcess, startGateway } from "../gateway-process.ts";

const TOKEN = "an-admin-token-of-tests-0123456789";

const closers: (() => Promise<unknown>)[] = [];
let gateway: GatewayProcess;
let admin: AdminCaller;
let config: { servers: Record<string, object>; [name: string]: unknown };
let apiUrl: string;

const start = (): Promise<GatewayProcess> => startGateway(stringify(config), { GATEWAY_ADMIN_TOKEN: TOKEN });

beforeAll(async () => {
  const api = await startApi(closers);
  apiUrl = api.url;
  const get = (path: string): object => ({
    description: "Gets something",
    request: { method: "GET", url: `${api.url}/${path}` },
  });
  config = {
    version: 1,
    listen: { workers: 2 },
    admin: { token: "${env:GATEWAY_ADMIN_TOKEN}" },
    network: { allow: ["127.0.0.1"] },
    servers: {
      apis: {
        auth: { apiKeys: true },
        sessions: true,
        limits: { perMinute: 100_000 },
        tools: { get: get("get"), counted: get("counted"), rare: { ...get("rare"), limits: { perMinute: 3 } } },
      },
      asking: { upstreams: { asking: { url: await startAsking(closers) } } },
    },
  };
  gateway = await start();
  closers.push(async () => gateway[Symbol.asyncDispose]());
  admin = new AdminCaller(gateway.adminUrl, { authorization: `Bearer ${TOKEN}` });
}, 120_000);

afterAll(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** The processes that serve, as Linux knows them. */
function findWorkers(): number[] {
  const pid = gateway.child.pid ?? 0;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  return children.map(Number).filter((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes("main.ts"));
}

/** Makes a key, and waits until all workers know it. */
async function makeKey(name: string): Promise<string> {
  const { secret } = await admin.createKey(name);
  let known = 0;
  await expect
    .poll(async () => {
      const { status } = await callTool(gateway.url, "apis", "get", { key: secret }).catch(() => ({ status: 401 }));
      known = status === 200 ? known + 1 : 0;
      return known;
    })
    .toBeGreaterThan(5);
  return secret;
}

it("shares sessions, questions, limits and keys among the workers", { timeout: 60_000 }, async () => {
  expect(findWorkers()).toHaveLength(2);
  const key = await makeKey("ada");
  const caller = await LegacyCaller.open(gateway.url, "apis", key);
  for (let call = 0; call < 6; call += 1) expect(await caller.call(gateway.url, "get")).toBe("answer to /get");
  const asked = await LegacyCaller.open(gateway.url, "asking");
  for (let call = 0; call < 4; call += 1) {
    const texts: (string | undefined)[] = [];
    for await (const { id, method, result } of asked.begin(gateway.url, "greet")) {
      if (method === "elicitation/create" && id !== undefined) await asked.answer(gateway.url, id, { name: "Ada" });
      if (result !== undefined) texts.push(result.content?.[0]?.text);
    }
    expect(texts).toEqual(["Hello Ada"]);
  }
  const texts: string[] = [];
  for (let call = 0; call < 5; call += 1) texts.push((await callTool(gateway.url, "apis", "rare", { key })).text);
  expect(texts.filter((text) => text === "answer to /rare")).toHaveLength(3);
});

it("takes a revoked key at no worker, and serves what was made through the admin API at all", async () => {
  const { id, secret } = await admin.createKey("gone");
  expect((await admin.send("DELETE", `keys/${id}`)).ok).toBe(true);
  let refused = 0;
  await expect
    .poll(async () => {
      const { status } = await callTool(gateway.url, "apis", "get", { key: secret }).catch(() => ({ status: 401 }));
      refused = status === 401 ? refused + 1 : 0;
      return refused;
    })
    .toBeGreaterThan(5);
  const tools = { first: { description: "Gets", request: { method: "GET", url: `${apiUrl}/1` } } };
  expect((await admin.send("PUT", "servers/made", { auth: "none", tools })).status).toBe(201);
  let served = 0;
  await expect
    .poll(async () => {
      const { text } = await callTool(gateway.url, "made", "first");
      served = text === "answer to /1" ? served + 1 : 0;
      return served;
    })
    .toBeGreaterThan(5);
});

it("loses no session and no call when a worker is killed, and logs each call once", { timeout: 90_000 }, async () => {
  const key = await makeKey("kill");
  const caller = await LegacyCaller.open(gateway.url, "apis", key);
  const [victim = 0] = findWorkers();
  let answered = 0;
  const call = async (): Promise<void> => {
    // A call that the worker carries out when it is killed fails with its connection, and is in the log or not.
    const text = await caller.call(gateway.url, "counted").catch(() => "");
    if (text === "answer to /counted") answered += 1;
  };
  for (let index = 0; index < 20; index += 1) await call();
  process.kill(victim, "SIGKILL");
  for (let index = 0; index < 40; index += 1) await call();
  await expect.poll(findWorkers).toHaveLength(2);
  expect(findWorkers()).not.toContain(victim);
  for (let index = 0; index < 20; index += 1) await call();
  expect(answered).toBeGreaterThanOrEqual(79);
  // The worker that takes the place of the one that was killed writes what that one has left.
  await expect.poll(async () => (await admin.listCalls("counted")).length).toBeGreaterThanOrEqual(answered);
  const ids = await admin.listCalls("counted");
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeLessThanOrEqual(80);
  const metrics = await (await admin.send("GET", "metrics")).text();
  expect(metrics).toMatch(/toolwire_gateway_calls_total\{server="apis",tool="counted",outcome="ok"\} \d+/);
});

it("wants keys where other machines reach it, although only the first process was told the host", async () => {
  const tools = { get: { description: "Gets", request: { method: "GET", url: `${apiUrl}/get` } } };
  const listen = { workers: 1, allowedHosts: ["127.0.0.1"] };
  const open = { version: 1, listen, admin: false, network: { allow: ["127.0.0.1"] }, servers: { apis: { tools } } };
  const reachable = await startGateway(stringify(open), {}, {}, ["--host", "0.0.0.0"]);
  onTestFinished(async () => reachable[Symbol.asyncDispose]());
  const { port } = new URL(reachable.url);
  const response = await fetch(`http://127.0.0.1:${port}/mcp/apis`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  expect(response.status).toBe(401);
});

it("takes over a changed file at all workers, and ends without a process", { timeout: 90_000 }, async () => {
  const key = await makeKey("reload");
  const tools = { new: { description: "Gets", request: { method: "GET", url: `${apiUrl}/new` } } };
  await writeFile(gateway.file, stringify({ ...config, servers: { ...config.servers, added: { tools } } }));
  let served = 0;
  await expect
    .poll(async () => {
      const { text } = await callTool(gateway.url, "added", "new").catch(() => ({ text: "" }));
      served = text === "answer to /new" ? served + 1 : 0;
      return served;
    })
    .toBeGreaterThan(5);
  expect((await callTool(gateway.url, "apis", "get", { key })).status).toBe(200);
  const workers = findWorkers();
  expect(await gateway.end("SIGTERM")).toBe(0);
  for (const worker of workers) expect(() => process.kill(worker, 0)).toThrow("ESRCH");
  expect(await readdir(join(gateway.folder, "data", "workers"))).toEqual(["1", "2"]);
});
