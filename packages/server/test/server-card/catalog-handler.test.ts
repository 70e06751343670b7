import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createCatalogHandler, type CatalogHandler, type CatalogServer } from "../../src/server-card/index.ts";

const SERVERS: readonly CatalogServer[] = [
  { name: "com.example/weather", url: "https://example.com/weather/mcp" },
  { name: "com.example/maps", url: "https://maps.example.org" },
];

/** Sends a request to a handler: over a port, and as a web `Request`. */
const WAYS: readonly [string, (handler: CatalogHandler, init?: RequestInit) => Promise<Response>][] = [
  [
    "node:http",
    async (handler, init) => {
      const http = createHttpServer(handler).listen(0, "127.0.0.1");
      onTestFinished(() => void http.close());
      await new Promise((resolve) => http.once("listening", resolve));
      return fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`, init);
    },
  ],
  ["web-standard requests", (handler, init) => handler.fetch(new Request("http://localhost/", init))],
];

describe.each(WAYS)("a catalog of several servers over %s", (_, send) => {
  test("lists the cards of all of them", async () => {
    const response = await send(createCatalogHandler(SERVERS));
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/ai-catalog+json"]);
    expect(await response.json()).toEqual({
      specVersion: "1.0",
      entries: [
        {
          identifier: "urn:air:example.com:mcp:weather",
          type: "application/mcp-server-card+json",
          url: "https://example.com/weather/mcp/server-card",
        },
        {
          identifier: "urn:air:example.com:mcp:maps",
          type: "application/mcp-server-card+json",
          url: "https://maps.example.org/server-card",
        },
      ],
    });
  });

  test("keeps its entity tag until the servers change", async () => {
    const servers = [...SERVERS];
    const handler = createCatalogHandler(() => servers);
    const etag = (await send(handler)).headers.get("etag")!;
    const headers = { "if-none-match": etag };
    expect((await send(handler, { headers })).status).toBe(304);
    servers.pop();
    const changed = await send(handler, { headers });
    expect(changed.status).toBe(200);
    expect(((await changed.json()) as { entries: unknown[] }).entries).toHaveLength(1);
  });

  test("is limited, may be kept, and can be read by all pages", async () => {
    const handler = createCatalogHandler(SERVERS, { maxAge: 5000, maxRequestsPerMinute: 1 });
    const { headers } = await send(handler, { headers: { origin: "https://anywhere.example.org" } });
    expect(headers.get("cache-control")).toBe("public, max-age=5");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect((await send(handler)).status).toBe(429);
    expect((await send(handler, { method: "OPTIONS" })).status).toBe(204);
    expect((await send(handler, { method: "POST", body: "{}" })).status).toBe(405);
  });
});

test("a catalog over node:http answers 500 when its servers cannot be listed", async () => {
  const handler = createCatalogHandler(() => {
    throw new Error("down");
  });
  const [[, send]] = WAYS as [(typeof WAYS)[number]];
  expect((await send(handler)).status).toBe(500);
});

test("a catalog is refused with servers that could have no card", () => {
  expect(() => createCatalogHandler([{ name: "weather", url: "https://example.com" }])).toThrow("servers[0].name");
  expect(() => createCatalogHandler([{ name: "a.b/c", url: "http://example.com" }])).toThrow("servers[0].url");
  expect(() => createCatalogHandler({} as never)).toThrow("a list of servers");
  expect(() => createCatalogHandler([], { maxage: 1 } as never)).toThrow("`maxAge`");
});
