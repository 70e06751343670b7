import { connect, createResultCache, createServerMemory, type ConnectOptions } from "@toolwire/client";
import { afterEach, describe, expect, test } from "vitest";
import { error, httpPeer, result, type HttpAnswer, type HttpCall, type HttpPeer } from "../http-peer.ts";

const DISCOVERY = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
const INITIALIZED = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "x", version: "1" },
};

const peers: HttpPeer[] = [];
afterEach(async () => {
  await Promise.all(peers.splice(0).map((made) => made.close()));
});

async function peer(answer: (call: HttpCall) => HttpAnswer | Promise<HttpAnswer>): Promise<HttpPeer> {
  const made = await httpPeer(answer);
  peers.push(made);
  return made;
}

/** A legacy server with sessions: `opening` answers what is not in a session and is no handshake. */
function legacy(opening: (call: HttpCall) => HttpAnswer) {
  return (call: HttpCall): HttpAnswer => {
    if (call.method !== "POST") return { status: 405 };
    if (call.body?.method === "initialize") return result(call, INITIALIZED, { "mcp-session-id": "s1" });
    if (call.headers["mcp-session-id"] !== "s1") return opening(call);
    if (call.body?.id === undefined) return { status: 202 };
    return result(call, { tools: [], content: [] });
  };
}

/** Both ways of sending over HTTP: Node's own and `fetch`. */
const ways: [string, ConnectOptions][] = [
  ["undici", {}],
  ["fetch", { http: { fetch: globalThis.fetch } }],
];

