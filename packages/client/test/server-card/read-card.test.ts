import type { ServerResponse } from "node:http";
import { connect } from "@toolwire/client";
import { compareCard, readCatalog, readServerCard, resolveRemote } from "@toolwire/client/server-card";
import { createServer, tool } from "@toolwire/server";
import { createNodeHandler, serveHttp } from "@toolwire/server/http";
import { serverCard } from "@toolwire/server/server-card";
import { describe, expect, onTestFinished, test } from "vitest";
import { openSite, sendJson } from "./site.ts";

const CARD = {
  $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
  name: "com.example/weather",
  version: "1.0.0",
  description: "The weather.",
};
const CARD_TYPE = "application/mcp-server-card+json";

/** A `fetch` that answers by URL, for hosts that no test may reach. */
function fakeFetch(answers: Record<string, () => Response>): { fetch: typeof fetch; asked: string[] } {
  const asked: string[] = [];
  const answer = async (url: URL): Promise<Response> => {
    asked.push(url.href);
    return answers[url.href]?.() ?? new Response(null, { status: 404 });
  };
  return { fetch: answer as never, asked };
}

describe("a client that looks for servers", () => {
  test("finds the server of a domain by its catalog, connects by its card, and sees that both agree", async () => {
    const options = { name: "weather", version: "1.2.3", title: "Weather", description: "Current weather." };
    const server = createServer({ ...options, tools: { now: tool({ run: () => "sunny" }) } });
    const site = await openSite((request, response) => handler(request, response));
    const published = serverCard({ url: `${site.origin}/mcp`, namespace: "com.example" });
    const handler = createNodeHandler(server, { path: "/mcp", serverCard: published });
    onTestFinished(() => handler.close());

    const catalog = await readCatalog(`${site.origin}/.well-known/ai-catalog.json`);
    expect(catalog.servers.map(({ identifier }) => identifier)).toEqual(["urn:air:example.com:mcp:weather"]);
    const { card } = await catalog.servers[0]!.read();
    const { url, headers } = resolveRemote(card.remotes![0]!);
    const client = await connect(url, { http: { headers } });
    onTestFinished(() => client.close());
    expect(await client.callTool("now")).toMatchObject({ content: [{ text: "sunny" }] });
    expect(compareCard(card, client)).toEqual([]);
    expect(compareCard({ ...card, version: "2.0.0", name: "com.example/other" }, client)).toEqual([
      { about: "name", card: "com.example/other", server: "weather" },
      { about: "version", card: "2.0.0", server: "1.2.3" },
    ]);
  });

  test("asks for a card by its media type, and sends no credentials", async () => {
    const { origin, requests } = await openSite((_, response) =>
      sendJson(response, CARD, { "content-type": CARD_TYPE }),
    );
    const read = await readServerCard(`${origin}/mcp/server-card`);
    expect(read).toMatchObject({ card: CARD, url: `${origin}/mcp/server-card` });
    const [{ method, url, headers }] = requests as [(typeof requests)[number]];
    expect([method, url, headers.accept]).toEqual(["GET", "/mcp/server-card", CARD_TYPE]);
    expect(headers).not.toHaveProperty("authorization");
    expect(headers).not.toHaveProperty("cookie");
  });

  test("tries the well-known URL of a domain", async () => {
    const { fetch, asked } = fakeFetch({
      "https://example.com/.well-known/ai-catalog.json": () => Response.json({ specVersion: "1.0", entries: [] }),
    });
    expect(await readCatalog("example.com", { fetch })).toMatchObject({ servers: [], ignored: [] });
    expect(asked).toEqual(["https://example.com/.well-known/ai-catalog.json"]);
  });

  test("reads cards on other domains, and cards inside of the catalog", async () => {
    const type = CARD_TYPE;
    const { fetch } = fakeFetch({
      "https://acme.example/catalog": () =>
        Response.json({
          specVersion: "1.0",
          entries: [
            { identifier: "urn:air:acme.example:mcp:a", type, url: "https://saas.example/a/server-card" },
            { identifier: "urn:air:acme.example:mcp:b", type, data: { ...CARD, name: "example.acme/b" } },
            { identifier: "urn:air:acme.example:mcp:c", type, data: { name: "bad" } },
            { identifier: "urn:air:acme.example:mcp:d", type },
          ],
        }),
      "https://saas.example/a/server-card": () => Response.json(CARD),
    });
    const { servers, ignored } = await readCatalog("https://acme.example/catalog", { fetch });
    const [a, b, c] = servers;
    expect((await a!.read()).card).toEqual(CARD);
    expect(await b!.read()).toMatchObject({ url: undefined, card: { name: "example.acme/b" } });
    await expect(c!.read()).rejects.toThrow('The card of "urn:air:acme.example:mcp:c"');
    expect(ignored).toEqual(["`entries[3]` must have either `url` or `data`."]);
  });
});

