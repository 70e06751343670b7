import { AuthError } from "@toolwire/protocol";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { accessControl, createServer, tool } from "../../../src/index.ts";
import type { RequestHead } from "../../../src/bindings/admission/options.ts";
import type { ServerDiagnostic } from "../../../src/binding.ts";
import { createHttpHandler, type HttpOptions } from "../../../src/http.ts";
import { BOTH, deferred, Events, initialize, LegacyClient, modern, post, readJson } from "./client.ts";
import { createFixture } from "./fixture-server.ts";
import { PLATFORMS } from "./platforms.ts";

const who = (headers: Record<string, string> = {}): RequestInit => modern("tools/call", { name: "who" }, { headers });

describe.each(PLATFORMS)("safe by default on $name", ({ serve, start }) => {
  describe("the Origin header MUST be validated on all incoming connections", () => {
    test.each([
      "https://evil.example.com",
      "http://localhost.evil.com",
      "null",
      "file://",
      "http://evil.com#localhost",
      "http://localhost@evil.com",
    ])("%s gets a 403 with a JSON-RPC error without an id", async (origin) => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const answers = [
        await target.send(modern("server/discover", {}, { headers: { origin } })),
        await target.send(post(initialize(), { accept: BOTH, origin })),
        await client.send({ jsonrpc: "2.0", id: 1, method: "ping" }, { origin }),
        await target.send({ headers: { ...client.headers, accept: "text/event-stream", origin } }),
        await target.send({ method: "DELETE", headers: { ...client.headers, origin } }),
        await target.send({ method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } }),
      ];
      for (const response of answers) {
        expect(response.status).toBe(403);
        expect(response.headers.has("access-control-allow-origin")).toBe(false);
        const error = await readJson(response);
        expect(error).not.toHaveProperty("id");
        expect(error.error?.message).toContain("allowedOrigins");
      }
      expect((await client.call("echo")).status).toBe(200);
    });

    test.each(["http://localhost:6274", "http://127.0.0.1", "https://[::1]:8443"])(
      "pages of this machine are let in: %s",
      async (origin) => {
        const target = await serve();
        const response = await target.send(who({ origin }));
        expect(response.status).toBe(200);
        expect(response.headers.get("access-control-allow-origin")).toBe(origin);
        expect(response.headers.get("vary")).toBe("Origin");
        await response.text();
      },
    );

    test("allowedOrigins names others, and only those", async () => {
      const target = await serve({ allowedOrigins: ["https://app.example.com"] });
      expect((await target.send(who({ origin: "https://app.example.com" }))).status).toBe(200);
      expect((await target.send(who({ origin: "https://app.example.com:444" }))).status).toBe(403);
      expect((await target.send(who({ origin: "http://localhost:3000" }))).status).toBe(403);
      expect((await target.send(who())).status).toBe(200);
    });
  });

  describe("browsers", () => {
    test("a preflight of an allowed page is answered, with the headers that it asks for", async () => {
      const target = await serve({
        allowedOrigins: ["https://app.example.com"],
        authenticate: () => Promise.reject(new Error()),
      });
      const response = await target.send({
        method: "OPTIONS",
        headers: {
          origin: "https://app.example.com",
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type,mcp-param-region",
        },
      });
      expect(response.status).toBe(204);
      expect(response.headers.get("access-control-allow-origin")).toBe("https://app.example.com");
      expect(response.headers.get("access-control-allow-methods")).toBe("GET, POST, DELETE");
      expect(response.headers.get("access-control-allow-headers")).toBe("content-type,mcp-param-region");
    });

    test("a page can read its session id, its errors and its streams", async () => {
      const target = await serve();
      const origin = "http://localhost:5173";
      const opened = await target.send(post(initialize(), { accept: BOTH, origin }));
      expect(opened.headers.get("access-control-expose-headers")).toContain("Mcp-Session-Id");
      await opened.text();
      const refused = await target.send(modern("unknown/method", {}, { headers: { origin } }));
      expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([404, origin]);
      await refused.text();
      const stream = await target.send(
        modern("tools/call", { name: "chat", arguments: { count: 1 } }, { headers: { origin } }),
      );
      expect(stream.headers.get("access-control-allow-origin")).toBe(origin);
      await new Events(stream).rest();
    });

    test("OPTIONS of no page is a method like any other", async () => {
      const target = await serve();
      expect((await target.send({ method: "OPTIONS" })).status).toBe(405);
    });
  });

  describe("authentication", () => {
    const bearer: HttpOptions = {
      authenticate({ header }) {
        const token = header("Authorization")?.replace(/^Bearer /, "");
        if (token === undefined) {
          throw new AuthError("UNAUTHORIZED", "A token is needed.", { challenge: 'Bearer realm="x"' });
        }
        if (token === "plain") throw new AuthError("UNAUTHORIZED", "Not this one.");
        if (token === "low") {
          throw new AuthError("FORBIDDEN", "Not enough.", { challenge: 'Bearer error="insufficient_scope"' });
        }
        if (token === "odd") throw new AuthError("FORBIDDEN", "Not so.", { challenge: "Bearer x\r\nX-Injected: 世!" });
        if (token === "no") throw new AuthError("FORBIDDEN", "Not you.");
        if (token === "boom") throw new Error("secret detail");
        return token === "anonymous" ? { id: "anonymous" } : Promise.resolve({ id: token });
      },
    };

    test.each([
      [{}, 401, 'Bearer realm="x"'],
      [{ authorization: "Bearer plain" }, 401, "Bearer"],
      [{ authorization: "Bearer low" }, 403, 'Bearer error="insufficient_scope"'],
      [{ authorization: "Bearer odd" }, 403, "Bearer x  X-Injected:  !"],
      [{ authorization: "Bearer no" }, 403, null],
    ])("%j gets a %i with the challenge %s", async (headers, status, challenge) => {
      const target = await serve(bearer);
      const response = await target.send(who(headers as Record<string, string>));
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([status, challenge]);
      expect(response.headers.has("x-injected")).toBe(false);
      expect(await readJson(response)).not.toHaveProperty("id");
    });

    test("handlers know the principal", async () => {
      const target = await serve(bearer);
      const content = async (token: string): Promise<unknown> =>
        (await readJson(await target.send(who({ authorization: `Bearer ${token}` })))).result?.["content"];
      expect(await content("ada")).toEqual([{ type: "text", text: "ada" }]);
      expect(await content("anonymous")).toEqual([{ type: "text", text: "anonymous" }]);
    });

    test("a hook that fails gets a 500, its text stays inside, and the operator is told", async () => {
      const diagnostics: ServerDiagnostic[] = [];
      const target = await serve(bearer, createFixture({ onDiagnostic: (event) => void diagnostics.push(event) }));
      const response = await target.send(who({ authorization: "Bearer boom" }));
      expect(response.status).toBe(500);
      expect(await response.text()).not.toContain("secret");
      expect(String(diagnostics[0]?.error)).toContain("secret detail");
    });

    test("a session belongs to the principal that opened it: for others it does not exist", async () => {
      const target = await serve(bearer);
      const client = await LegacyClient.open(target, "2025-11-25", { authorization: "Bearer ada" });
      const as = (token: string): Record<string, string> => ({ ...client.headers, authorization: `Bearer ${token}` });
      const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
      const statuses = [
        (await target.send(post(ping, as("eve")))).status,
        (await target.send(post(ping, as("anonymous")))).status,
        (await target.send({ headers: { ...as("eve"), accept: "text/event-stream" } })).status,
        (await target.send({ method: "DELETE", headers: as("eve") })).status,
        (await target.send(post(ping, as("ada")))).status,
      ];
      expect(statuses).toEqual([404, 404, 404, 404, 200]);
    });
  });

  describe("limits", () => {
    test("a body above the limit gets a 413, and the next request is served", async () => {
      const target = await serve({ maxBodyBytes: 2000 });
      const large = await target.send(modern("tools/call", { name: "echo", arguments: { text: "x".repeat(2000) } }));
      expect(large.status).toBe(413);
      expect((await readJson(large)).error?.message).toContain("2000 bytes");
      expect((await target.send(who())).status).toBe(200);
    });

    test("a body above the limit gets a 413 also if its length is not announced", async () => {
      const target = await serve({ maxBodyBytes: 2000 });
      const bytes = new TextEncoder().encode(`"${"x".repeat(3000)}"`);
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(bytes);
          controller.close();
        },
      });
      const init: RequestInit & { duplex: "half" } = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
        duplex: "half",
      };
      expect((await target.send(init)).status).toBe(413);
    });

    test("a body that is just as large as allowed is served", async () => {
      const init = modern("tools/call", { name: "echo", arguments: { text: "x" } });
      const target = await serve({ maxBodyBytes: init.body.length });
      expect((await target.send(init)).status).toBe(200);
    });

    test("a body that is not UTF-8 gets a 400 with -32700", async () => {
      const target = await serve();
      const body = new Uint8Array([
        ...new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"method":"'),
        0xc3,
        0x28,
        0x22,
        0x7d,
      ]);
      const response = await target.send({ method: "POST", headers: { "content-type": "application/json" }, body });
      expect([response.status, (await readJson(response)).error?.code]).toEqual([400, -32700]);
    });

    test("a byte order mark before the body is passed over, as some tools write one", async () => {
      const target = await serve();
      const init = post(`\uFEFF${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}`);
      expect(await readJson(await target.send(init))).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    });

    test("U+FFFD itself is UTF-8", async () => {
      const target = await serve();
      const init = modern("tools/call", { name: "echo", arguments: { text: "\uFFFD" } });
      expect((await readJson(await target.send(init))).result?.["content"]).toEqual([{ type: "text", text: "\uFFFD" }]);
    });

    test("callers whom the authentication hook does not name get a 401: a look-up that fails lets nobody in", async () => {
      const known = new Map([["Bearer x", { id: "x" }]]);
      for (const authenticate of [
        ({ header }: RequestHead) => known.get(header("Authorization") ?? ""),
        async ({ header }: RequestHead) => known.get(header("Authorization") ?? ""),
        ({ header }: RequestHead) => (header("authorization") === "Bearer x") as never,
        ({ header }: RequestHead) => ({ id: known.get(header("Authorization") ?? "")?.id ?? "" }),
      ]) {
        const target = await serve({ authenticate });
        const refused = await target.send(who());
        expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
      }
      const target = await serve({ authenticate: ({ header }) => known.get(header("Authorization") ?? "") });
      expect((await target.send(who({ authorization: "Bearer x" }))).status).toBe(200);
    });

    test("the authentication hook gets the request itself, with what others have put on it", async () => {
      const target = await serve({ authenticate: ({ raw }) => ({ id: (raw as { method: string }).method }) });
      const answer = await readJson(await target.send(who()));
      expect(JSON.stringify(answer.result)).toContain("POST");
    });

    test.each([
      [{ allowedHosts: "mcp.example.com" as never }],
      [{ allowedHosts: ["https://mcp.example.com"] }],
      [{ allowedHosts: ["*.example.com"] }],
      [{ allowedHosts: ["mcp.example.com/mcp"] }],
      [{ allowedOrigins: "https://app.example.com" as never }],
      [{ allowedOrigins: ["app.example.com"] }],
      [{ allowedOrigins: ["https://app.example.com/page"] }],
    ])("names that would never match are refused at once: %j", async (options) => {
      await expect(async () => serve(options)).rejects.toThrow(
        /must be (?:an array, each member )?an? (?:host|origin) such as/,
      );
    });

    test("the headers of a tool are not told to callers who may not know of it", async () => {
      const secret = tool({
        input: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
        run: () => "ran",
      });
      const middleware = [accessControl((subject) => subject.kind !== "tool" || subject.name !== "secret")];
      const target = await start(
        createServer({ name: "m", version: "1", middleware, tools: { secret, open: secret } }),
      );
      const call = async (name: string): Promise<unknown> => {
        const response = await target.send(modern("tools/call", { name, arguments: { region: "eu" } }));
        const { code, message } = (await readJson(response)).error ?? {};
        return [response.status, code, message?.replace(name, "NAME")];
      };
      expect(await call("secret")).toEqual(await call("nope"));
      expect(await call("open")).toEqual([400, -32020, expect.stringContaining("Mcp-Param-Region")]);
    });

    test("more requests at once than allowed get a 503, until some are answered", async () => {
      const target = await serve({ maxInFlight: 2 });
      const wait = (name: string): Promise<Response> =>
        target.send(modern("tools/call", { name: "wait", arguments: { name } }));
      const answers = [wait("a"), wait("b")];
      await Promise.all([target.began("a"), target.began("b")]);
      const refused = await target.send(who());
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
      expect((await readJson(refused)).id).toBe(1);
      target.release();
      for (const answer of answers) expect((await answer).status).toBe(200);
      expect((await target.send(who())).status).toBe(200);
    });

    test("more callers at once than allowed are not asked who they are, but get a 503 until some are known", async () => {
      const known = deferred();
      const both = deferred();
      let asked = 0;
      const target = await serve({
        maxInFlight: 2,
        async authenticate() {
          asked += 1;
          if (asked === 2) both.resolve();
          await known.promise;
          return { id: "ada" };
        },
      });
      const waiting = [target.send(who()), target.send(who())];
      await both.promise;
      const refused = await target.send(who());
      expect([refused.status, refused.headers.get("retry-after"), asked]).toEqual([503, "1", 2]);
      known.resolve();
      for (const answer of waiting) expect((await answer).status).toBe(200);
      expect((await target.send(who())).status).toBe(200);
    });

    test("a caller of whom nobody knows after 10 seconds who it is gets a 503, and takes no more room", async () => {
      const asked = deferred();
      let isStuck = true;
      const target = await serve({
        maxInFlight: 1,
        authenticate() {
          if (!isStuck) return { id: "ada" };
          asked.resolve();
          return new Promise(() => {});
        },
      });
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      onTestFinished(() => void vi.useRealTimers());
      const answer = target.send(who());
      await asked.promise;
      vi.advanceTimersByTime(10_000);
      const { status, headers } = await answer;
      expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
      isStuck = false;
      expect((await target.send(who())).status).toBe(200);
    });

    test("one caller has one limit on all its connections and sessions, and takes no room from others", async () => {
      const authenticate = ({ header }: RequestHead) => ({ id: header("authorization") ?? "" });
      const target = await serve({ maxInFlightPerClient: 2, authenticate });
      const ada = { authorization: "ada" };
      const wait = (name: string): Promise<Response> =>
        target.send(modern("tools/call", { name: "wait", arguments: { name } }, { headers: ada }));
      const answers = [wait("a"), wait("b")];
      await Promise.all([target.began("a"), target.began("b")]);
      // Each of those that wait has its connection, so this is on a third one.
      const refused = [await target.send(who(ada)), await target.send(post(initialize(), { accept: BOTH, ...ada }))];
      expect(refused.map(({ status }) => status)).toEqual([429, 429]);
      expect((await target.send(who({ authorization: "bob" }))).status).toBe(200);
      target.release();
      for (const answer of answers) expect((await answer).status).toBe(200);
      expect((await target.send(who(ada))).status).toBe(200);
    });

    test("one caller has one limit of subscriptions on all its connections", async () => {
      const authenticate = ({ header }: RequestHead) => ({ id: header("authorization") ?? "" });
      const target = await serve({ authenticate }, createFixture({ maxSubscriptions: 1 }));
      const listen = (authorization: string): Promise<Response> =>
        target.send(modern("subscriptions/listen", { notifications: {} }, { headers: { authorization } }));
      const first = new Events(await listen("ada"));
      expect((await first.message())?.method).toBe("notifications/subscriptions/acknowledged");
      const refusal = (await readJson(await listen("ada"))).error;
      expect(refusal).toMatchObject({ code: -32603, message: expect.stringContaining("limit 1") });
      const other = new Events(await listen("bob"));
      expect((await other.message())?.method).toBe("notifications/subscriptions/acknowledged");
      await first.cancel();
      await other.cancel();
    });
  });

  test.each([
    [{ maxBodyBytes: 0 }, "maxBodyBytes"],
    [{ keepAliveInterval: 1.5 }, "keepAliveInterval"],
    [{ legacy: { sessions: { max: -1 } } }, "legacy.sessions.max"],
    [{ path: "mcp" }, "path"],
    [{ legacy: { sse: { streamPath: "/x?y" } } }, "legacy.sse.streamPath"],
  ])("options that make no sense are refused at once: %j", async (options, name) => {
    await expect(async () => serve(options)).rejects.toThrow(name);
  });
});