describe.each(ways)("by URL, over %s", (_, way) => {
  const options = (): ConnectOptions => ({ memory: createServerMemory(), onDiagnostic: () => {}, ...way });

  test("a modern server is found with one request, which carries the headers", async () => {
    const server = await peer((call) =>
      result(call, call.body?.method === "server/discover" ? DISCOVERY : { content: [] }),
    );
    const client = await connect(server.url, options());
    await client.callTool("t", {});
    expect(server.methods()).toEqual(["server/discover", "tools/call"]);
    expect(server.calls[1]?.headers).toMatchObject({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "t",
    });
    await client.close();
  });

  test("a refusal with 400 that lists revisions is taken at its word", async () => {
    let posts = 0;
    const server = await peer((call) =>
      ++posts === 1
        ? error(call, 400, -32022, { supported: ["2026-07-28"], requested: "2026-07-28" })
        : result(call, DISCOVERY),
    );
    const client = await connect(new URL(server.url), options());
    expect(client.era).toBe("modern");
    expect(posts).toBe(2);
    await client.close();
  });

  test.each<[string, (call: HttpCall) => HttpAnswer]>([
    ["400 with a JSON-RPC error and no id", (call) => error(call, 400, -32000, undefined, null)],
    ["400 without a body", () => ({ status: 400 })],
    ["404 with a page", () => ({ status: 404, text: "<html>Not found</html>" })],
    ["404 with -32601", (call) => error(call, 404, -32601)],
    ["200 with -32601", (call) => error(call, 200, -32601)],
    ["500", () => ({ status: 500, text: "oops" })],
  ])("a legacy server may answer the probe with %s", async (_name, opening) => {
    const server = await peer(legacy(opening));
    const client = await connect(server.url, options());
    expect(client.revision).toBe("2025-11-25");
    await client.listTools();
    expect(server.methods()).toEqual(["server/discover", "initialize", "notifications/initialized", "tools/list"]);
    await client.close();
  });

  test("refused credentials are no sign of age", async () => {
    const server = await peer(() => ({ status: 401 }));
    await expect(connect(server.url, options())).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect(server.methods()).toEqual(["server/discover"]);
  });

  test("a server that cannot be reached is not taken for a legacy one", async () => {
    const server = await peer(() => ({}));
    await server.close();
    await expect(connect(server.url, options())).rejects.toMatchObject({
      code: "CONNECT_FAILED",
    });
  });

  test("a legacy server is probed once, and remembered", async () => {
    const server = await peer(legacy(() => ({ status: 400 })));
    const { memory, ...rest } = options();
    for (let time = 0; time < 2; time++) {
      const client = await connect(`${server.url}?time=${time}`, { memory, ...rest });
      await client.close();
    }
    expect(server.methods().filter((method) => method === "server/discover")).toHaveLength(1);
    expect((memory as ReturnType<typeof createServerMemory>).get(server.url)).toBe("legacy");
  });

  test("a legacy server that was replaced by a modern one is found out", async () => {
    const server = await peer((call) =>
      call.body?.method === "server/discover" ? result(call, DISCOVERY) : error(call, 404, -32601),
    );
    const memory = createServerMemory();
    memory.set(server.url, "legacy");
    const client = await connect(server.url, { ...options(), memory });
    expect(client.era).toBe("modern");
    expect(memory.get(server.url)).toBe("modern");
    await client.close();
  });

  test("a server that only takes GET is spoken to over the HTTP+SSE pair, and remembered", async () => {
    let write: ((text: string) => void) | undefined;
    const answers: Record<string, object> = {
      initialize: { ...INITIALIZED, protocolVersion: "2024-11-05" },
      "tools/list": { tools: [] },
    };
    const server = await peer((call) => {
      if (call.method === "GET") {
        return {
          stream: (pen) => {
            write = pen;
            pen("event: endpoint\ndata: /messages?session=1\n\n");
          },
        };
      }
      if (!call.path.startsWith("/messages")) return { status: 405 };
      const answer = answers[call.body?.method ?? ""];
      const message = { jsonrpc: "2.0", id: call.body?.id, result: answer };
      if (answer !== undefined) write?.(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
      return { status: 202 };
    });
    const memory = createServerMemory();
    for (const posts of [2, 0]) {
      const before = server.calls.length;
      const client = await connect(server.url, { ...options(), memory });
      expect(client.revision).toBe("2024-11-05");
      await expect(client.listTools()).resolves.toEqual({ tools: [] });
      expect(
        server.calls.slice(before).filter(({ method, path }) => method === "POST" && path === "/mcp"),
      ).toHaveLength(posts);
      await client.close();
    }
    expect(memory.get(server.url)).toBe("sse-pair");
  });

  test("a server that takes neither is reported by its refusal of the handshake", async () => {
    const server = await peer(() => ({ status: 404, text: "nothing here" }));
    await expect(connect(server.url, options())).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE", status: 404 });
    expect(server.calls.map(({ method }) => method)).toEqual(["POST", "POST", "GET"]);
  });

  test("a session that the server has forgotten is opened anew, and the call sent again", async () => {
    let session = 0;
    const server = await peer((call) => {
      if (call.method === "GET") return { status: 405 };
      if (call.body?.method === "server/discover") return { status: 400 };
      if (call.body?.method === "initialize") return result(call, INITIALIZED, { "mcp-session-id": `s${++session}` });
      if (call.headers["mcp-session-id"] !== `s${session}`) return { status: 404 };
      if (call.body?.id === undefined) return { status: 202 };
      return result(call, { content: [] });
    });
    const client = await connect(server.url, options());
    await client.callTool("t");
    session = 7;
    await expect(client.callTool("t")).resolves.toEqual({ content: [] });
    expect(session).toBe(8);
    await client.close();
  });

  test("a shared cache serves public results to all clients of a server, and private ones to their principal", async () => {
    let scope = "public";
    const server = await peer((call) =>
      result(
        call,
        call.body?.method === "server/discover" ? DISCOVERY : { tools: [], ttlMs: 60_000, cacheScope: scope },
      ),
    );
    const asked = async (principals: (string | undefined)[]): Promise<number> => {
      const store = createResultCache();
      const before = server.calls.length;
      for (const principal of principals) {
        const client = await connect(server.url, { ...options(), cache: { store, principal } });
        await client.listTools();
        await client.close();
      }
      return server.calls.slice(before).filter(({ body }) => body?.method === "tools/list").length;
    };
    expect(await asked(["ada", "bob", undefined])).toBe(1);
    scope = "private";
    expect(await asked(["ada", "bob", "ada"])).toBe(2);
    expect(await asked([undefined, undefined])).toBe(2);
  });

  test("tools that another client has fetched count as listed, too", async () => {
    const tool = { name: "t", inputSchema: { type: "object" }, outputSchema: { type: "object", required: ["a"] } };
    const listed = { tools: [tool], ttlMs: 60_000, cacheScope: "public" };
    const answers: Record<string, object> = {
      "server/discover": DISCOVERY,
      "tools/list": listed,
      "tools/call": { content: [], structuredContent: {} },
    };
    const server = await peer((call) => result(call, answers[call.body?.method ?? ""] ?? {}));
    const store = createResultCache();
    for (let time = 0; time < 2; time++) {
      const client = await connect(server.url, { ...options(), cache: { store } });
      await client.listTools();
      await expect(client.callTool("t")).rejects.toMatchObject({ code: "INVALID_RESULT" });
      await client.close();
    }
    // Once for the list, and once for each result that did not fit.
    expect(server.methods().filter((method) => method === "tools/list")).toHaveLength(3);
  });

  test("headers are sent with every request, and may be asked for anew each time", async () => {
    let asked = 0;
    const server = await peer((call) =>
      result(call, call.body?.method === "server/discover" ? DISCOVERY : { content: [] }),
    );
    const client = await connect(server.url, {
      ...options(),
      http: { ...way.http, headers: () => ({ authorization: `Bearer ${++asked}` }) },
    });
    await client.callTool("t");
    expect(server.calls.map(({ headers }) => headers.authorization)).toEqual(["Bearer 1", "Bearer 2"]);
    await client.close();
  });
});
