import {
  connect,
  createResultCache,
  type ClientOptions,
  type ConnectOptions,
  type ListToolsResult,
  type ClientMiddleware,
} from "@toolwire/client";
import { RpcError } from "@toolwire/protocol";
import { createServer, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { ServerCache } from "../../src/cache/server-cache.ts";
import { listen, sendJson } from "../transports/http/listen.ts";
import { legacyServer, modernServer, type Script } from "../scripted-server.ts";

const HINTS = { ttlMs: 60_000, cacheScope: "private" };
const SCRIPT: Script = {
  "tools/list": { tools: [], ...HINTS },
  "prompts/list": { prompts: [], ...HINTS },
  "resources/list": { resources: [], ...HINTS },
  "resources/templates/list": { resourceTemplates: [], ...HINTS },
  "resources/read": (params) => ({ contents: [{ uri: params["uri"], text: "x" }], ...HINTS }),
};

async function connected(script: Script = {}, options: ClientOptions = {}) {
  const server = modernServer({ ...SCRIPT, ...script });
  return { server, client: await connect(server.channel, options) };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a result that its server calls fresh", () => {
  test("is used again for as long as it is", async () => {
    const { server, client } = await connected();
    const first = await client.listTools();
    expect(await client.listTools()).toEqual(first);
    vi.advanceTimersByTime(59_999);
    await client.listTools();
    expect(server.requests("tools/list")).toHaveLength(1);
    vi.advanceTimersByTime(1);
    await client.listTools();
    expect(server.requests("tools/list")).toHaveLength(2);
    await client.close();
  });

  test("belongs to the caller that asked for it: no other caller sees changes to it", async () => {
    const listed = (name: string) => ({ name, inputSchema: { type: "object", properties: { a: {} } } });
    const { client } = await connected({ "tools/list": () => ({ tools: [listed("a"), listed("b")], ...HINTS }) });
    for (let times = 0; times < 3; times++) {
      const { tools } = await client.listTools();
      expect(tools).toEqual([listed("a"), listed("b")]);
      tools[0]!.name = "mine";
      Object.assign(tools[0]!.inputSchema, { additionalProperties: false });
      (tools as object[]).pop();
    }
    await client.close();
  });

  test("is read anew if it is nested so deeply that it cannot be copied", async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`) as object;
    const { server, client } = await connected({
      "resources/read": { contents: [{ uri: "a://1", text: "", _meta: deep }], ...HINTS },
    });
    await client.readResource("a://1");
    await client.readResource("a://1");
    expect(server.requests("resources/read")).toHaveLength(2);
    await client.close();
  });

  test("is kept if it is text in one part and bytes in another, and refused if a part is neither", async () => {
    const parts = [
      { uri: "a://1", text: "x" },
      { uri: "a://2", text: null, blob: "eA==" },
    ];
    const { server, client } = await connected({
      "resources/read": ({ uri }) => ({ contents: uri === "a://1" ? parts : [parts[0], { uri: "a://3" }], ...HINTS }),
    });
    await expect(client.readResource("a://1")).resolves.toMatchObject({ contents: parts });
    await client.readResource("a://1");
    expect(server.requests("resources/read")).toHaveLength(1);
    await expect(client.readResource("a://3")).rejects.toMatchObject({
      code: "INVALID_RESULT",
      message: expect.stringContaining("`contents[1].text` or `blob` must be a string") as string,
    });
    await client.close();
  });

  test("is only used for the same method and parameters", async () => {
    const { server, client } = await connected();
    await client.readResource("a://1");
    await client.readResource("a://2");
    await client.readResource("a://1");
    await client.listTools({ cursor: "" });
    await client.listTools();
    expect(server.requests("resources/read")).toHaveLength(2);
    expect(server.requests("tools/list")).toHaveLength(2);
    await client.close();
  });

  test("is not used when a fresh one is asked for", async () => {
    const { server, client } = await connected();
    await client.listPrompts();
    await client.listPrompts({ fresh: true });
    await client.listPrompts();
    expect(server.requests("prompts/list")).toHaveLength(2);
    await client.close();
  });

  test.each([
    ["0", { ttlMs: 0 }],
    ["negative", { ttlMs: -5 }],
    ["absent", {}],
    ["no number", { ttlMs: "60000" }],
  ])("is not kept if its time is %s", async (_, hints) => {
    const { server, client } = await connected({ "tools/list": { tools: [], ...hints } });
    await client.listTools();
    await client.listTools();
    expect(server.requests("tools/list")).toHaveLength(2);
    await client.close();
  });

  test("is not kept if the server was given answers for it", async () => {
    const { server, client } = await connected({
      "resources/read": (params) =>
        "requestState" in params ? { contents: [], ...HINTS } : { resultType: "input_required", requestState: "x" },
    });
    await client.readResource("a://1");
    await client.readResource("a://1");
    expect(server.requests("resources/read")).toHaveLength(4);
    await client.close();
  });

  test("is not kept then, even if middleware returns a copy of it", async () => {
    const { server, client } = await connected(
      {
        "resources/read": (params) =>
          "requestState" in params ? { contents: [], ...HINTS } : { resultType: "input_required", requestState: "x" },
      },
      { middleware: [async (_, next) => ({ ...(await next()) })] },
    );
    await client.readResource("a://1");
    await client.readResource("a://1");
    expect(server.requests("resources/read")).toHaveLength(4);
    await client.close();
  });

  test("is not kept if it is very large", async () => {
    const { server, client } = await connected({
      "resources/read": { contents: [{ uri: "a://1", text: "x".repeat(1_000_001) }], ...HINTS },
    });
    await client.readResource("a://1");
    await client.readResource("a://1");
    expect(server.requests("resources/read")).toHaveLength(2);
    await client.close();
  });

  test("is kept as the server has given it, and middleware sees it each time", async () => {
    const seen: unknown[] = [];
    const { server, client } = await connected(
      {},
      {
        middleware: [
          async (call, next) => {
            const result = await next();
            seen.push([call.method, result]);
            return { ...result, count: BigInt(seen.length) };
          },
        ],
      },
    );
    await expect(client.listPrompts()).resolves.toEqual({ prompts: [], ...HINTS, count: 1n });
    await expect(client.listPrompts()).resolves.toEqual({ prompts: [], ...HINTS, count: 2n });
    expect(seen).toEqual(Array.from({ length: 2 }, () => ["prompts/list", { prompts: [], ...HINTS }]));
    expect(server.requests("prompts/list")).toHaveLength(1);
    await client.close();
  });

  test("is found by what middleware asks for, and not if it asks for more", async () => {
    const asked: (object | undefined)[] = [
      { uri: "a://2" },
      undefined,
      { uri: "a://1", _meta: { "com.example/a": 1 } },
    ];
    const { server, client } = await connected({}, { middleware: [(_, next) => next(asked.shift())] });
    for (const uri of ["a://2", "a://1", "a://1"]) {
      expect((await client.readResource("a://1")).contents).toEqual([{ uri, text: "x" }]);
    }
    expect((await client.readResource("a://2")).contents).toEqual([{ uri: "a://2", text: "x" }]);
    expect(server.requests("resources/read").map(({ params }) => (params as { uri: string }).uri)).toEqual([
      "a://2",
      "a://1",
      "a://1",
    ]);
    await client.close();
  });

  test("is not kept at all with `cache: false`", async () => {
    const { server, client } = await connected({}, { cache: false });
    await client.listTools();
    await client.listTools();
    expect(server.requests("tools/list")).toHaveLength(2);
    await client.close();
  });
});

describe("a change that the server announces", () => {
  test.each([
    ["notifications/tools/list_changed", undefined, ["tools/list"]],
    ["notifications/prompts/list_changed", undefined, ["prompts/list"]],
    ["notifications/resources/list_changed", undefined, ["resources/list", "resources/templates/list"]],
    ["notifications/resources/updated", { uri: "a://1" }, ["resources/read"]],
  ])("%s drops exactly what is outdated", async (method, params, outdated) => {
    const { server, client } = await connected();
    const fetchAll = async () => {
      await client.listTools();
      await client.listPrompts();
      await client.listResources();
      await client.listResourceTemplates();
      await client.readResource("a://1");
    };
    await fetchAll();
    server.notify(method, params);
    await client.discover();
    await fetchAll();
    for (const name of Object.keys(SCRIPT)) {
      expect([name, server.requests(name).length]).toEqual([name, outdated.includes(name) ? 2 : 1]);
    }
    await client.close();
  });

  test("drops the result for that resource alone", async () => {
    const { server, client } = await connected();
    await client.readResource("a://1");
    await client.readResource("a://12");
    server.notify("notifications/resources/updated", { uri: "a://1" });
    await client.discover();
    await client.readResource("a://12");
    expect(server.requests("resources/read")).toHaveLength(2);
    await client.close();
  });

  test.each([
    ["cannot be made a text", () => '{"toString":1,"valueOf":1}'],
    ["is nested so deeply that no key can be made of it", () => `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
  ])("does no harm if the name of the resource %s", async (_, name) => {
    const heard: string[] = [];
    const { server, client } = await connected(
      {},
      { onNotification: ({ method }) => heard.push(method), onDiagnostic: () => {} },
    );
    server.notify("notifications/resources/updated", { uri: JSON.parse(name()) as unknown });
    // Over the same channel, right behind it: whatever is thrown while it is taken would take this along.
    server.notify("notifications/prompts/list_changed");
    await client.discover();
    expect(heard).toContain("notifications/prompts/list_changed");
    await client.close();
  });

  test("outdates what was asked for before and comes after", async () => {
    const { server, client } = await connected({
      "tools/list": (_, __, self) => {
        self.notify("notifications/tools/list_changed");
        return { tools: [], ...HINTS };
      },
    });
    await client.listTools();
    await client.listTools();
    expect(server.requests("tools/list")).toHaveLength(2);
    await client.close();
  });
});

