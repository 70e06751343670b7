import { readCatalog, readServerCard, resolveRemote } from "@toolwire/client/server-card";
import { checkCatalog, checkServerCard } from "@toolwire/protocol/internal";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { GatewayConfig, ServerConfig } from "../../src/config/config.ts";
import { messagesOf } from "../config/problems-of.ts";
import { getTool, type LocalGateway, startLocal } from "../local-gateway.ts";
import { type SimulatedApi, simulateApi } from "../simulated-api.ts";

const CATALOG = "/.well-known/ai-catalog.json";
const PUBLISHING: Partial<GatewayConfig> = {
  listen: { publicUrl: "https://mcp.example.com" },
  serverCards: { namespace: "com.example" },
};

let api: SimulatedApi;
let local: LocalGateway;

beforeAll(async () => {
  api = await simulateApi(() => ({}));
  const tools = { get: getTool(`${api.url}/x`, { description: "Not for the card" }) };
  local = await startLocal(
    {
      weather: { title: "Weather", description: "Current weather.", instructions: "Not for the card", tools },
      plain: { auth: "none", tools },
      told: { auth: { apiKeys: true }, card: { description: "Orders." }, description: "Something else", tools },
      locked: { auth: { apiKeys: true }, tools },
      shy: { card: false, tools },
      resting: { status: "paused", tools },
      hidden: { status: "draft", card: true, tools },
    },
    { config: PUBLISHING },
  );
});

