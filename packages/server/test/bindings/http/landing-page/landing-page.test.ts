import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { request } from "node:http";
import { promisify } from "node:util";
import { AuthError } from "@toolwire/protocol";
import express from "express";
import fastify from "fastify";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { jsonSchema } from "@toolwire/json-schema";
import { toExpress } from "../../../../src/adapters/express.ts";
import { toFastify } from "../../../../src/adapters/fastify.ts";
import { toHono } from "../../../../src/adapters/hono.ts";
import { toNextRoutes } from "../../../../src/adapters/next.ts";
import { createHttpHandler, type HttpOptions, serveHttp } from "../../../../src/http.ts";
import {
  accessControl,
  createServer,
  type Server,
  type ServerMiddleware,
  type ServerOptions,
  tool,
} from "../../../../src/index.ts";
import { as, fakeAuth } from "../../../fake-auth.ts";
import { BOTH, modern, readJson } from "../client.ts";
import { PLATFORMS, type Target } from "../platforms.ts";
import { readPage, type ReadPage } from "./read-page.ts";

/** The header of a browser that opens a URL. */
const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8" };

function createWeather(options: Partial<ServerOptions> = {}): Server {
  return createServer({
    name: "weather",
    title: "Weather of the world",
    version: "1.2.3",
    description: "Current weather.",
    websiteUrl: "https://weather.example.com/",
    instructions: "Ask for one city at a time.",
    tools: {
      now: tool({ title: "The weather now", description: "Current weather for a city", run: () => "sunny" }),
      change: tool({ scopes: ["weather:write"], run: () => "changed" }),
    },
    ...options,
  });
}

async function open(target: Pick<Target, "send">, headers = {}, path?: string): Promise<ReadPage & { html: string }> {
  const response = await target.send({ headers: { ...BROWSER, ...headers }, ...(path !== undefined && { path }) });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const html = await response.text();
  return { ...readPage(html), html };
}

