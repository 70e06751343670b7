import { connect } from "@toolwire/client";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CredentialConfig, ServerConfig } from "../../src/config/config.ts";
import { getTool, startLocal } from "../local-gateway.ts";
import { simulateApi } from "../simulated-api.ts";

const ENV = { KEY: "canary-env-key-0001", PASSWORD: "canary pässword/0002" };

function serverWith(url: string, credential: CredentialConfig, more: object = {}): ServerConfig {
  return { credentials: { main: credential }, tools: { get: getTool(`${url}/x`, more) } };
}

test.each<[string, CredentialConfig, { readonly [header: string]: string }, string]>([
  ["bearer", { bearer: "${env:KEY}" }, { authorization: "Bearer canary-env-key-0001" }, "/x"],
  [
    "apiKey in a header",
    { apiKey: "${env:KEY}", in: "header", name: "X-Key", prefix: "Token " },
    { "x-key": "Token canary-env-key-0001" },
    "/x",
  ],
  ["apiKey in the query", { apiKey: "${env:KEY}", in: "query", name: "key" }, {}, "/x?key=canary-env-key-0001"],
  [
    "apiKey in a cookie",
    { apiKey: "${env:KEY}", in: "cookie", name: "key" },
    { cookie: "key=canary-env-key-0001" },
    "/x",
  ],
  [
    "basic",
    { basic: { username: "robot", password: "${env:PASSWORD}" } },
    { authorization: `Basic ${Buffer.from("robot:canary pässword/0002").toString("base64")}` },
    "/x",
  ],
  [
    "basic without a password",
    { basic: { username: "${env:KEY}", password: "" } },
    { authorization: `Basic ${Buffer.from("canary-env-key-0001:").toString("base64")}` },
    "/x",
  ],
  [
    "headers",
    { headers: { "X-A": "${env:KEY}", "X-B": "b-${env:KEY}" } },
    { "x-a": "canary-env-key-0001", "x-b": "b-canary-env-key-0001" },
    "/x",
  ],
  ["none", { none: true }, {}, "/x"],
])("the credential %s reaches the API", async (_, credential, headers, target) => {
  await using api = await simulateApi(() => ({}));
  await using local = await startLocal({ s: serverWith(api.url, credential) }, { options: { env: ENV } });
  expect((await local.call("s", "get")).text).toBe("{}");
  expect(api.requests[0]).toMatchObject({ target, headers });
  if (!("authorization" in headers)) expect(api.requests[0]?.headers["authorization"]).toBeUndefined();
});

test("OAuth client credentials are fetched once, and anew after a 401", async () => {
  let issued = 0;
  await using api = await simulateApi(({ target, headers }) => {
    if (target === "/token") {
      issued += 1;
      return { body: JSON.stringify({ access_token: `token-${issued}`, token_type: "Bearer", expires_in: 3600 }) };
    }
    return headers["authorization"] === "Bearer token-1" && issued === 1 && api.requests.length > 4
      ? { status: 401 }
      : {};
  });
  const credential = {
    clientCredentials: { tokenUrl: `${api.url}/token`, clientId: "gateway", clientSecret: "${env:KEY}", scope: "read" },
  };
  await using local = await startLocal({ s: serverWith(api.url, credential) }, { options: { env: ENV } });
  for (let call = 0; call < 5; call++) expect((await local.call("s", "get")).text).toBe("{}");
  expect(issued).toBe(2);
  const [token] = api.requests;
  expect(Object.fromEntries(new URLSearchParams(token?.body))).toEqual({
    grant_type: "client_credentials",
    scope: "read",
  });
  const [, basic = ""] = String(token?.headers["authorization"]).split(" ");
  expect(decodeURIComponent(Buffer.from(basic, "base64").toString())).toBe("gateway:canary-env-key-0001");
  expect(local.records.filter(({ attempts }) => attempts === 2)).toHaveLength(1);
});