describe("bodies that break off, web-standard", () => {
  test.each([
    ["announced too large", { "content-length": "99999999" }],
    ["of honest length", {}],
  ])("a body %s that fails while it is read does no harm", async (_what, headers) => {
    const handler = createHttpHandler(createFixture().server, {
      maxBodyBytes: 1000,
      authenticate: () => Promise.resolve({ id: "somebody" }),
    });
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("{"));
        controller.error(new Error("The client is gone."));
      },
    });
    const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body, duplex: "half" };
    const response = await handler.fetch(new Request("http://localhost/mcp", init as RequestInit));
    expect([400, 413]).toContain(response.status);
    expect((await handler.fetch(new Request("http://localhost/mcp", who()))).status).toBe(200);
  });
});

describe("bodies that somebody else reads, web-standard", () => {
  test.each<[string, (request: Request) => unknown]>([
    ["read", (request) => request.text()],
    ["locked", (request) => request.body?.getReader()],
  ])(
    "a body that is %s is answered with an error, and the author of the server is told what to do",
    async (_, read) => {
      const diagnostics: ServerDiagnostic[] = [];
      const { server } = createFixture({ onDiagnostic: (event) => diagnostics.push(event) });
      const request = new Request("http://localhost/", modern("tools/list"));
      await read(request);
      const response = await createHttpHandler(server).fetch(request);
      expect([response.status, (await readJson(response)).error?.code]).toEqual([500, -32603]);
      expect(diagnostics).toMatchObject([{ error: { message: expect.stringContaining("let this handler read it") } }]);
    },
  );
});