describe.each(PLATFORMS)("a person who opens an endpoint in a browser on $name", ({ start }) => {
  test("sees what the server is, its tools, and how to connect", async () => {
    const target = await start(createWeather());
    const { title, tools, snippets, html } = await open(target);
    expect(title).toBe("Weather of the world");
    expect(tools).toEqual(["now", "change"]);
    for (const text of [
      "1.2.3",
      "Current weather.",
      '<a rel="noreferrer noopener" href="https://weather.example.com/">',
      "Ask for one city at a time.",
      "The weather now",
      "Current weather for a city",
    ]) {
      expect(html).toContain(text);
    }
    expect(snippets[0]).toBe(target.url);
    expect(snippets[1]).toBe(`claude mcp add --transport http weather ${target.url}`);
  });

  test("gets a page that can do nothing: no scripts, no other sites, no frames", async () => {
    const target = await start(createWeather());
    const { headers, ...response } = await target.send({ headers: BROWSER }).then(async (sent) => ({
      headers: sent.headers,
      html: await sent.text(),
    }));
    const [, style = ""] = /<style>([^]*)<\/style>/.exec(response.html) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    expect(headers.get("content-security-policy")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("vary")).toBe("Accept");
    expect(response.html).not.toMatch(/<script|\son\w+=|style=|@import|url\(|<link|<img|<iframe|<form/i);
  });

  test("is the only one who gets it: programs get what they got before", async () => {
    const target = await start(createWeather());
    for (const accept of ["*/*", "application/json", BOTH, "text/event-stream", "text/html, text/event-stream"]) {
      const response = await target.send({ headers: { accept } });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
      expect((await readJson(response)).error?.message).toBe("There is nothing to GET here; use POST.");
    }
    for (const method of ["PUT", "DELETE", "PATCH"]) {
      expect((await target.send({ method, headers: BROWSER })).status).toBe(405);
    }
    const posted = await target.send(modern("tools/list", {}, { headers: BROWSER }));
    expect(posted.headers.get("content-type")).not.toContain("html");
    await posted.text();
  });

  test("gets the same head without a page from HEAD", async () => {
    const target = await start(createWeather());
    const response = await target.send({ method: "HEAD", headers: BROWSER });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await response.text()).toBe("");
    expect((await target.send({ method: "HEAD" })).status).toBe(405);
  });

  test("gets none for another host, from another page, or at another path", async () => {
    const target = await start(createWeather());
    const origin = "https://evil.example.com";
    const refusals = [
      await target.send({ headers: { ...BROWSER, origin } }),
      await target.send({ headers: BROWSER, path: "/other" }),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([403, 404]);
    for (const response of refusals) expect(await response.text()).not.toContain("now");
  });

  describe("sees only tools that everybody may list", () => {
    const hide = (isShown: (name: string) => boolean): ServerMiddleware =>
      accessControl((subject) => subject.kind !== "tool" || isShown(subject.name));
    const rewrite: ServerMiddleware = async (call, next) => {
      const result = await next();
      return call.method === "tools/list" ? { ...result, tools: [] } : result;
    };

    test.each<[string, ServerMiddleware[], string[]]>([
      ["without rules", [], ["now", "change"]],
      ["with a rule about names", [hide((name) => name === "now")], ["now"]],
      [
        "with a rule about principals",
        [accessControl((subject, { principal }) => subject.kind !== "tool" || principal !== undefined)],
        [],
      ],
      [
        "with a rule about scopes",
        [accessControl((_, { principal }) => principal?.scopes?.includes("weather:write") === true)],
        [],
      ],
      [
        "with a rule about a header that only some callers send",
        [accessControl((_, { header }) => header("cookie") === "admin=1")],
        [],
      ],
      ["with middleware that rewrites the list", [rewrite], []],
      [
        "with middleware that refuses the list",
        [
          (call, next) => {
            if (call.method === "tools/list") throw new Error("no");
            return next();
          },
        ],
        [],
      ],
    ])("%s", async (_, middleware, expected) => {
      const target = await start(createWeather({ middleware, onDiagnostic: () => {} }));
      const listed = await readJson(await target.send(modern("tools/list")));
      const byClient = (listed.result?.["tools"] ?? []) as readonly { name: string }[];
      expect(byClient.map(({ name }) => name)).toEqual(expected);
      const { tools, html } = await open(target, { cookie: "admin=1", authorization: "Bearer x" });
      expect(tools).toEqual(expected);
      if (!expected.includes("change")) expect(html).not.toContain("change");
    });

    test("and the middleware sees nobody: no principal, no header", async () => {
      const seen: unknown[] = [];
      const target = await start(
        createWeather({
          middleware: [
            (call, next) => {
              const { principal, header } = call.context;
              seen.push([call.method, principal, header("cookie"), header("user-agent"), call.origin.isLocal]);
              return next();
            },
          ],
        }),
      );
      await open(target, { cookie: "admin=1", "user-agent": "browser" });
      expect(seen).toEqual([
        ["server/discover", undefined, undefined, undefined, undefined],
        ["tools/list", undefined, undefined, undefined, undefined],
      ]);
    });
  });

  describe("learns nothing of a server that wants credentials", () => {
    const secrets = ["weather", "Weather", "now", "change", "1.2.3", "one city"];
    const refuse = (code: "UNAUTHORIZED" | "FORBIDDEN"): HttpOptions => ({
      authenticate() {
        throw new AuthError(code, "Who is weather?", { challenge: 'Basic realm="x"' });
      },
    });
    const notAsked = accessControl(() => {
      throw new Error("The server was asked.");
    });

    test.each<[string, number, HttpOptions, Record<string, string>]>([
      ["by a token", 401, { auth: fakeAuth({ ada: {} }) }, {}],
      ["by a token, although there is one", 200, { auth: fakeAuth({ ada: {} }) }, as("ada")],
      ["by a check of its own", 401, refuse("UNAUTHORIZED"), {}],
      ["by a check that forbids", 403, refuse("FORBIDDEN"), {}],
      ["by a check that lets everybody in", 200, { authenticate: () => ({ id: "anonymous" }) }, {}],
    ])("%s", async (_, status, options, headers) => {
      const target = await start(createWeather({ middleware: [notAsked] }), options);
      const response = await target.send({ headers: { ...BROWSER, ...headers } });
      expect(response.status).toBe(status);
      expect(response.headers.has("www-authenticate")).toBe(status !== 200);
      expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(response.headers.get("vary")).toBe("Accept");
      const html = await response.text();
      expect(html).toContain("You have to log in, or to have a key");
      expect(html).toContain(target.url);
      const page = readPage(html);
      expect([page.title, page.tools]).toEqual(["MCP server", []]);
      for (const secret of secrets) expect(html.replace(/<style>[^]*<\/style>/, "")).not.toContain(secret);
      expect(page.snippets.join()).not.toContain("curl");
    });

    test("and programs get the refusal that they got before", async () => {
      const target = await start(createWeather(), { auth: fakeAuth({}) });
      const response = await target.send({ headers: { accept: "text/event-stream" } });
      expect([response.status, response.headers.get("content-type")]).toEqual([401, "application/json"]);
      await response.text();
    });

    test("and a failure of the check stays one, in JSON", async () => {
      const authenticate = (): never => {
        throw new Error("down");
      };
      const target = await start(createWeather({ onDiagnostic: () => {} }), { authenticate });
      const response = await target.send({ headers: BROWSER });
      expect([response.status, response.headers.get("content-type")]).toEqual([500, "application/json"]);
      await response.text();
    });
  });

  test("sees hostile texts as texts", async () => {
    const hostile = `</bdi></code><script>alert("1")</script><img src=x onerror='alert(1)'>&lt;\u202Egnp.exe\u0000`;
    const target = await start(
      createServer({
        name: hostile,
        title: hostile,
        version: hostile,
        description: hostile,
        instructions: hostile,
        websiteUrl: `https://example.com/"><script>alert(1)</script>`,
        tools: { evil: tool({ title: hostile, description: hostile, run: () => "" }) },
      }),
    );
    const { html, elements, title } = await open(target);
    expect([...elements].toSorted()).toEqual(
      "a bdi body code dd dl dt h1 h2 h3 head html main meta p pre span style title".split(" "),
    );
    expect(html.includes("\u0000") || html.includes("\u202E")).toBe(false);
    expect(title).toContain('<script>alert("1")</script>');
    expect(html).toContain("\\u202egnp.exe\\u0000");
  });

  test.each(["javascript:alert(1)", "data:text/html,x", "//evil.example.com", "nothing"])(
    "is led nowhere by the URL %j of a server",
    async (websiteUrl) => {
      const { html } = await open(await start(createWeather({ websiteUrl })));
      expect(html).not.toContain("<a ");
    },
  );

  test("sees the beginning of long texts and of long lists", async () => {
    const tools = Object.fromEntries(
      Array.from({ length: 450 }, (_, index) => [`tool_${index}`, tool({ run: () => "" })]),
    );
    const long = "x".repeat(3000);
    const server = createWeather({ tools, pageSize: 150, instructions: long, description: "y".repeat(2000) });
    const page = await open(await start(server));
    expect(page.tools).toEqual(Object.keys(tools).slice(0, 200));
    expect(page.html).toContain("There are more tools.");
    expect(page.html).toContain(`>${"x".repeat(2000)}…<`);
    expect(page.html).toContain(`>${"y".repeat(2000)}<`);
    const few = await open(await start(createWeather()));
    expect(few.html).not.toContain("There are more tools.");
    const exactly = await open(
      await start(createWeather({ tools: Object.fromEntries(Object.entries(tools).slice(0, 200)), pageSize: 100 })),
    );
    expect(exactly.tools).toHaveLength(200);
    expect(exactly.html).not.toContain("There are more tools.");
  });

  test("sees no name that the server keeps to itself, and no heading without tools", async () => {
    const server = createServer({ name: "quiet", version: "1.0.0", serverInfo: false });
    const { title, html, snippets } = await open(await start(server));
    expect(title).toBe("MCP server");
    expect(html).not.toContain("quiet");
    expect(html).not.toContain("Tools");
    expect(snippets[1]).toContain(" my-server ");
  });

  test("sees the page of a server that speaks earlier revisions only, without what it would tell after a handshake", async () => {
    const target = await start(createWeather({ revisions: ["2025-11-25"] }));
    const { title, tools, snippets } = await open(target);
    expect([title, tools]).toEqual(["MCP server", []]);
    expect(snippets.at(-1)).toContain("MCP-Protocol-Version: 2025-11-25");
    expect(snippets.at(-1)).not.toContain("Mcp-Method");
  });

  test("gets JSON if the page is turned off", async () => {
    const target = await start(createWeather(), { landingPage: false });
    const response = await target.send({ headers: BROWSER });
    expect([response.status, response.headers.get("content-type")]).toEqual([405, "application/json"]);
    const locked = await start(createWeather(), { landingPage: false, auth: fakeAuth({}) });
    expect((await locked.send({ headers: BROWSER })).headers.get("content-type")).toBe("application/json");
  });

  test("gets what the application makes, with and without credentials", async () => {
    const heads: unknown[] = [];
    const landingPage: HttpOptions["landingPage"] = ({ method, target, header }) => {
      heads.push([method, target, header("Accept"), header("authorization")]);
      return new Response("<h1>Ours</h1>", { status: 203, headers: { "Content-Type": "text/html", "X-Ours": "1" } });
    };
    for (const more of [{}, { auth: fakeAuth({}) }]) {
      const target = await start(createWeather(), { landingPage, ...more });
      const response = await target.send({ headers: { ...BROWSER, authorization: "Bearer x" } });
      expect([response.status, response.headers.get("x-ours"), await response.text()]).toEqual([
        203,
        "1",
        "<h1>Ours</h1>",
      ]);
      expect((await target.send({})).status).not.toBe(203);
    }
    expect(heads).toEqual([
      ["GET", "/mcp", BROWSER.accept, "Bearer x"],
      ["GET", "/mcp", BROWSER.accept, undefined],
    ]);
    const moved = await start(createWeather(), {
      landingPage: () => Promise.resolve(Response.redirect("https://docs.example.com/", 302)),
    });
    const { status, headers } = await moved.send({ headers: BROWSER, redirect: "manual" });
    expect([status, headers.get("location")]).toEqual([302, "https://docs.example.com/"]);
  });

  test("gets an error if the page of the application fails, and the operator is told", async () => {
    const onDiagnostic = vi.fn<NonNullable<ServerOptions["onDiagnostic"]>>();
    const error = new Error("broken");
    const target = await start(createWeather({ onDiagnostic }), { landingPage: () => Promise.reject(error) });
    const response = await target.send({ headers: BROWSER });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("broken");
    expect(onDiagnostic).toHaveBeenCalledWith(expect.objectContaining({ level: "error", error }));
  });

  test("sees a page without tools if the list takes too long, and the work for it is cancelled", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let signal: AbortSignal | undefined;
    const stuck: ServerMiddleware = (call, next) => {
      if (call.method !== "tools/list") return next();
      ({ signal } = call.context);
      return new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason as Error)));
    };
    const target = await start(createWeather({ middleware: [stuck] }));
    const opened = open(target);
    await vi.waitUntil(() => signal !== undefined);
    await vi.advanceTimersByTimeAsync(4000);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await opened).toMatchObject({ title: "MCP server", tools: [] });
    expect(signal?.aborted).toBe(true);
  });

  test("counts as a request in flight", async () => {
    let release!: () => void;
    let isHeld = false;
    const held: ServerMiddleware = async (_, next) => {
      if (!isHeld) {
        isHeld = true;
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      }
      return next();
    };
    const target = await start(createWeather({ middleware: [held] }), { maxInFlight: 1 });
    const first = open(target);
    await vi.waitUntil(() => isHeld);
    const second = await target.send({ headers: BROWSER });
    expect([second.status, second.headers.get("retry-after")]).toEqual([503, "1"]);
    await second.text();
    release();
    expect((await first).tools).toEqual(["now", "change"]);
    expect((await open(target)).tools).toEqual(["now", "change"]);
  });
});

