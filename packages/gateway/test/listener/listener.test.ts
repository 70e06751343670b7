import { createHash } from "node:crypto";
import { request } from "node:http";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getTool, type LocalGateway, startLocal } from "../local-gateway.ts";
import { type SimulatedApi, simulateApi } from "../simulated-api.ts";

let api: SimulatedApi;
let local: LocalGateway;

beforeAll(async () => {
  api = await simulateApi(() => ({}));
  const tools = { get: getTool(`${api.url}/x`) };
  local = await startLocal({
    weather: { tools },
    "a-b-0": { tools },
    resting: { status: "paused", tools },
    hidden: { status: "draft", tools },
    locked: { auth: { apiKeys: true }, tools },
    talking: { sessions: true, tools },
    ruled: {
      tools: { ...tools, internal: getTool(`${api.url}/internal`) },
      access: [
        { principals: ["?*"], tools: ["*"], allow: true },
        { tools: ["get"], allow: true },
      ],
    },
  });
});

afterAll(async () => {
  await local[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
});

/** Sends a request whose path nothing has normalized. */
function send(
  path: string,
  { method = "POST", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; body: string; headers: Record<string, unknown> }> {
  const { hostname, port } = new URL(local.gateway.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers: { "content-type": "application/json", ...headers } });
    sent.on("error", reject);
    sent.on("response", (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (body += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }));
    });
    sent.end(method === "POST" ? '{"jsonrpc":"2.0","id":1,"method":"ping"}' : undefined);
  });
}

test("slugs-are-exact: only the slug itself finds a server, and everything else gets the same 404", async () => {
  const { body: unknown } = await send("/mcp/unknown");
  const tricks = [
    "/mcp/Weather",
    "/mcp/WEATHER",
    "/mcp/weather.",
    "/mcp/./weather",
    "/mcp/../mcp/weather",
    "/mcp//weather",
    "//mcp/weather",
    "/mcp/weather//",
    "/mcp/weather/x",
    "/mcp/%77eather",
    "/mcp/weather%2f",
    "/mcp/weather%2F..%2Fhidden",
    "/mcp/weather%00",
    "/mcp/weather;x=1",
    "/mcp/wea\\ther",
    "/MCP/weather",
    "/mcp/",
    "/mcp",
    "/",
    "/mcp/hidden",
    "/mcp/constructor",
    "/mcp/__proto__",
    "/mcp/toString",
  ];
  for (const path of tricks) {
    const { status, body } = await send(path);
    expect([path, status, body]).toEqual([path, 404, unknown]);
  }
  for (const path of ["/mcp/weather", "/mcp/weather/", "/mcp/weather?x=1", "/mcp/a-b-0"]) {
    expect([path, (await send(path)).status]).toEqual([path, 200]);
  }
});

test("slugs-are-exact: no path of other characters finds a server", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({
        unit: fc.constantFrom("w", "e", "a", "t", "h", "r", "W", "-", ".", "/", "%2e", "weather"),
        maxLength: 12,
      }),
      async (text) => {
        const slug = text;
        const { status } = await send(`/mcp/${slug}`);
        const isKnown = ["weather", "weather/", "a-b-0"].includes(slug);
        expect(status).toBe(isKnown ? 200 : 404);
      },
    ),
    { numRuns: 100 },
  );
});

test("the answer for a draft is that for no server, whatever is asked", async () => {
  for (const method of ["POST", "GET", "DELETE", "OPTIONS", "PUT"]) {
    const headers = { authorization: "Bearer twk_x", "mcp-session-id": "x" };
    const [draft, none] = [
      await send("/mcp/hidden", { method, headers }),
      await send("/mcp/none", { method, headers }),
    ];
    expect({ ...draft.headers, date: "" }).toEqual({ ...none.headers, date: "" });
    expect([draft.status, draft.body]).toEqual([none.status, none.body]);
  }
});

