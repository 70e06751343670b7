import { request } from "node:http";
import express from "express";
import fastify from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { checkCatalog, checkServerCard } from "@toolwire/protocol/internal";
import { toExpress } from "../../src/adapters/express.ts";
import { toFastify } from "../../src/adapters/fastify.ts";
import { toHono } from "../../src/adapters/hono.ts";
import { toNextRoutes } from "../../src/adapters/next.ts";
import { createHttpHandler, type HttpOptions, serveHttp } from "../../src/http.ts";
import { createServer, prompt, resource, type Server, type ServerOptions, tool } from "../../src/index.ts";
import { serverCard, type ServerCardOptions } from "../../src/server-card/index.ts";
import { fakeAuth } from "../fake-auth.ts";
import { modern, readJson } from "../bindings/http/client.ts";
import { PLATFORMS, type Target } from "../bindings/http/platforms.ts";

const CARD: ServerCardOptions = { url: "https://api.example.com/mcp", namespace: "com.example" };
const CARD_PATH = "/mcp/server-card";
const CATALOG_PATH = "/.well-known/ai-catalog.json";

function createWeather(options: Partial<ServerOptions> = {}): Server {
  return createServer({
    name: "weather",
    title: "Weather of the world",
    version: "1.2.3",
    description: "Current weather.",
    websiteUrl: "https://weather.example.com/",
    icons: [{ src: "https://weather.example.com/icon.png", mimeType: "image/png" }],
    instructions: "Ask for one city at a time.",
    tools: { secret_tool: tool({ description: "Not for the card", run: () => "sunny" }) },
    resources: { secret_resource: resource({ uri: "weather://secret", read: () => "" }) },
    prompts: { secret_prompt: prompt({ get: () => "" }) },
    ...options,
  });
}

async function get(target: Pick<Target, "send">, path: string, init: RequestInit = {}): Promise<Response> {
  return target.send({ path, ...init });
}

async function readCard(target: Pick<Target, "send">, path = CARD_PATH): Promise<Record<string, unknown>> {
  const response = await get(target, path);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/mcp-server-card+json"]);
  const { card, problems } = checkServerCard(await response.json()) as { card?: object; problems?: unknown };
  expect(problems).toBeUndefined();
  return card as Record<string, unknown>;
}