test("a cursor that is refused makes all pages of its list doubtful", async () => {
  const { server, client } = await connected({
    "tools/list": (params) => {
      if ("cursor" in params) throw new RpcError(-32602, "Invalid cursor");
      return { tools: [], nextCursor: "gone", ...HINTS };
    },
  });
  await client.listTools();
  await expect(client.listTools({ cursor: "gone" })).rejects.toMatchObject({ code: -32602 });
  await client.listTools();
  expect(server.requests("tools/list")).toHaveLength(3);
  await client.close();
});

test("legacy servers give no hints, so nothing is kept", async () => {
  const server = legacyServer({ "tools/list": { tools: [] } });
  const client = await connect(server.channel);
  await client.listTools();
  await client.listTools();
  expect(server.requests("tools/list")).toHaveLength(2);
  await client.close();
});

describe("a shared cache", () => {
  /** Two clients of "the same" server, as far as the cache can tell, need the same URL: a command line does as well. */
  async function two(scope: string, principals: [string | undefined, string | undefined]) {
    const store = createResultCache();
    const results = [];
    for (const principal of principals) {
      const { server, client } = await connected(
        { "tools/list": { tools: [], ttlMs: 60_000, cacheScope: scope } },
        { cache: { store, principal } },
      );
      await client.listTools();
      results.push(server.requests("tools/list").length);
      await client.close();
    }
    return results;
  }

  test("never mixes servers that it cannot tell apart", async () => {
    expect(await two("public", ["ada", "ada"])).toEqual([1, 1]);
  });
});