describe("the Host header, web-standard", () => {
  test.each([
    ["http://localhost/mcp", 200],
    ["http://127.0.0.1:8080/mcp", 200],
    ["http://[::1]/mcp", 200],
    ["http://evil.example.com/mcp", 403],
    ["http://localhost.evil.com/mcp", 403],
  ])("%s gets a %i", async (url, status) => {
    const handler = createHttpHandler(createFixture().server);
    const response = await handler.fetch(new Request(url, who()));
    expect(response.status).toBe(status);
    if (status === 403) expect((await readJson(response)).error?.message).toContain("allowedHosts");
    await handler.close();
  });

  test("several Host headers get a 400, although all are allowed", async () => {
    const handler = createHttpHandler(createFixture().server, { allowedHosts: ["*"] });
    onTestFinished(() => handler.close());
    const request = new Request("http://localhost/mcp", who({ host: "localhost, evil.example.com" }));
    const response = await handler.fetch(request);
    expect(response.status).toBe(400);
    expect((await readJson(response)).error?.message).toContain("Host");
  });

  test("allowedHosts names others, and only those", async () => {
    const handler = createHttpHandler(createFixture().server, { allowedHosts: ["mcp.example.com"] });
    expect((await handler.fetch(new Request("https://mcp.example.com/", who()))).status).toBe(200);
    expect(
      (await handler.fetch(new Request("https://mcp.example.com/", who({ origin: "https://mcp.example.com" })))).status,
    ).toBe(200);
    expect((await handler.fetch(new Request("http://localhost/", who()))).status).toBe(403);
    await handler.close();
  });
});