describe.each(PLATFORMS)("the card of a server on $name", ({ start }) => {
  test("is at the URL of the endpoint with /server-card behind it, and says who the server is and how to connect", async () => {
    const target = await start(createWeather(), { serverCard: serverCard(CARD) });
    expect(await readCard(target)).toEqual({
      $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
      name: "com.example/weather",
      title: "Weather of the world",
      version: "1.2.3",
      description: "Current weather.",
      websiteUrl: "https://weather.example.com/",
      icons: [{ src: "https://weather.example.com/icon.png", mimeType: "image/png" }],
      remotes: [
        {
          type: "streamable-http",
          url: "https://api.example.com/mcp",
          supportedProtocolVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
        },
      ],
    });
  });

  test("is not there without the option", async () => {
    const target = await start(createWeather());
    for (const path of [CARD_PATH, CATALOG_PATH]) expect((await get(target, path)).status).toBe(404);
  });

  test("lists no tools, resources or prompts", async () => {
    const target = await start(createWeather(), { serverCard: serverCard(CARD) });
    for (const path of [CARD_PATH, CATALOG_PATH]) {
      const response = await get(target, path);
      expect(await response.text()).not.toContain("secret");
    }
  });

  test("agrees with what the server says when a client has connected", async () => {
    const target = await start(createWeather(), { serverCard: serverCard(CARD) });
    const { result } = await readJson(await target.send(modern("server/discover")));
    const meta = result?.["_meta"] as Record<string, Record<string, unknown>> | undefined;
    const info = meta?.["io.modelcontextprotocol/serverInfo"] ?? {};
    const { name, title, version, description, remotes } = await readCard(target);
    expect([String(name).split("/")[1], title, version, description]).toEqual([
      info["name"],
      info["title"],
      info["version"],
      info["description"],
    ]);
    const [remote] = remotes as { supportedProtocolVersions: unknown }[];
    expect(remote!.supportedProtocolVersions).toEqual(result?.["supportedVersions"]);
  });

  test("names only the revisions that are served at the endpoint", async () => {
    const target = await start(createWeather(), { serverCard: serverCard(CARD), legacy: false });
    const { remotes } = await readCard(target);
    expect(remotes).toMatchObject([{ supportedProtocolVersions: ["2026-07-28"] }]);
  });

  test("can be read by pages of all origins, as the draft requires", async () => {
    const target = await start(createWeather(), { serverCard: serverCard(CARD) });
    for (const path of [CARD_PATH, CATALOG_PATH]) {
      for (const method of ["GET", "OPTIONS", "POST"]) {
        const response = await get(target, path, { method, headers: { origin: "https://anywhere.example.org" } });
        const fields = ["origin", "methods", "headers"].map((name) =>
          response.headers.get(`access-control-allow-${name}`),
        );
        expect(fields).toEqual(["*", "GET", "Content-Type, If-None-Match"]);
        expect(response.headers.get("access-control-expose-headers")).toBe("ETag");
        expect(response.status).toBe({ GET: 200, OPTIONS: 204, POST: 405 }[method]);
      }
    }
  });

  test("may be kept for an hour by anybody, unless the option says otherwise", async () => {
    const [usual, short] = [{}, { maxAge: 90_500 }];
    const fields = async (more: object): Promise<unknown> => {
      const target = await start(createWeather(), { serverCard: serverCard({ ...CARD, ...more }) });
      const responses = [await get(target, CARD_PATH), await get(target, CATALOG_PATH)];
      return responses.map(({ headers }) => headers.get("cache-control"));
    };
    expect(await fields(usual)).toEqual(["public, max-age=3600", "public, max-age=3600"]);
    expect(await fields(short)).toEqual(["public, max-age=90", "public, max-age=90"]);
  });

  test("has an entity tag, and is not sent again to those who have it", async () => {
    const target = await start(createWeather(), { serverCard: serverCard(CARD) });
    for (const path of [CARD_PATH, CATALOG_PATH]) {
      const etag = (await get(target, path)).headers.get("etag")!;
      expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
      for (const given of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const response = await get(target, path, { headers: { "if-none-match": given } });
        expect([response.status, await response.text(), response.headers.get("etag")]).toEqual([304, "", etag]);
        expect(response.headers.get("cache-control")).toBe("public, max-age=3600");
        expect(response.headers.get("access-control-allow-origin")).toBe("*");
      }
      const other = await get(target, path, { headers: { "if-none-match": '"other", W/"more"' } });
      expect(other.status).toBe(200);
    }
  });

  test("has the same entity tag wherever it is served, and another one when it changes", async () => {
    const etags = ["1.2.3", "1.2.3", "1.2.4"].map(async (version) => {
      const target = await start(createWeather({ version }), { serverCard: serverCard(CARD) });
      return (await get(target, CARD_PATH)).headers.get("etag");
    });
    const [first, second, changed] = await Promise.all(etags);
    expect(second).toBe(first);
    expect(changed).not.toBe(first);
  });

  test("is answered to HEAD without a body", async () => {
    const target = await start(createWeather(), { serverCard: serverCard(CARD) });
    const response = await get(target, CARD_PATH, { method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(response.headers.get("content-type")).toBe("application/mcp-server-card+json");
  });

  test.each([
    ["a program that wants it", "application/mcp-server-card+json"],
    ["a browser", "text/html,application/xhtml+xml,*/*;q=0.8"],
    ["a client that wants JSON", "application/json"],
  ])("has its own media type for %s", async (_, accept) => {
    const target = await start(createWeather(), { serverCard: serverCard(CARD) });
    const { headers } = await get(target, CARD_PATH, { headers: { accept } });
    expect(headers.get("content-type")).toBe("application/mcp-server-card+json");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("is in the catalog, by its URL alone", async () => {
    const target = await start(createWeather(), { serverCard: serverCard(CARD) });
    const response = await get(target, CATALOG_PATH);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/ai-catalog+json"]);
    const document: unknown = await response.json();
    expect(document).toEqual({
      specVersion: "1.0",
      entries: [
        {
          identifier: "urn:air:example.com:mcp:weather",
          type: "application/mcp-server-card+json",
          url: "https://api.example.com/mcp/server-card",
        },
      ],
    });
    expect(checkCatalog(document).problems).toBeUndefined();
  });

  test.each<[string, HttpOptions]>([
    ["tokens", { auth: fakeAuth({ ada: {} }) }],
    ["a check of its own", { authenticate: () => undefined }],
  ])("is public where callers need %s, is the same for all, and nobody is asked who they are", async (_, options) => {
    const open = await readCard(await start(createWeather(), { serverCard: serverCard(CARD) }));
    const target = await start(createWeather(), { ...options, serverCard: serverCard(CARD) });
    expect(await readCard(target)).toEqual(open);
    expect((await get(target, CATALOG_PATH)).status).toBe(200);
    expect((await target.send(modern("tools/list"))).status).toBe(401);
    const { auth } = options;
    if (auth !== undefined) expect((auth as ReturnType<typeof fakeAuth>).asked).toHaveLength(1);
  });

  test("is not told to those who reach the server by another host name", async () => {
    const target = await start(createWeather(), { serverCard: serverCard(CARD), allowedHosts: ["api.example.com"] });
    expect((await get(target, CARD_PATH)).status).toBe(403);
  });

  test("is refused for a while when too many requests have come, as the draft recommends", async () => {
    const target = await start(createWeather(), { serverCard: serverCard({ ...CARD, maxRequestsPerMinute: 2 }) });
    expect((await get(target, CARD_PATH)).status).toBe(200);
    expect((await get(target, CATALOG_PATH)).status).toBe(200);
    const refused = await get(target, CARD_PATH);
    expect([refused.status, await refused.text()]).toEqual([429, ""]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.headers.get("access-control-allow-origin")).toBe("*");
    expect((await get(target, CARD_PATH, { method: "OPTIONS" })).status).toBe(204);
  });

  test("does not get in the way of the endpoint", async () => {
    const target = await start(createWeather(), { serverCard: serverCard(CARD) });
    expect((await readJson(await target.send(modern("tools/list")))).result).toBeDefined();
    expect((await get(target, "/mcp/other")).status).toBe(404);
    expect((await get(target, `${CARD_PATH}/more`)).status).toBe(404);
  });

  test("is also at the path of the endpoint where a proxy has changed the one of clients", async () => {
    const target = await start(createWeather(), {
      serverCard: serverCard({ ...CARD, url: "https://example.com/weather/v1" }),
    });
    expect(await readCard(target, CARD_PATH)).toEqual(await readCard(target, "/weather/v1/server-card"));
  });
});

describe("the card of a server in a framework", () => {
  const options: HttpOptions = { serverCard: serverCard({ ...CARD, url: "https://api.example.com/api/mcp" }) };
  const expected = { name: "com.example/weather", remotes: [{ url: "https://api.example.com/api/mcp" }] };

  test("is below the path on which Express mounts the handler, and in the catalog if that is routed there", async () => {
    const app = express();
    const handler = toExpress(createWeather(), options);
    app.use("/weather", handler);
    app.all(CATALOG_PATH, handler);
    const listener = app.listen(0, "127.0.0.1");
    onTestFinished(() => void listener.close());
    await new Promise((resolve) => listener.once("listening", resolve));
    const { port } = listener.address() as { port: number };
    const card = await fetch(`http://127.0.0.1:${port}/weather/server-card`);
    expect(await card.json()).toMatchObject(expected);
    expect((await fetch(`http://127.0.0.1:${port}${CATALOG_PATH}`)).headers.get("content-type")).toBe(
      "application/ai-catalog+json",
    );
  });

  test("is below the prefix of the plugin in Fastify", async () => {
    const app = fastify();
    onTestFinished(() => app.close());
    await app.register(toFastify(createWeather(), options), { prefix: "/weather" });
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    const card = await fetch(`${url}/weather/server-card`);
    expect(await card.json()).toMatchObject(expected);
    expect((await fetch(`${url}/weather/server-card`, { method: "HEAD" })).status).toBe(200);
    const preflight = await fetch(`${url}/weather/server-card`, { method: "OPTIONS" });
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
  });

  test("is not in Fastify without the option", async () => {
    const app = fastify();
    onTestFinished(() => app.close());
    await app.register(toFastify(createWeather()), { prefix: "/weather" });
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    expect((await fetch(`${url}/weather/server-card`)).status).toBe(404);
  });

  test("is where Hono and Next.js route it", async () => {
    const wanted = new Request("http://localhost/api/mcp/server-card");
    const hono = toHono(createWeather(), options);
    const byHono = await hono({ req: { raw: wanted, text: () => wanted.text() } });
    expect(await byHono.json()).toMatchObject(expected);
    const byNext = await toNextRoutes(createWeather(), options).GET(wanted);
    expect(await byNext.json()).toMatchObject(expected);
  });
});

test("a request in absolute form gets the card, too", async () => {
  const { port, close } = await serveHttp(createWeather(), { port: 0, serverCard: serverCard(CARD) });
  onTestFinished(() => close());
  const status = await new Promise((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", path: `http://localhost:${port}${CARD_PATH}` }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject).end();
  });
  expect(status).toBe(200);
});

describe("a card is refused when the endpoint is made", () => {
  const make = (card: object, server: Partial<ServerOptions> = {}): void =>
    void createHttpHandler(createWeather(server), { serverCard: serverCard({ ...CARD, ...card }) });

  test.each<[string, object, string, Partial<ServerOptions>?]>([
    ["without a URL", { url: undefined }, "`serverCard.url` must be an https URL"],
    ["with a URL that is not encrypted", { url: "http://example.com/mcp" }, "must be an https URL"],
    ["with a URL with a password", { url: "https://a:hunter2@example.com/mcp" }, "must be an https URL"],
    ["with a URL with a query", { url: "https://example.com/mcp?key=hunter2" }, "must be an https URL"],
    ["with a misspelt option", { headrs: [] }, "serverCard has no option `headrs`"],
    ["with a misspelt member", { headers: [{ name: "X-Key", secret: true }] }, "has no option `secret`"],
    ["without a namespace", { namespace: undefined }, "needs `serverCard.namespace`"],
    ["with a namespace that is none", { namespace: "com/example" }, "needs `serverCard.namespace`"],
    ["with another namespace", {}, "leave the option out", { name: "org.example/weather" }],
    ["with a name that cannot be in a card", {}, '"my weather" has others', { name: "my weather" }],
    ["without a description", {}, "needs a description of at most 100", { description: undefined }],
    ["with a long description", {}, "needs a description of at most 100", { description: "x".repeat(101) }],
    ["with a long title", {}, "`title` must be a text of 1 to 100", { title: "x".repeat(101) }],
    ["with a range of versions", {}, "`version` must be one version", { version: "1.x" }],
    ["with a home page that is a script", {}, "`websiteUrl` must be a URL", { websiteUrl: "javascript:alert(1)" }],
    ["with a bad repository", { repository: { url: "x", source: "git" } }, "`repository.url` must be a URL"],
    ["with no life", { maxAge: -1 }, "serverCard.maxAge"],
  ])("%s", (_, card, message, server) => {
    expect(() => make(card, server)).toThrow(message);
    if (message.includes("https URL")) expect(() => make(card, server)).not.toThrow("hunter2");
  });

  test.each([
    ["a fixed value", { name: "X-Tenant", isSecret: true, value: "hunter2" }],
    ["a default", { name: "X-Tenant", isSecret: true, default: "hunter2" }],
    ["choices", { name: "X-Tenant", isSecret: true, choices: ["hunter2"] }],
    ["a field for credentials, although nobody calls it secret", { name: "Authorization", value: "Bearer hunter2" }],
    ["the same in lower case", { name: "x-api-key", default: "hunter2" }],
    ["a variable", { name: "X-Tenant", value: "{key}", variables: { key: { isSecret: true, default: "hunter2" } } }],
    ["a variable of such a field", { name: "Cookie", value: "a={key}", variables: { key: { value: "hunter2" } } }],
  ])("with a secret in %s", (_, header) => {
    expect(() => make({ headers: [header] })).toThrow("holds the value of a secret");
    expect(() => make({ headers: [header] })).not.toThrow("hunter2");
  });
});

test("a card has to be made by serverCard", () => {
  expect(() => createHttpHandler(createWeather(), { serverCard: CARD as never })).toThrow("made by serverCard({ … })");
  expect(() => serverCard(undefined as never)).toThrow("an object with the public URL");
});

test("a card describes the keys that callers need, and has data of yours", async () => {
  const key = { description: "From your account.", isRequired: true, isSecret: true };
  const headers = [{ name: "Authorization", ...key, value: "Bearer {key}", variables: { key } }];
  const handler = createHttpHandler(createWeather({ name: "com.example/weather" }), {
    serverCard: serverCard({
      url: "http://localhost/mcp",
      description: "Weather, in short.",
      headers,
      repository: { url: "https://github.com/example/weather", source: "github" },
      meta: { "com.example/region": "eu" },
    }),
  });
  const card: unknown = await (await handler.fetch(new Request("http://localhost/mcp/server-card"))).json();
  expect(card).toMatchObject({
    name: "com.example/weather",
    description: "Weather, in short.",
    repository: { url: "https://github.com/example/weather", source: "github" },
    remotes: [{ headers }],
    _meta: { "com.example/region": "eu" },
  });
});