afterAll(async () => {
  await local[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
});

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${local.gateway.url}${path}`, { headers });
}

async function slugsIn(gateway: LocalGateway): Promise<readonly string[]> {
  const { servers } = await readCatalog(`${gateway.gateway.url}${CATALOG}`);
  return servers.map(({ identifier }) => identifier.replace("urn:air:example.com:mcp:", ""));
}

describe("a gateway that publishes cards", () => {
  test("has one for each server that everybody may call, or that wants one, and one catalog of them", async () => {
    expect(await slugsIn(local)).toEqual(["weather", "plain", "told"]);
    const response = await get(CATALOG);
    expect(response.headers.get("content-type")).toBe("application/ai-catalog+json");
    expect(checkCatalog(await response.json())).toMatchObject({
      entries: [{ url: "https://mcp.example.com/mcp/weather/server-card" }, {}, {}],
    });
    for (const slug of ["weather", "plain", "told"]) {
      const card = await get(`/mcp/${slug}/server-card`);
      expect([card.status, card.headers.get("content-type")]).toEqual([200, "application/mcp-server-card+json"]);
      expect(checkServerCard(await card.json()).problems).toBeUndefined();
    }
  });

  test("says in a card what clients need, and nothing of tools", async () => {
    const response = await get("/mcp/weather/server-card");
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      name: "com.example/weather",
      title: "Weather",
      description: "Current weather.",
      remotes: [{ type: "streamable-http", url: "https://mcp.example.com/mcp/weather" }],
    });
    expect(text).not.toContain("Not for the card");
  });

  test("tells how keys are sent, and no key", async () => {
    const headers = await local.key();
    const { card } = await readServerCard(`${local.gateway.url}/mcp/told/server-card`);
    expect(card.description).toBe("Orders.");
    const [remote] = card.remotes!;
    expect(() => resolveRemote(remote!)).toThrow("key is missing (The API key, which begins with twk_)");
    const key = headers["authorization"]!.replace("Bearer ", "");
    expect(resolveRemote(remote!, { key }).headers).toEqual(headers);
    expect(JSON.stringify(card)).not.toContain(key);
  });

  test("answers for a server without a card as if there were no server", async () => {
    const nothing = await get("/mcp/nothing/server-card");
    const expected = [nothing.status, await nothing.text(), nothing.headers.get("access-control-allow-origin")];
    expect(expected[0]).toBe(404);
    for (const slug of ["locked", "shy", "resting", "hidden", "Weather", "weather/x", "__proto__", "%77eather"]) {
      const response = await get(`/mcp/${slug}/server-card`, await local.key());
      const answered = [response.status, await response.text(), response.headers.get("access-control-allow-origin")];
      expect(answered).toEqual(expected);
    }
  });

  test("sends neither again to those who have it", async () => {
    for (const path of [CATALOG, "/mcp/weather/server-card"]) {
      const { headers } = await get(path);
      expect(headers.get("cache-control")).toBe("public, max-age=3600");
      expect((await get(path, { "if-none-match": headers.get("etag")! })).status).toBe(304);
    }
  });

  test("lets pages of all origins read them", async () => {
    for (const path of [CATALOG, "/mcp/weather/server-card"]) {
      const { headers } = await get(path, { origin: "https://anywhere.example.org" });
      expect(headers.get("access-control-allow-origin")).toBe("*");
    }
  });

  test("follows its configuration without a restart", async () => {
    const servers: Record<string, ServerConfig> = { a: { tools: {} }, b: { tools: {}, auth: { apiKeys: true } } };
    const config: GatewayConfig = { version: 1, admin: false, ...PUBLISHING, servers };
    const own = await startLocal(servers, { config });
    onTestFinished(() => own[Symbol.asyncDispose]());
    expect(await slugsIn(own)).toEqual(["a"]);
    const changed = { a: { ...servers["a"], status: "paused" as const }, b: { ...servers["b"], card: true } };
    await own.gateway.reload({ ...config, servers: changed });
    expect(await slugsIn(own)).toEqual(["b"]);
    expect((await fetch(`${own.gateway.url}/mcp/b/server-card`)).status).toBe(200);
    await own.gateway.reload({ ...config, serverCards: undefined, servers } as unknown as GatewayConfig);
    for (const path of [CATALOG, "/mcp/a/server-card"]) {
      expect((await fetch(own.gateway.url + path)).status).toBe(404);
    }
  });

  test("cuts a description that is too long at the end of a word", async () => {
    const description = `${"word ".repeat(30)}end`;
    const own = await startLocal({ long: { description, tools: {} }, bare: { tools: {} } }, { config: PUBLISHING });
    onTestFinished(() => own[Symbol.asyncDispose]());
    const read = async (slug: string): Promise<string> => {
      const { card } = await readServerCard(`${own.gateway.url}/mcp/${slug}/server-card`);
      return card.description;
    };
    expect(await read("long")).toBe(`${"word ".repeat(19).trimEnd()}…`);
    expect(await read("bare")).toBe("The MCP server bare.");
  });
});

test("a gateway publishes nothing unless it is told to", async () => {
  const own = await startLocal({ weather: { tools: {} } }, { config: { listen: PUBLISHING.listen! } });
  onTestFinished(() => own[Symbol.asyncDispose]());
  for (const path of [CATALOG, "/mcp/weather/server-card"]) {
    expect((await fetch(own.gateway.url + path)).status).toBe(404);
  }
});

describe("a configuration", () => {
  const check = (more: object, server: object = {}): readonly string[] =>
    messagesOf({ version: 1, servers: { a: { tools: {}, ...server } }, ...more });

  test("with cards needs the public URL, and a domain in reverse", () => {
    expect(check({ serverCards: { namespace: "com.example" } }).join()).toContain("set `listen.publicUrl`");
    expect(check({ ...PUBLISHING, serverCards: { namespace: "com/example" } }).join()).toContain(
      "serverCards.namespace",
    );
    expect(check(PUBLISHING).join()).not.toContain("Card");
  });

  test("is told of cards that have no effect, and of titles that no card can have", () => {
    expect(check({}, { card: true }).join()).toContain("publishes cards only with `serverCards`");
    expect(check(PUBLISHING, { title: "x".repeat(101) }).join()).toContain("a title of at most 100 characters");
    expect(check(PUBLISHING, { title: "x".repeat(101), card: false }).join()).not.toContain("title");
    expect(check(PUBLISHING, { card: { description: "x".repeat(101) } }).join()).toContain("card");
  });
});
