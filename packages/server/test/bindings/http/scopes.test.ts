import { AuthError } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { createServer, resource, tool, type ServerDiagnostic } from "../../../src/index.ts";
import { as, fakeAuth } from "../../fake-auth.ts";
import { BOTH, Events, initialize, LegacyClient, modern, post, readJson, type Seen } from "./client.ts";
import { PLATFORMS } from "./platforms.ts";

function define() {
  const diagnostics: ServerDiagnostic[] = [];
  const server = createServer({
    name: "scoped",
    version: "1.0.0",
    onDiagnostic: (event) => diagnostics.push(event),
    tools: {
      open: tool({ run: () => "open" }),
      write: tool({ scopes: ["files:read", "files:write"], run: () => "written" }),
      late: tool({
        async run(_, ctx) {
          await Promise.resolve();
          ctx.requireScopes("files:delete");
          return "deleted";
        },
      }),
      steps: tool({
        scopes: ["files:read"],
        run(_, ctx) {
          ctx.requireScopes("files:list");
          ctx.requireScopes("files:delete");
          return "deleted";
        },
      }),
      reports: tool({
        async run(_, ctx) {
          await ctx.notify({ method: "notifications/message", params: { level: "info", data: "on the way" } });
          ctx.requireScopes("files:delete");
          return "deleted";
        },
      }),
    },
  });
  return { server, diagnostics };
}

const auth = () =>
  fakeAuth({
    ada: { scopes: ["files:read"] },
    eve: {},
    kim: { scopes: ["files:read", "files:list"] },
    bob: { scopes: ["files:read", "files:write", "files:delete"] },
  });
const CHALLENGE = 'Bearer error="insufficient_scope", scope="files:read files:write", fake="1"';
const DATA = { error: "insufficient_scope", scopes: ["files:read", "files:write"] };
const call = (name: string, id: string | number = 2): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name },
});