test("a file is a credential, and a change of the file is one of the configuration", async () => {
  const folder = mkdtempSync(join(tmpdir(), "credentials-"));
  writeFileSync(join(folder, "key"), "first-value\n");
  await using api = await simulateApi(() => ({}));
  const server = serverWith(api.url, { bearer: "${file:key}" });
  await using local = await startLocal({ s: server }, { options: { folder } });
  await local.call("s", "get");
  writeFileSync(join(folder, "key"), "second-value\n");
  await local.gateway.reload(local.gateway.config);
  await local.call("s", "get");
  expect(api.requests.map(({ headers }) => headers["authorization"])).toEqual([
    "Bearer first-value",
    "Bearer second-value",
  ]);
});

test("a secret that is not set is a problem of the server, and a text for the model, until somebody sets it", async () => {
  await using api = await simulateApi(() => ({}));
  await using local = await startLocal({ s: serverWith(api.url, { bearer: "${secret:stripe}" }) });
  expect(local.gateway.server("s")?.problems).toEqual(['The credential "main" is not set.']);
  expect(local.gateway.server("s")?.credentials).toEqual([
    { name: "main", kind: "bearer", perUser: false, isSet: false },
  ]);
  expect(await local.call("s", "get")).toMatchObject({
    isError: true,
    text: 'Error: This tool cannot be used, because the credential "main" is not set on the gateway.',
  });
  expect(api.requests).toEqual([]);
  await local.gateway.storage.secrets.set("stripe", "sk_set_at_run_time");
  expect((await local.call("s", "get")).text).toBe("{}");
  expect(api.requests[0]?.headers["authorization"]).toBe("Bearer sk_set_at_run_time");
  expect(local.gateway.server("s")?.problems).toEqual([]);
});

test("a tool uses the credential that it names, and none if it says so", async () => {
  await using api = await simulateApi(() => ({}));
  const credentials = {
    one: { bearer: "${env:KEY}" },
    two: { apiKey: "${env:KEY}", in: "header", name: "x-two" },
  } as const;
  const tools = {
    first: getTool(`${api.url}/1`, { credential: "one" }),
    second: getTool(`${api.url}/2`, { credential: "two" }),
    third: getTool(`${api.url}/3`, { credential: "none" }),
    fourth: getTool(`${api.url}/4`),
  };
  await using local = await startLocal({ s: { credentials, tools } }, { options: { env: ENV } });
  for (const tool of Object.keys(tools)) await local.call("s", tool);
  expect(
    api.requests.map(({ headers }) => [headers["authorization"] !== undefined, headers["x-two"] !== undefined]),
  ).toEqual([
    [true, false],
    [false, true],
    [false, false],
    [false, false],
  ]);
});

test("no argument, fixed header or forwarded header overwrites a credential", async () => {
  await using api = await simulateApi(() => ({}));
  const input = { type: "object", properties: { key: { type: "string" } } };
  const tool = {
    description: "d",
    request: {
      method: "GET",
      url: `${api.url}/x`,
      params: { key: { in: "header", name: "X-Key" } },
      headers: { "X-Key": "fixed" },
    },
    input,
  } as const;
  const server: ServerConfig = {
    credentials: { main: { apiKey: "${env:KEY}", in: "header", name: "X-Key" } },
    forwardHeaders: ["X-Key"],
    tools: { get: tool },
  };
  await using local = await startLocal({ s: server }, { options: { env: ENV } });
  await local.call("s", "get", { key: "from the model" }, { "x-key": "from the caller" });
  expect(api.requests[0]?.headers["x-key"]).toBe("canary-env-key-0001");
});

test("only headers that the configuration names are forwarded, and never the caller's own token", async () => {
  await using api = await simulateApi(() => ({}));
  const server: ServerConfig = {
    auth: { apiKeys: true },
    forwardHeaders: ["X-Tenant"],
    tools: { get: getTool(`${api.url}/x`) },
  };
  await using local = await startLocal({ s: server });
  const key = await local.key();
  await local.call("s", "get", {}, { ...key, "x-tenant": "blue", "x-other": "no", cookie: "a=b", "x-api-key": "no" });
  const headers = api.requests[0]?.headers ?? {};
  expect(headers["x-tenant"]).toBe("blue");
  expect(
    Object.keys(headers).filter((name) => ["authorization", "x-other", "cookie", "x-api-key"].includes(name)),
  ).toEqual([]);
  expect(JSON.stringify(headers)).not.toContain("twk_");
});