describe("a card that was read before", () => {
  test("is not asked for again while it is fresh", async () => {
    const { origin, requests } = await openSite((_, response) =>
      sendJson(response, CARD, { "cache-control": "public, max-age=3600" }),
    );
    const first = await readServerCard(origin);
    expect(first.freshUntil).toBeGreaterThan(Date.now() + 3_500_000);
    expect(await readServerCard(origin, { previous: first })).toBe(first);
    expect(requests).toHaveLength(1);
  });

  test("is asked for by its entity tag later, and not sent again if it is the same", async () => {
    const { origin, requests } = await openSite(({ headers }, response) => {
      if (headers["if-none-match"] !== '"one"') return sendJson(response, CARD, { etag: '"one"' });
      response.writeHead(304, { etag: '"one"', "cache-control": "max-age=60" }).end();
    });
    const first = await readServerCard(origin);
    expect([first.etag, first.freshUntil <= Date.now()]).toEqual(['"one"', true]);
    const second = await readServerCard(origin, { previous: first });
    expect(second.card).toBe(first.card);
    expect(second.freshUntil).toBeGreaterThan(Date.now());
    expect(requests.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"one"']);
  });

  test("is replaced if it has changed, as is a catalog", async () => {
    let version = 0;
    const { origin } = await openSite(({ url }, response) => {
      version += 1;
      const entry = { identifier: `urn:x:${version}`, type: CARD_TYPE, url: `${origin}/card` };
      const document = url === "/card" ? { ...CARD, version: `${version}` } : { specVersion: "1.0", entries: [entry] };
      sendJson(response, document, { etag: `"${version}"` });
    });
    const card = await readServerCard(`${origin}/card`);
    expect((await readServerCard(`${origin}/card`, { previous: card })).card.version).toBe("2");
    const catalog = await readCatalog(`${origin}/catalog`);
    const later = await readCatalog(`${origin}/catalog`, { previous: catalog });
    expect(later.servers.map(({ identifier }) => identifier)).toEqual(["urn:x:4"]);
    expect((await later.servers[0]!.read({ previous: card })).card.version).toBe("5");
  });

  test("is refused if it was read elsewhere", async () => {
    const { origin } = await openSite((_, response) => sendJson(response, CARD));
    const previous = await readServerCard(origin);
    await expect(readServerCard(`${origin}/other`, { previous })).rejects.toThrow("what was read before at");
  });

  test.each([
    ["max-age=60", 60],
    ["public, Max-Age=60", 60],
    ["no-cache, max-age=60", 0],
    ["no-store", 0],
    ["max-age=-1", 0],
    ["max-age=99999999999999", 7 * 24 * 3600],
    ["", 0],
  ])("is fresh by %j for %d seconds", async (cacheControl, seconds) => {
    const { origin } = await openSite((_, response) => sendJson(response, CARD, { "cache-control": cacheControl }));
    const before = Date.now();
    const { freshUntil } = await readServerCard(origin);
    expect(freshUntil).toBeGreaterThanOrEqual(before + seconds * 1000);
    expect(freshUntil).toBeLessThanOrEqual(Date.now() + seconds * 1000);
  });

  test("counts the time that it has been in a cache", async () => {
    const headers = { "cache-control": "max-age=60", age: "50" };
    const { origin } = await openSite((_, response) => sendJson(response, CARD, headers));
    expect((await readServerCard(origin)).freshUntil).toBeLessThanOrEqual(Date.now() + 10_000);
  });
});

describe("a client is not led astray", () => {
  const INSIDE = [
    "http://127.0.0.1:1/x",
    "http://localhost:1/x",
    "https://10.0.0.1/x",
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/x",
  ];

  test.each(INSIDE)("by a catalog on the internet to %s", async (url) => {
    const { fetch, asked } = fakeFetch({
      "https://203.0.113.1/catalog": () =>
        Response.json({ specVersion: "1.0", entries: [{ identifier: "urn:x", type: CARD_TYPE, url }] }),
    });
    const { servers } = await readCatalog("https://203.0.113.1/catalog", { fetch });
    await expect(servers[0]!.read()).rejects.toMatchObject({ code: "CONNECT_FAILED" });
    expect(asked).toEqual(["https://203.0.113.1/catalog"]);
  });

  test.each(INSIDE)("by a redirect from the internet to %s", async (location) => {
    const { fetch, asked } = fakeFetch({
      "https://203.0.113.1/card": () => new Response(null, { status: 302, headers: { location } }),
    });
    await expect(readServerCard("https://203.0.113.1/card", { fetch })).rejects.toThrow("more private network");
    expect(asked).toEqual(["https://203.0.113.1/card"]);
  });

  test.each(INSIDE)("by a card on the internet whose endpoint is %s", async (url) => {
    const remotes = [{ type: "streamable-http", url }];
    const { fetch } = fakeFetch({ "https://203.0.113.1/card": () => Response.json({ ...CARD, remotes }) });
    await expect(readServerCard("https://203.0.113.1/card", { fetch })).rejects.toThrow("more private network");
  });

  test("but may be told that the network is right", async () => {
    const { fetch } = fakeFetch({
      "https://203.0.113.1/card": () => new Response(null, { status: 302, headers: { location: "https://10.0.0.1/" } }),
      "https://10.0.0.1/": () => Response.json(CARD),
    });
    const read = await readServerCard("https://203.0.113.1/card", { fetch, allowNetwork: "private" });
    expect(read.card).toEqual(CARD);
  });

  test.each(["http://example.com/card", "ftp://example.com/", "file:///etc/passwd", "javascript:1"])(
    "by a redirect to %s, which is not encrypted",
    async (location) => {
      const { fetch, asked } = fakeFetch({
        "https://203.0.113.1/card": () => new Response(null, { status: 302, headers: { location } }),
      });
      await expect(readServerCard("https://203.0.113.1/card", { fetch })).rejects.toThrow("neither https nor");
      expect(asked).toHaveLength(1);
    },
  );

  test("and follows a redirect to where it may go, but not in circles", async () => {
    const { origin, requests } = await openSite(({ url }, response) => {
      if (url === "/card") return sendJson(response, CARD);
      response.writeHead(301, { location: url === "/circle" ? "/circle" : "/card" }).end();
    });
    expect((await readServerCard(`${origin}/old`)).card).toEqual(CARD);
    await expect(readServerCard(`${origin}/circle`)).rejects.toThrow("more than 3 times");
    expect(requests).toHaveLength(6);
  });

  test.each(["http://example.com/card", "nonsense", "https://a:hunter2@example.com/card"])(
    "by its own program to %s",
    async (url) => {
      const reading = readServerCard(url);
      await expect(reading).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
      await expect(reading).rejects.not.toThrow("hunter2");
    },
  );
});

describe("a document that is not what it should be is refused", () => {
  test.each<[string, (response: ServerResponse) => void, string]>([
    ["if it is not there", (response) => void response.writeHead(404).end(), "answered with status 404"],
    [
      "if it is a page",
      (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
      '"text/html" instead of JSON',
    ],
    [
      "if it is no JSON",
      (response) => void response.writeHead(200, { "content-type": CARD_TYPE }).end("{"),
      "sent no JSON object",
    ],
    ["if it is a list", (response) => sendJson(response, [CARD]), "sent no JSON object"],
    [
      "if it is nested without end",
      (response) => {
        response.writeHead(200, { "content-type": CARD_TYPE });
        response.end(`{"_meta":${"[".repeat(10_000)}${"]".repeat(10_000)}}`);
      },
      "sent no JSON object",
    ],
    ["if it is no card", (response) => sendJson(response, { name: "x" }), "`$schema` is missing."],
    ["if it has not changed, but was never read", (response) => void response.writeHead(304).end(), "status 304"],
    ["if it leads nowhere", (response) => void response.writeHead(302).end(), "to no URL"],
  ])("%s", async (_, answer, message) => {
    const { origin } = await openSite((__, response) => answer(response));
    const reading = readServerCard(origin);
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE" });
  });

  test("if it is too large, without reading all of it", async () => {
    const { origin } = await openSite((_, response) => {
      response.writeHead(200, { "content-type": CARD_TYPE });
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(10_000)));
      };
      response.on("drain", more);
      more();
    });
    await expect(readServerCard(origin, { maxBytes: 100_000 })).rejects.toThrow("sent more than 100000 bytes");
  });

  test("if it never comes, or nobody waits for it any more", async () => {
    const { origin } = await openSite((_, response) => void response.writeHead(200, { "content-type": CARD_TYPE }));
    await expect(readServerCard(origin, { timeout: 50 })).rejects.toMatchObject({ code: "TIMEOUT" });
    const abort = new AbortController();
    const reading = readServerCard(origin, { signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
  });

  test("if nobody is there", async () => {
    const { url, close } = await serveHttp(createServer({ name: "gone", version: "1" }), { port: 0 });
    await close();
    await expect(readServerCard(url)).rejects.toMatchObject({ code: "CONNECT_FAILED" });
  });

  test("if a catalog is of a later version", async () => {
    const { origin } = await openSite((_, response) => sendJson(response, { specVersion: "2.0", entries: [] }));
    await expect(readCatalog(origin)).rejects.toThrow("`specVersion` must be 1.0");
  });
});

test("options that make no sense are refused", async () => {
  const read = (options: object): Promise<unknown> => readServerCard("https://example.com/card", options as never);
  await expect(read({ timout: 1 })).rejects.toThrow("Did you mean `timeout`?");
  await expect(read({ allowNetwork: "all" })).rejects.toThrow("allowNetwork");
  await expect(read({ fetch: "x" })).rejects.toThrow("fetch");
  await expect(read({ fetch: () => 1, connect: {} })).rejects.toThrow("`connect` is for Node's own connections");
  await expect(read({ previous: {} })).rejects.toThrow("`previous`");
});