describe("over a real connection", () => {
  async function serve(options: HttpOptions = {}, server = createWeather()): Promise<string> {
    const { url, close } = await serveHttp(server, { ...options, port: 0 });
    onTestFinished(close);
    return url;
  }

  /** Sends a GET with a `Host` of its own. */
  function get(url: string, headers: Record<string, string>, path = "/mcp"): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      request(url, { path, headers: { ...BROWSER, ...headers } }, (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (text: string) => (body += text));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      })
        .on("error", reject)
        .end();
    });
  }

  test("a host that is not served gets no page, so that no page of the web can read it by DNS rebinding", async () => {
    const { status, body } = await get(await serve(), { host: "evil.example.com" });
    expect(status).toBe(403);
    expect(body).toContain("allowedHosts");
    expect(body).not.toContain("Weather");
  });

  test("the URL on the page is the one by which the person came", async () => {
    const url = await serve({ allowedHosts: ["mcp.example.com"] });
    const shown = async (headers: Record<string, string>): Promise<string | undefined> =>
      readPage((await get(url, { host: "mcp.example.com", ...headers })).body).snippets[0];
    expect(await shown({})).toBe("http://mcp.example.com/mcp");
    expect(await shown({ "x-forwarded-proto": "https" })).toBe("https://mcp.example.com/mcp");
    expect(await shown({ "x-forwarded-proto": "https, http" })).toBe("https://mcp.example.com/mcp");
    expect(await shown({ "x-forwarded-proto": "httpsx" })).toBe("http://mcp.example.com/mcp");
  });

  test("a link to a page puts no command into it", async () => {
    const url = await serve({ allowedHosts: ["*"] }, createWeather());
    const { body } = await get(url, { host: "x;rm -rf ~" });
    expect(body).toContain("give an MCP client the URL of this page");
    expect(body).not.toContain("rm -rf");
  });

  test("a person who leaves cancels the work for the page", async () => {
    let signal: AbortSignal | undefined;
    const stuck: ServerMiddleware = (call) => {
      ({ signal } = call.context);
      return new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason as Error)));
    };
    const url = await serve({}, createWeather({ middleware: [stuck] }));
    const abort = new AbortController();
    const opened = fetch(url, { headers: BROWSER, signal: abort.signal });
    await vi.waitUntil(() => signal !== undefined);
    abort.abort();
    await expect(opened).rejects.toThrow("abort");
    await vi.waitUntil(() => signal?.aborted === true);
  });

  test("the paths of the HTTP+SSE transport have no page", async () => {
    const url = await serve({ legacy: { sse: true } });
    const response = await fetch(new URL("/sse", url), { headers: BROWSER });
    expect(response.headers.get("content-type")).not.toContain("html");
    await response.body?.cancel();
  });

  test("a GET that names a session is one of the protocol, whatever it accepts", async () => {
    const url = await serve();
    const response = await fetch(url, { headers: { ...BROWSER, "mcp-session-id": "unknown" } });
    expect(response.headers.get("content-type")).toBe("application/json");
    await response.text();
  });

  const hasCurl = spawnSync("curl", ["--version"]).status === 0;

  test.skipIf(!hasCurl).each([
    ["all revisions", {}],
    ["earlier revisions only", { revisions: ["2025-11-25", "2025-03-26"] }],
  ] as const)("the command with curl on the page of a server of %s lists the tools", async (_, more) => {
    const server = createWeather({
      ...more,
      tools: { now: tool({ input: jsonSchema({ type: "object" }), run: () => "" }) },
    });
    const { body } = await get(await serve({}, server), {});
    const command = readPage(body).snippets.at(-1)!.replace("curl ", "curl --silent ");
    const { stdout } = await promisify(execFile)("sh", ["-c", command]);
    expect(JSON.parse(stdout)).toMatchObject({ result: { tools: [{ name: "now" }] } });
  });
});