describe("a request that was on its way when the server shut down", () => {
  const LATE = [
    ["modern", modern("tools/call", { name: "echo" })],
    ["legacy", post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo" } }, { accept: BOTH })],
  ] as const;

  test.each(LATE)("is refused if its caller becomes known only then: %s", async (_era, request) => {
    const known = deferred();
    const options = { authenticate: () => known.promise.then(() => ({ id: "ada" })) };
    const handler = createHttpHandler(createFixture().server, options);
    const answer = handler.fetch(new Request("http://localhost/mcp", request));
    await handler.close();
    known.resolve();
    expect((await answer).status).toBe(503);
  });

  test.each(LATE)("is refused if its body is complete only then: %s", async (_era, { body, ...request }) => {
    const handler = createHttpHandler(createFixture().server);
    // Legacy clients have been here before: nothing has to be loaded for this one.
    await handler.fetch(new Request("http://localhost/mcp", post(initialize(), { accept: BOTH })));
    const closed = deferred();
    const slow = new ReadableStream({
      async start(controller) {
        await closed.promise;
        controller.enqueue(new TextEncoder().encode(body));
        controller.close();
      },
    });
    const init = { ...request, body: slow, duplex: "half" };
    const answer = handler.fetch(new Request("http://localhost/mcp", init));
    await handler.close();
    closed.resolve();
    expect((await answer).status).toBe(503);
  });
});