describe.each(PLATFORMS)("callers without scopes on $name", ({ start }) => {
  test("a modern call gets a 403 with the challenge, and the JSON-RPC error with its id", async () => {
    const target = await start(define().server, { auth: auth() });
    for (const [responseMode, id] of [
      ["auto", 7],
      ["sse", "seven"],
    ] as const) {
      const other = await start(define().server, { auth: auth(), responseMode });
      const response = await other.send(modern("tools/call", { name: "write" }, { id, headers: as("ada") }));
      expect(response.status).toBe(403);
      expect(response.headers.get("www-authenticate")).toBe(CHALLENGE);
      expect(response.headers.get("x-admitted")).toBe("ada");
      expect(await readJson(response)).toMatchObject({ id, error: { code: 403, data: DATA } });
    }
    const allowed = await target.send(modern("tools/call", { name: "write" }, { headers: as("bob") }));
    expect(allowed.status).toBe(200);
    await allowed.text();
  });

  test("a handler that asks later, before anything was sent, gets a 403, too", async () => {
    const target = await start(define().server, { auth: auth() });
    const response = await target.send(modern("tools/call", { name: "late" }, { headers: as("ada") }));
    expect(response.status).toBe(403);
    expect(response.headers.get("www-authenticate")).toContain('scope="files:delete"');
    expect((await readJson(response)).id).toBe(1);
  });

  test("a handler that asks in steps names all that it has asked for: a client may take the challenge for the whole", async () => {
    const target = await start(define().server, { auth: auth() });
    const response = await target.send(modern("tools/call", { name: "steps" }, { headers: as("kim") }));
    expect(response.status).toBe(403);
    expect(response.headers.get("www-authenticate")).toContain('scope="files:read files:list files:delete"');
    await response.text();
  });

  test("once the response has begun, the refusal is an error on the stream", async () => {
    const target = await start(define().server, { auth: auth() });
    const modernStream = new Events(
      await target.send(modern("tools/call", { name: "reports" }, { headers: as("ada") })),
    );
    const client = await LegacyClient.open(target, "2025-11-25", as("ada"));
    const legacyStream = new Events(await client.send(call("reports", 1), as("ada")));
    for (const events of [modernStream, legacyStream]) {
      const [first, last, ...more] = await events.rest();
      expect(first?.method).toBe("notifications/message");
      expect(last).toMatchObject({
        id: 1,
        error: { code: 403, data: { error: "insufficient_scope", scopes: ["files:delete"] } },
      });
      expect(more).toEqual([]);
    }
  });

  test.each(["2025-03-26", "2025-11-25"])(
    "a call in a session of %s gets a 403, and the session goes on",
    async (revision) => {
      const target = await start(define().server, { auth: auth() });
      const client = await LegacyClient.open(target, revision, as("ada"));
      const response = await client.send(call("write"), as("ada"));
      expect(response.status).toBe(403);
      expect(response.headers.get("www-authenticate")).toBe(CHALLENGE);
      expect(await readJson(response)).toMatchObject({ id: 2, error: { code: 403, data: DATA } });
      const again = await client.send(call("open"), as("ada"));
      expect(again.status).toBe(200);
      await again.text();
    },
  );

  test("a plain request without a session gets a 403", async () => {
    const target = await start(define().server, { auth: auth(), legacy: { sessions: false } });
    const response = await target.send(post(call("write"), { accept: BOTH, ...as("ada") }));
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([403, CHALLENGE]);
    await response.text();
  });

  test("within a batch it is an error of its own: other members may have run", async () => {
    const target = await start(define().server, { auth: auth() });
    const client = await LegacyClient.open(target, "2025-03-26", as("ada"));
    const response = await client.send([call("open", 1), call("write", 2)], as("ada"));
    expect(response.status).toBe(200);
    const answers = (await readJson(response)) as unknown as Seen[];
    expect(answers.find(({ id }) => id === 1)).toHaveProperty("result");
    expect(answers.find(({ id }) => id === 2)).toMatchObject({ error: { code: 403, data: DATA } });
  });

  test("over the HTTP+SSE pair it is an error on the stream", async () => {
    const target = await start(define().server, { auth: auth(), legacy: { sse: true } });
    const events = new Events(
      await target.send({ path: "/sse", headers: { accept: "text/event-stream", ...as("ada") } }),
    );
    const path = (await events.next())?.data ?? "";
    await target.send({ path, ...post(initialize("2024-11-05"), as("ada")) });
    await events.message();
    await target.send({ path, ...post(call("write"), as("ada")) });
    expect(await events.message()).toMatchObject({ id: 2, error: { code: 403, data: DATA } });
    await events.cancel();
  });

  test("a family lists its members only for callers who may read them, and its template for all", async () => {
    const asked: string[] = [];
    const files = (scopes: string[], scheme: string) =>
      resource({
        template: `${scheme}://{name}`,
        scopes,
        list(ctx) {
          asked.push(`${ctx.principal?.id} ${scheme}`);
          return [{ uri: `${scheme}://plan-of-layoffs` }];
        },
        read: () => "",
      });
    const server = createServer({
      name: "files",
      version: "1.0.0",
      cache: { resources: { ttlMs: 1000, scope: "public" } },
      resources: { secret: files(["files:delete"], "secret"), plain: files(["files:read"], "plain") },
    });
    const target = await start(server, { auth: auth() });
    const list = async (method: string, name: string): Promise<unknown> =>
      (await readJson(await target.send(modern(method, {}, { headers: as(name) })))).result;
    expect(await list("resources/list", "ada")).toMatchObject({ resources: [{ uri: "plain://plan-of-layoffs" }] });
    expect(await list("resources/list", "eve")).toMatchObject({ resources: [] });
    expect(asked).toEqual(["ada plain"]);
    // A cache that callers share would show them each other's members.
    expect(await list("resources/list", "bob")).toMatchObject({
      cacheScope: "private",
      resources: [{ uri: "secret://plan-of-layoffs" }, { uri: "plain://plan-of-layoffs" }],
    });
    expect(await list("resources/templates/list", "eve")).toMatchObject({
      resourceTemplates: [{ uriTemplate: "secret://{name}" }, { uriTemplate: "plain://{name}" }],
    });
  });

  test("contents that need scopes are private for caches, whatever `cache` says: a shared one would ask nobody for them", async () => {
    const server = createServer({
      name: "files",
      version: "1.0.0",
      cache: { read: { ttlMs: 1000, scope: "public" } },
      resources: {
        plan: resource({ uri: "files://plan", scopes: ["files:read"], read: () => "secret" }),
        draft: resource({
          uri: "files://draft",
          read(ctx) {
            ctx.requireScopes("files:read");
            return "secret";
          },
        }),
        help: resource({ uri: "files://help", read: () => "open" }),
      },
    });
    const target = await start(server, { auth: auth() });
    const read = async (uri: string): Promise<unknown> =>
      (await readJson(await target.send(modern("resources/read", { uri }, { headers: as("ada") })))).result;
    expect(await read("files://plan")).toMatchObject({ ttlMs: 1000, cacheScope: "private" });
    expect(await read("files://draft")).toMatchObject({ ttlMs: 1000, cacheScope: "private" });
    expect(await read("files://help")).toMatchObject({ ttlMs: 1000, cacheScope: "public" });
  });

  test("with `authenticate`, the challenge names the scopes; a principal without scopes has none", async () => {
    const target = await start(define().server, { authenticate: () => ({ id: "ada" }) });
    const response = await target.send(modern("tools/call", { name: "write" }));
    expect(response.status).toBe(403);
    expect(response.headers.get("www-authenticate")).toBe(
      'Bearer error="insufficient_scope", scope="files:read files:write"',
    );
    await response.text();
  });

  test("where nobody is authenticated, the call is refused without a challenge, and the operator is told", async () => {
    const { server, diagnostics } = define();
    const target = await start(server);
    const response = await target.send(modern("tools/call", { name: "write" }));
    expect(response.status).toBe(403);
    expect(response.headers.has("www-authenticate")).toBe(false);
    expect((await readJson(response)).error?.message).toMatch(/nobody is authenticated here.*`auth`/);
    expect(diagnostics.map(({ level }) => level)).toEqual(["warning"]);
  });

  test("challenge: one that fails leaves a 403 without it, and ends nothing", async () => {
    const { server, diagnostics } = define();
    const broken = {
      ...auth(),
      challenge: () => {
        throw new Error("no words");
      },
    };
    const target = await start(server, { auth: broken });
    const response = await target.send(modern("tools/call", { name: "late" }, { headers: as("ada") }));
    expect([response.status, response.headers.has("www-authenticate")]).toEqual([403, false]);
    await response.text();
    expect(diagnostics).toMatchObject([{ level: "error", message: expect.stringContaining("challenge") as string }]);
  });

  test("challenge: quotes and line breaks in an AuthError of `authenticate` add no header", async () => {
    const challenge = 'Bearer error="x\r\nSet-Cookie: a=b"';
    const target = await start(define().server, {
      authenticate: () => {
        throw new AuthError("FORBIDDEN", "No.", { challenge });
      },
    });
    const response = await target.send(modern("tools/call", { name: "open" }));
    expect(response.headers.has("set-cookie")).toBe(false);
    expect(response.headers.get("www-authenticate")).toBe('Bearer error="x  Set-Cookie: a=b"');
    await response.text();
  });
});