describe("one client that acts for several principals", () => {
  test("shares public results between them, and keeps private ones apart", async () => {
    let principal = "ada";
    for (const [scope, asked] of [
      ["public", 1],
      ["private", 2],
    ] as const) {
      principal = "ada";
      const { server, client } = await connected(
        { "tools/list": { tools: [], ttlMs: 60_000, cacheScope: scope } },
        { cache: { principal: () => principal } },
      );
      await client.listTools();
      principal = "bob";
      await client.listTools();
      principal = "ada";
      await client.listTools();
      expect([scope, server.requests("tools/list").length]).toEqual([scope, asked]);
      await client.close();
    }
  });

  test("keeps nothing for one principal that was asked for as another", async () => {
    let principal = "ada";
    const { server, client } = await connected(
      {
        "tools/list": () => {
          principal = "bob";
          return { tools: [], ttlMs: 60_000, cacheScope: "private" };
        },
      },
      { cache: { principal: () => principal } },
    );
    await client.listTools();
    await client.listTools();
    expect(server.requests("tools/list")).toHaveLength(2);
    await client.close();
  });

  test("keeps private results from everybody while nobody has a name", async () => {
    let isSignedIn = false;
    const { server, client } = await connected(
      { "tools/list": { tools: [], ttlMs: 60_000, cacheScope: "private" } },
      { cache: { principal: () => (isSignedIn ? "ada" : undefined) } },
    );
    await client.listTools();
    isSignedIn = true;
    await client.listTools();
    expect(server.requests("tools/list")).toHaveLength(2);
    await client.close();
  });
});