describe("a person who opens a URL of the gateway in a browser", () => {
  const headers = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  const open = (path: string, method = "GET", more = {}): ReturnType<typeof send> =>
    send(path, { method, headers: { ...headers, ...more } });

  test("sees the tools of a server, and how to connect", async () => {
    const { status, body, headers: fields } = await open("/mcp/weather");
    expect([status, fields["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(body).toContain("<code><bdi>get</bdi></code>");
    expect(body).toContain(`claude mcp add --transport http weather ${local.gateway.url}/mcp/weather`);
  });

  test("sees only tools that callers without a key may list", async () => {
    const { body } = await open("/mcp/ruled", "GET", await local.key());
    expect(await local.list("ruled")).toEqual(["get"]);
    expect(body).toContain("<bdi>get</bdi>");
    expect(body).not.toContain("internal");
  });

  test("learns nothing of a server that wants keys but that it does", async () => {
    const { status, body, headers: fields } = await open("/mcp/locked");
    expect([status, fields["www-authenticate"]]).toEqual([401, 'Bearer realm="toolwire-gateway"']);
    expect(body).toContain("You have to log in, or to have a key");
    expect(body).not.toContain("<dt>");
    expect((await open("/mcp/locked", "GET", await local.key())).body).not.toContain("<dt>");
  });

  test("learns nothing of a draft: it is as if there were none", async () => {
    for (const method of ["GET", "HEAD"]) {
      const [draft, none] = [await open("/mcp/hidden", method), await open("/mcp/none", method)];
      expect({ ...draft.headers, date: "" }).toEqual({ ...none.headers, date: "" });
      expect([draft.status, draft.body]).toEqual([404, none.body]);
      expect(none.headers["content-type"]).toBe("application/json");
    }
  });

  test("is told at the root where servers are, and which ones not", async () => {
    const { status, body, headers: fields } = await open("/");
    expect([status, fields["content-type"], fields["vary"]]).toEqual([200, "text/html; charset=utf-8", "Accept"]);
    expect(body).toContain("MCP servers are here at /mcp/ and their name");
    for (const slug of ["resting", "hidden", "locked", "talking"]) expect(body).not.toContain(slug);
    const [, style = ""] = /<style>([^]*)<\/style>/.exec(body) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    expect(fields["content-security-policy"]).toContain(`default-src 'none'; style-src 'sha256-${hash}'`);
    expect(fields["x-content-type-options"]).toBe("nosniff");
    const head = await open("/", "HEAD");
    expect([head.status, head.body, head.headers["content-length"]]).toEqual([200, "", fields["content-length"]]);
  });

  test("is the only one: programs get the same 404 at the root as elsewhere", async () => {
    const programs = [
      await send("/", { method: "GET", headers: { accept: "*/*" } }),
      await send("/", { method: "GET" }),
      await send("/", { method: "POST", headers }),
      await open("/mcp"),
    ];
    expect(programs.map(({ status, headers: fields }) => [status, fields["content-type"]])).toEqual(
      programs.map(() => [404, "application/json"]),
    );
  });
});

test("a paused server answers 503 and says when to come back", async () => {
  const { status, headers, body } = await send("/mcp/resting");
  expect(status).toBe(503);
  expect(headers["retry-after"]).toBe("60");
  expect(JSON.parse(body)).toMatchObject({ jsonrpc: "2.0", error: { code: -32603 } });
});

test("other methods are answered as the protocol says", async () => {
  expect((await send("/mcp/weather", { method: "GET", headers: { accept: "text/event-stream" } })).status).toBe(405);
  expect((await send("/mcp/weather", { method: "DELETE" })).status).toBe(405);
  expect((await send("/mcp/weather", { method: "PUT" })).status).toBe(405);
  const preflight = await send("/mcp/weather", {
    method: "OPTIONS",
    headers: { origin: "http://localhost:5173", "access-control-request-method": "POST" },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers["access-control-allow-origin"]).toBe("http://localhost:5173");
});

test("a page of another host cannot call, nor can one that has changed its address", async () => {
  expect((await send("/mcp/weather", { headers: { origin: "https://evil.example" } })).status).toBe(403);
  expect((await send("/mcp/weather", { headers: { host: "evil.example" } })).status).toBe(403);
});

test("a server with sessions gives legacy clients one, and refuses ids that it does not know", async () => {
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  };
  const accept = { accept: "application/json, text/event-stream" };
  const opened = await local.post("talking", initialize, accept);
  expect(opened.headers.get("mcp-session-id")).toMatch(/./);
  const stale = await local.post("talking", { jsonrpc: "2.0", id: 2, method: "ping" }, { "mcp-session-id": "stale" });
  expect(stale.status).toBe(404);
  const without = await local.post("weather", initialize, accept);
  expect(without.headers.get("mcp-session-id")).toBeNull();
});

test("API keys open servers: none gets a 401 with a challenge, a wrong one too, one for other servers a 403", async () => {
  const none = await send("/mcp/locked");
  expect(none.status).toBe(401);
  expect(none.headers["www-authenticate"]).toBe('Bearer realm="toolwire-gateway"');
  const wrong = await send("/mcp/locked", { headers: { authorization: "Bearer twk_wrong" } });
  expect(wrong.status).toBe(401);
  expect(wrong.headers["www-authenticate"]).toContain('error="invalid_token"');
  const other = await local.key({ servers: ["weather"] });
  expect((await send("/mcp/locked", { headers: other })).status).toBe(403);
  const own = await local.key({ servers: ["locked"] });
  expect((await send("/mcp/locked", { headers: own })).status).toBe(200);
  const secret = own["authorization"]?.slice("Bearer ".length) ?? "";
  expect((await send("/mcp/locked", { headers: { "x-api-key": secret } })).status).toBe(200);
  expect((await send("/mcp/locked", { headers: { authorization: `bearer ${secret}` } })).status).toBe(200);
  expect((await send("/mcp/locked", { headers: { authorization: `Basic ${secret}` } })).status).toBe(401);
  expect((await send(`/mcp/locked?key=${secret}`)).status).toBe(401);
  const [key] = local.gateway.storage.keys.list().filter(({ servers }) => servers?.includes("locked"));
  await local.gateway.storage.keys.revoke(key?.id ?? "");
  expect((await send("/mcp/locked", { headers: own })).status).toBe(401);
});

test("a gateway that other machines can reach wants keys unless a server says that it wants none", async () => {
  const tools = { get: getTool(`${api.url}/x`) };
  await using open = await startLocal(
    { asks: { tools }, open: { auth: "none", tools } },
    { config: { listen: { host: "0.0.0.0", allowedHosts: ["127.0.0.1", "0.0.0.0"] } } },
  );
  const { port } = new URL(open.gateway.url);
  const call = async (slug: string): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${port}/mcp/${slug}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    return response.status;
  };
  expect(await call("asks")).toBe(401);
  expect(await call("open")).toBe(200);
});

test("probes are answered on the main listener", async () => {
  expect(await send("/healthz", { method: "GET" })).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  expect(await send("/readyz", { method: "GET" })).toMatchObject({ status: 200 });
});

test("metrics count calls by server, tool and outcome, and names that callers choose make no series", async () => {
  await local.call("weather", "get");
  for (let index = 0; index < 20; index++) await local.call("weather", `made-up-${index}"\n`);
  const text = local.gateway.metrics();
  expect(text).toMatch(/^toolwire_gateway_calls_total\{server="weather",tool="get",outcome="ok"\} \d+$/m);
  expect(text).toMatch(/^toolwire_gateway_calls_total\{server="weather",tool="other",outcome="unknown-tool"\} 20$/m);
  expect(text).not.toContain("made-up");
  expect(text).toMatch(/^toolwire_gateway_call_duration_seconds_bucket\{server="weather",le="\+Inf"\} \d+$/m);
  expect(text).toMatch(/^toolwire_gateway_log_lost_records_total 0$/m);
  expect(text).toMatch(/^toolwire_gateway_ready 1$/m);
  for (const line of text.trim().split("\n")) {
    expect(line).toMatch(/^(?:# (?:HELP|TYPE) |[a-z_]+(?:\{[^}]*\})? -?[\d.e+-]+$)/);
  }
});