test("principals-share-nothing: each caller's own credential is sent, and nobody else's", async () => {
  await using api = await simulateApi(({ headers }) => ({
    body: JSON.stringify({ sent: headers["authorization"]?.length }),
  }));
  const credential = { bearer: "${secret:github}", perUser: true };
  await using local = await startLocal({ s: { ...serverWith(api.url, credential), auth: { apiKeys: true } } });
  const { secrets } = local.gateway.storage;
  await secrets.set("github", "shared-value-of-nobody");
  await secrets.set("github", "token-of-ada", "ada");
  await secrets.set("github", "token-of-bob", "bob");
  const keys = new Map<string, Record<string, string>>();
  for (const principal of ["ada", "bob", "eve"]) keys.set(principal, await local.key({ principal }));
  const calls = Array.from({ length: 30 }, (_, index) => ["ada", "bob", "eve"][index % 3] ?? "");
  const answers = await Promise.all(calls.map((principal) => local.call("s", "get", {}, keys.get(principal))));
  for (const [index, principal] of calls.entries()) {
    if (principal === "eve") {
      expect(answers[index]).toMatchObject({
        isError: true,
        text: 'Error: You have not connected your account: the credential "main" is not set for you. Ask the operator of the gateway to add it.',
      });
    } else expect(answers[index]?.isError).toBeUndefined();
  }
  const sent = api.requests.map(({ headers }) => headers["authorization"]);
  expect(sent.filter((value) => value === "Bearer token-of-ada")).toHaveLength(10);
  expect(sent.filter((value) => value === "Bearer token-of-bob")).toHaveLength(10);
  expect(sent).toHaveLength(20);
  expect(new Set(local.records.map(({ principal }) => principal))).toEqual(new Set(["ada", "bob", "eve"]));
});

test("principals-share-nothing: a second key of one caller has the same credential", async () => {
  await using api = await simulateApi(() => ({}));
  const credential = { bearer: "${secret:github}", perUser: true };
  await using local = await startLocal({ s: { ...serverWith(api.url, credential), auth: { apiKeys: true } } });
  await local.gateway.storage.secrets.set("github", "token-of-ada", "ada");
  for (const key of [await local.key({ principal: "ada" }), await local.key({ principal: "ada" })]) {
    expect((await local.call("s", "get", {}, key)).text).toBe("{}");
  }
});

test("callers without a key have no credential of their own", async () => {
  await using api = await simulateApi(() => ({}));
  await using local = await startLocal({ s: serverWith(api.url, { bearer: "${secret:github}", perUser: true }) });
  await local.gateway.storage.secrets.set("github", "shared-value");
  expect((await local.call("s", "get")).text).toContain("Call the gateway with an API key");
  expect(api.requests).toEqual([]);
});

test("a caller without a credential is sent to the page for it, if the client can show pages", async () => {
  await using api = await simulateApi(() => ({}));
  const credential = { bearer: "${secret:github}", perUser: true, connectUrl: "https://example.com/connect" };
  await using local = await startLocal({ s: { ...serverWith(api.url, credential), auth: { apiKeys: true } } });
  const headers = await local.key({ principal: "ada" });
  const shown: string[] = [];
  await using able = await connect(`${local.gateway.url}/mcp/s`, {
    http: { headers },
    elicitation: {
      async url({ url }) {
        shown.push(url);
        await local.gateway.storage.secrets.set("github", "token-of-ada", "ada");
        return { action: "accept" };
      },
    },
  });
  expect((await able.callTool("get", {})).content).toEqual([{ type: "text", text: "{}" }]);
  expect(shown).toEqual(["https://example.com/connect"]);
  expect(api.requests[0]?.headers["authorization"]).toBe("Bearer token-of-ada");
  await local.gateway.storage.secrets.remove("github", "ada");
  const unable = await local.call("s", "get", {}, headers);
  expect(unable.text).toContain("Connect your account at https://example.com/connect");
});