describe("the page is there", () => {
  const read = async (response: Response | Promise<Response>): Promise<readonly unknown[]> => {
    const { status, text } = await Promise.resolve(response).then(async (sent) => ({
      status: sent.status,
      text: await sent.text(),
    }));
    const { title, snippets } = readPage(text);
    return [status, title, snippets[0]];
  };
  const pageAt = (url: string): readonly unknown[] => [200, "Weather of the world", url];

  test("in Express, with the path of the mount", async () => {
    const app = express();
    const handler = toExpress(createWeather());
    app.use("/api/mcp", handler);
    const listener = app.listen(0, "127.0.0.1");
    await new Promise((resolve) => listener.once("listening", resolve));
    onTestFinished(async () => {
      await handler.close();
      listener.close();
    });
    const { port } = listener.address() as { port: number };
    const url = `http://127.0.0.1:${port}/api/mcp`;
    expect(await read(fetch(url, { headers: BROWSER }))).toEqual(pageAt(url));
  });

  test("in Fastify, for GET and HEAD", async () => {
    const app = fastify();
    await app.register(toFastify(createWeather()), { prefix: "/mcp" });
    const url = `${await app.listen({ port: 0, host: "127.0.0.1" })}/mcp`;
    onTestFinished(() => app.close());
    expect(await read(fetch(url, { headers: BROWSER }))).toEqual(pageAt(url));
    expect((await fetch(url, { method: "HEAD", headers: BROWSER })).status).toBe(200);
  });

  test("in Hono and Next.js", async () => {
    const url = "https://localhost/mcp";
    const raw = new Request(url, { headers: BROWSER });
    expect(await read(toHono(createWeather())({ req: { raw, text: () => raw.text() } }))).toEqual(pageAt(url));
    const { GET } = toNextRoutes(createWeather());
    expect(await read(GET(new Request(url, { headers: BROWSER })))).toEqual(pageAt(url));
  });
});

test.each(["yes", 1, null, {}])("refuses the option %j", (landingPage) => {
  expect(() => createHttpHandler(createWeather(), { landingPage: landingPage as never })).toThrow(
    "`landingPage` must be true, false, or a function that returns a Response",
  );
});
