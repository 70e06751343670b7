/** The admin API in front of a real gateway, with a real API behind it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalGateway, startLocal } from "../local-gateway.ts";
import { type SimulatedApi, simulateApi } from "../simulated-api.ts";
import { send as sendTo, type Sent } from "./fixture/start-admin.ts";

let api: SimulatedApi;
let local: LocalGateway;

beforeAll(async () => {
  api = await simulateApi(({ method, target, headers, body }) => {
    if (target === "/openapi.json") return { body: JSON.stringify(describePets()) };
    const seen = { method, target, authorization: headers["authorization"], body };
    return target.startsWith("/v1/pets/0")
      ? { status: 404, body: '{"message":"No such pet"}' }
      : { body: JSON.stringify(seen) };
  });
  local = await startLocal(
    {
      fixed: {
        title: "Fixed",
        tools: { ping: { description: "Pings", request: { method: "GET", url: `${api.url}/v1/ping` } } },
      },
    },
    { config: { admin: { token: "token-of-the-whole-gateway" } } },
  );
});

afterAll(async () => {
  await local[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
});

function send(method: string, path: string, body?: unknown, headers: { [name: string]: string } = {}): Promise<Sent> {
  const url = `${local.gateway.adminUrl ?? ""}/api/v1/${path}`;
  return sendTo(url, method, body, { authorization: "Bearer token-of-the-whole-gateway", ...headers });
}

test("A server that is made through the admin API is there for clients at once, and gone when it is removed", async () => {
  const config = {
    status: "active",
    tools: { echo: { description: "Echoes", request: { method: "GET", url: `${api.url}/v1/echo` } } },
  };
  const made = await send("PUT", "servers/made", config);
  expect(made.status).toBe(201);
  expect(made.json).toMatchObject({ revision: 1, toolCount: 1, endpoint: `${local.gateway.url}/mcp/made` });
  expect(await local.list("made")).toEqual(["echo"]);
  const called = await local.call("made", "echo");
  expect(called.text).toContain("/v1/echo");

  const paused = await send("PATCH", "servers/made", { status: "paused" }, { "if-match": '"1"' });
  expect(paused.json.status).toBe("paused");
  expect((await local.post("made", { jsonrpc: "2.0", id: 1, method: "tools/list" })).status).toBe(503);

  const removed = await send("DELETE", "servers/made", undefined, { "if-match": '"2"' });
  expect(removed.status).toBe(204);
  expect((await local.post("made", { jsonrpc: "2.0", id: 1, method: "tools/list" })).status).toBe(404);
});

test("A configuration with a mistake is refused with its place, and the server stays as it was", async () => {
  const good = { tools: { echo: { description: "Echoes", request: { method: "GET", url: `${api.url}/v1/echo` } } } };
  await send("PUT", "servers/strict", good);
  const bad = await send("PUT", "servers/strict", { tools: { echo: { request: {} } } }, { "if-match": '"1"' });
  expect(bad.status).toBe(422);
  expect(bad.json.error.message).toContain("echo");
  expect(await local.list("strict")).toEqual(["echo"]);
  expect((await send("PUT", "servers/fixed", good)).json.error.code).toBe("from_file");
});

test("A draft tool is not there for clients, and an admin can try it", async () => {
  const tools = { echo: { description: "Echoes", request: { method: "GET", url: `${api.url}/v1/echo` } } };
  await send("PUT", "servers/drafts", { tools });
  const drafted = await send("PATCH", "servers/drafts/tools/echo", { status: "draft" }, { "if-match": '"1"' });
  expect(drafted.json.tools).toMatchObject([{ name: "echo", status: "draft" }]);
  expect((await local.call("drafts", "echo")).error?.message ?? "").toMatch(/Unknown tool|Method not found/);
  const tried = await send("POST", "servers/drafts/tools/echo/try", { arguments: {} });
  expect(tried.status).toBe(200);
  expect(tried.json.result.content[0].text).toContain("/v1/echo");
  const { call } = (await send("GET", `calls/${tried.json.id}`)).json;
  expect(call).toMatchObject({ server: "drafts", tool: "echo", principal: "admin", outcome: "ok", httpStatus: 200 });
  expect(Object.keys(call.steps)).toEqual(expect.arrayContaining(["validate", "resolve", "call", "transform"]));
});

test("A document that the gateway fetches becomes a server whose credential is set afterwards", async () => {
  const read = await send("POST", "servers/pets/import", { url: `${api.url}/openapi.json` });
  expect(read.status).toBe(201);
  expect(read.json.candidates.map((each: { id: string }) => each.id)).toEqual(["GET /pets/{id}", "POST /pets"]);
  expect(read.json.candidates[0].tokens).toBeGreaterThan(10);
  expect(read.json.securitySchemes).toEqual([{ name: "token", kind: "bearer", isSupported: true }]);

  const committed = await send("POST", `servers/pets/import/${read.json.id}/commit`, {
    operations: ["GET /pets/{id}"],
    baseUrl: `${api.url}/v1`,
    schemes: ["token"],
    status: "active",
  });
  expect(committed.status).toBe(201);
  expect(committed.json.tools).toMatchObject([{ name: "get_pet", source: "openapi", status: "active" }]);
  expect(committed.json.credentials).toMatchObject([{ name: "token", isSet: false, secrets: ["pets-token"] }]);

  expect((await send("PUT", "secrets/pets-token", { value: "value-of-the-pets-token" })).status).toBe(204);
  expect((await send("GET", "credentials")).json.credentials).toContainEqual(
    expect.objectContaining({ server: "pets", name: "token", isSet: true }),
  );
  const called = await local.call("pets", "get_pet", { id: "7" });
  expect(called.isError).toBeUndefined();
  expect(api.requests.at(-1)).toMatchObject({
    target: "/v1/pets/7",
    headers: { authorization: "Bearer value-of-the-pets-token" },
  });

  const failed = await send("POST", "servers/pets/tools/get_pet/try", { arguments: { id: "0" } });
  expect(failed.json.result).toMatchObject({
    isError: true,
    content: [{ type: "text", text: "Error: Upstream API returned 404 - No such pet" }],
  });
  const refused = await send("POST", "servers/pets/tools/get_pet/try", { arguments: {} });
  expect(refused.json.result.isError).toBe(true);
  const overview = (await send("GET", "analytics/overview?last=1h&server=pets")).json;
  expect(overview.totals).toMatchObject({ calls: 3, failures: 2 });
  expect((await send("GET", "servers/pets")).text).not.toContain("value-of-the-pets-token");
});

test("A document with a mistake is refused with its reason, though another thread has found it", async () => {
  const refused = await send("POST", "servers/broken/import", { document: "openapi: 3.1.0\ninfo: [" });
  expect(refused.status).toBe(422);
  expect(refused.json.error.message).toMatch(/Line 2/);
  expect((await send("POST", "servers/broken/import", { document: "{}" })).status).toBe(422);
});

test("A key that is made through the admin API opens its servers only", async () => {
  const tools = { echo: { description: "Echoes", request: { method: "GET", url: `${api.url}/v1/echo` } } };
  await send("PUT", "servers/locked", { auth: { apiKeys: true }, tools });
  await send("PUT", "servers/other", { auth: { apiKeys: true }, tools });
  const { json } = await send("POST", "keys", { name: "One", servers: ["locked"], principal: "team" });
  const headers = { authorization: `Bearer ${json.secret}` };
  expect((await local.call("locked", "echo", {}, headers)).isError).toBeUndefined();
  expect(local.records.at(-1)).toMatchObject({ server: "locked", principal: "team" });
  const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  expect((await local.post("other", message, headers)).status).toBeGreaterThanOrEqual(401);
  await send("DELETE", `keys/${json.key.id}`);
  expect((await local.post("locked", message, headers)).status).toBe(401);
});

test("secrets-appear-nowhere: a key that is made for a client is in the answer once, and in nothing else that an admin can read", async () => {
  const tools = { echo: { description: "Echoes", request: { method: "GET", url: `${api.url}/v1/echo` } } };
  await send("PUT", "servers/kept", { auth: { apiKeys: true }, capture: true, tools });
  const made = await send("POST", "keys", { name: "Cursor, kept", servers: ["kept"] });
  const { secret, key } = made.json;
  // The client sends it as it should, and as an argument by mistake.
  const headers = { authorization: `Bearer ${secret}` };
  expect((await local.call("kept", "echo", {}, headers)).isError).toBeUndefined();
  await local.call("kept", "echo", { token: secret }, headers);
  await local.gateway.storage.calls.flush();
  const { calls } = (await send("GET", "calls?server=kept")).json;
  expect(calls).toHaveLength(2);
  const paths = [
    "keys",
    "servers",
    "servers/kept",
    "servers/kept/yaml",
    "config",
    "audit",
    "health",
    "metrics",
    "calls?server=kept",
    "calls/export?server=kept",
    ...calls.map(({ id }: { id: string }) => `calls/${id}`),
  ];
  for (const path of paths) expect([path, (await send("GET", path)).text.includes(secret)]).toEqual([path, false]);
  expect((await send("DELETE", `keys/${key.id}`)).status).toBe(204);
  expect((await local.post("kept", { jsonrpc: "2.0", id: 1, method: "tools/list" }, headers)).status).toBe(401);
});

test("A stored server that uses the machine is not served where the configuration does not allow it", async () => {
  const script = "process.stdin.resume()";
  const upstreams = { program: { command: process.execPath, args: ["-e", script] } };
  await local.gateway.storage.servers.put("program", { upstreams }, 0);
  const fixed = { tools: { ping: { description: "Pings", request: { method: "GET", url: `${api.url}/v1/ping` } } } };
  await send("PUT", "servers/another", fixed);
  expect((await send("GET", "servers/another")).status).toBe(200);
  expect((await send("GET", "servers/program")).status).toBe(404);
  expect((await local.post("program", { jsonrpc: "2.0", id: 1, method: "tools/list" })).status).toBe(404);
  const reason = "The stored server program is not served. The gateway's log has the reason.";
  expect((await send("GET", "health")).json.problems).toContain(reason);
  // Whoever finds it can remove it.
  expect((await send("DELETE", "servers/program")).status).toBe(428);
  expect((await send("DELETE", "servers/program", undefined, { "if-match": '"1"' })).status).toBe(204);
  expect((await send("DELETE", "servers/program")).status).toBe(404);
  expect((await send("GET", "health")).json.problems).not.toContain(reason);
});

test("Health, metrics and the configuration of a real gateway can be read", async () => {
  expect((await send("GET", "health")).json).toMatchObject({ isReady: true, log: { store: "memory" } });
  expect((await send("GET", "metrics")).text).toMatch(/^# HELP/m);
  const { text } = await send("GET", "config");
  expect(text).toContain("/v1/ping");
  expect(text).not.toContain("token-of-the-whole-gateway");
});

/** A document whose server address is relative, so that somebody has to say where the API is. */
function describePets(): object {
  return {
    openapi: "3.0.3",
    info: { title: "Pets", version: "1" },
    servers: [{ url: "/v1" }],
    security: [{ token: [] }],
    paths: {
      "/pets/{id}": {
        get: {
          operationId: "getPet",
          summary: "One pet",
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
          responses: { 200: { description: "A pet" } },
        },
      },
      "/pets": {
        post: {
          operationId: "addPet",
          requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } } },
          responses: { 201: { description: "Added" } },
        },
      },
    },
    components: {
      schemas: { Pet: { type: "object", properties: { name: { type: "string" } } } },
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}