describe("a client whose requests may be those of various users", () => {
  const perUser = {
    "header fields": (user: () => string) => ({ http: { headers: () => ({ authorization: user() }) } }),
    "a fetch of its own": (user: () => string) => ({
      http: {
        fetch: (url: URL, init: RequestInit) =>
          fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), authorization: user() } }),
      },
    }),
  };

  /** Reads an inbox as two users in turn, and says what each of them saw. */
  async function readAs(users: readonly string[], scope: string, options: (user: () => string) => ConnectOptions) {
    const { url } = await listen(({ message, headers }, response) => {
      const result =
        message?.method === "server/discover"
          ? { supportedVersions: ["2026-07-28"], capabilities: { resources: {} } }
          : { contents: [{ uri: "mail://inbox", text: headers["authorization"] }], ttlMs: 60_000, cacheScope: scope };
      sendJson(response, { jsonrpc: "2.0", id: message?.id, result: { resultType: "complete", ...result } });
    });
    let user = "nobody";
    const client = await connect(url, { memory: false, ...options(() => user) });
    const seen = [];
    for (user of users) seen.push((await client.readResource("mail://inbox")).contents[0]);
    await client.close();
    return seen.map((content) => content && "text" in content && content.text);
  }

  test.each(Object.entries(perUser))("keeps nothing private, if they differ by %s", async (_, options) => {
    expect(await readAs(["ada", "bob", "ada"], "private", options)).toEqual(["ada", "bob", "ada"]);
  });

  test.each(Object.entries(perUser))("keeps what is public, if they differ by %s", async (_, options) => {
    expect(await readAs(["ada", "bob"], "public", options)).toEqual(["ada", "ada"]);
  });

  test.each(Object.entries(perUser))("keeps what is private for whom it knows, by %s", async (_, options) => {
    let reads = 0;
    const counted = (user: () => string): ConnectOptions => ({
      ...options(() => `${user()} ${++reads}`),
      cache: { principal: user },
    });
    const [ada, bob, again] = await readAs(["ada", "bob", "ada"], "private", counted);
    expect(bob).not.toBe(ada);
    expect(again).toBe(ada);
  });
});

test("a principal that looks like the generated name of a client without one reads none of its private results", () => {
  const store = createResultCache();
  const nameless = new ServerCache("server", { store }, false);
  nameless.keep("tools/list", "", { ttlMs: 60_000, cacheScope: "private" }, nameless.moment);
  const [, owner] = nameless.moment.split(/ (.*)/s);
  const named = new ServerCache("server", { store, principal: owner }, false);
  expect(nameless.find("tools/list", "")).toBeDefined();
  expect(named.find("tools/list", "")).toBeUndefined();
});

test("clients without a principal have names that none has in another process", () => {
  const names = Array.from({ length: 3 }, () => new ServerCache("server", {}, false).moment.split("#")[1]);
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).toMatch(/^\d+(,\d+){3}$/);
});

test("the least recently used result goes first", () => {
  const cache = createResultCache({ maxEntries: 2 });
  cache.set("a", { a: 1 }, 1000);
  cache.set("b", { b: 1 }, 1000);
  expect(cache.get("a")).toEqual({ a: 1 });
  cache.set("c", { c: 1 }, 1000);
  expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([{ a: 1 }, undefined, { c: 1 }]);
  cache.drop("a");
  expect(cache.get("a")).toBeUndefined();
});

test("clients that share a cache do not share their middleware, whichever asks first", async () => {
  const server = createServer({
    name: "shared",
    version: "1",
    cache: { tools: { ttlMs: 60_000, scope: "public" } },
    tools: { read: tool({ run: () => "" }), wipe: tool({ run: () => "" }) },
  });
  const http = await serveHttp(server, { port: 0 });
  onTestFinished(() => http.close());
  const onlySafe: ClientMiddleware = async (call, next) => {
    const result = (await next()) as ListToolsResult;
    return call.method === "tools/list"
      ? { ...result, tools: result.tools.filter(({ name }) => name === "read") }
      : result;
  };
  for (const guardedFirst of [true, false]) {
    const cache = { store: createResultCache() };
    const guarded = await connect(http.url, { cache, middleware: [onlySafe] });
    const open = await connect(http.url, { cache });
    const lists = new Map<unknown, string[]>();
    for (const client of guardedFirst ? [guarded, open] : [open, guarded]) {
      lists.set(
        client,
        (await client.listTools()).tools.map(({ name }) => name),
      );
      await client.close();
    }
    expect(lists.get(guarded)).toEqual(["read"]);
    expect(lists.get(open)).toEqual(["read", "wipe"]);
  }
});
