/** The requirements on clients of the pages under server/ of 2026-07-28. */
import { connect, type ClientOptions } from "@toolwire/client";
import { RpcError } from "@toolwire/protocol";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { error, httpPeer, result } from "../../http-peer.ts";
import { modernServer, type Script } from "../../scripted-server.ts";

async function connected(script: Script, options: ClientOptions = {}) {
  const server = modernServer(script);
  const client = await connect(server.channel, { onDiagnostic: () => {}, ...options });
  onTestFinished(() => client.close());
  return { server, client };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

describe("tools", () => {
  const tool = (name: string, type: string) => ({ name, inputSchema: { type: "object" }, outputSchema: { type } });

  test("the names of tools SHOULD be considered case-sensitive", async () => {
    const { client } = await connected({
      "tools/list": { tools: [tool("get", "string"), tool("GET", "number")] },
      "tools/call": { content: [], structuredContent: 7 },
    });
    await client.listTools();
    await expect(client.callTool("GET")).resolves.toMatchObject({ structuredContent: 7 });
    await expect(client.callTool("get")).rejects.toMatchObject({ code: "INVALID_RESULT" });
  });

  test("the failures of tools SHOULD reach the model: they are results, errors of the protocol are not", async () => {
    const failure = { content: [{ type: "text", text: "The date must be in the future." }], isError: true };
    const { client } = await connected({
      "tools/call": ({ name }) => {
        if (name === "unknown") throw new RpcError(-32602, "Unknown tool");
        return failure;
      },
    });
    await expect(client.callTool("book")).resolves.toEqual(failure);
    await expect(client.callTool("unknown")).rejects.toMatchObject({ code: -32602 });
  });

  test.each([{ a: 1 }, [1, 2], "text", 7, false, null])(
    "structured results SHOULD be validated, whichever JSON value they are: %j",
    async (structuredContent) => {
      const { client } = await connected({
        "tools/list": {
          tools: [
            { name: "right", inputSchema: { type: "object" }, outputSchema: { const: structuredContent } },
            { name: "wrong", inputSchema: { type: "object" }, outputSchema: { const: "something else" } },
          ],
        },
        "tools/call": { content: [], structuredContent },
      });
      await client.listTools();
      await expect(client.callTool("right")).resolves.toMatchObject({ structuredContent });
      await expect(client.callTool("wrong")).rejects.toMatchObject({ code: "INVALID_RESULT" });
    },
  );
});

test("-32002 SHOULD be accepted as the error of a resource that does not exist: a 404 with it casts no doubt on the server", async () => {
  const peer = await httpPeer((call) =>
    call.body?.method === "server/discover"
      ? result(call, { supportedVersions: ["2026-07-28"], capabilities: { resources: {} } })
      : error(call, 404, -32002, { uri: "file:///gone" }),
  );
  onTestFinished(() => peer.close());
  const client = await connect(peer.url, { memory: false });
  onTestFinished(() => client.close());
  await expect(client.readResource("file:///gone")).rejects.toMatchObject({
    code: -32002,
    data: { uri: "file:///gone" },
  });
  expect(peer.methods()).toEqual(["server/discover", "resources/read"]);
});

describe("pagination", () => {
  test("cursors MUST be treated as opaque, and page sizes not be assumed", async () => {
    const cursors = ["", "0", "null", " ünïcode\u2028\n", '{"page":3}'];
    const { server, client } = await connected({
      "prompts/list": ({ cursor }) => {
        const page = cursor === undefined ? 0 : cursors.indexOf(cursor as string) + 1;
        // Pages of 0, 1, 2, 0, 1 and 2 prompts.
        const prompts = Array.from({ length: page % 3 }, (_, index) => ({ name: `${page}-${index}` }));
        return { prompts, ...(page < cursors.length && { nextCursor: cursors[page] }) };
      },
    });
    const names = (await collect(client.allPrompts())).map(({ name }) => name);
    expect(names).toEqual(["1-0", "2-0", "2-1", "4-0", "5-0", "5-1"]);
    const sent = server.requests("prompts/list").map(({ params }) => (params as { cursor?: string }).cursor);
    expect(sent).toEqual([undefined, ...cursors]);
  });

  test("a missing nextCursor SHOULD be the end, of lists in one page and in several", async () => {
    const one = { resources: [{ uri: "a://1", name: "1" }] };
    for (const pages of [1, 3]) {
      let page = 0;
      const { server, client } = await connected({
        "resources/list": () => (++page < pages ? { ...one, nextCursor: `after ${page}` } : one),
      });
      expect(await collect(client.allResources())).toHaveLength(pages);
      expect(server.requests("resources/list")).toHaveLength(pages);
    }
  });
});

describe("completion", () => {
  test.each([{ values: [] }, { values: ["a"] }, { values: ["a"], total: 7 }, { values: ["a"], hasMore: true }])(
    "missing and partial results SHOULD be handled gracefully: %j",
    async (completion) => {
      const { client } = await connected({ "completion/complete": { completion } });
      const reference = { type: "ref/prompt", name: "p" } as const;
      await expect(client.complete(reference, { name: "a", value: "" })).resolves.toEqual({ completion });
    },
  );
});

test("malformed log messages do no harm", async () => {
  const heard: unknown[] = [];
  const { client } = await connected(
    {
      "tools/call": (_, __, { notify, send }) => {
        send({ jsonrpc: "2.0", method: "notifications/message" });
        notify("notifications/message", []);
        notify("notifications/message", { level: "info", data: { any: ["JSON"] } });
        return { content: [] };
      },
    },
    { onLog: ({ data }) => heard.push(data) },
  );
  await expect(client.callTool("t", {}, { logLevel: "info" })).resolves.toEqual({ content: [] });
  expect(heard).toEqual([{ any: ["JSON"] }]);
});

describe("caching", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("ttlMs SHOULD NOT be a polling interval: what is stale is fetched when it is needed, and not before", async () => {
    const { server, client } = await connected({ "tools/list": { tools: [], ttlMs: 1000 } });
    await client.listTools();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(server.requests("tools/list")).toHaveLength(1);
    await client.listTools();
    expect(server.requests("tools/list")).toHaveLength(2);
  });

  test("each page has a time of its own, and an expired one SHOULD be fetched again by its cursor", async () => {
    const { server, client } = await connected({
      "tools/list": ({ cursor }) =>
        cursor === undefined ? { tools: [], nextCursor: "2", ttlMs: 60_000 } : { tools: [], ttlMs: 1000 },
    });
    await collect(client.allTools());
    await vi.advanceTimersByTimeAsync(2000);
    await collect(client.allTools());
    const sent = server.requests("tools/list").map(({ params }) => (params as { cursor?: string }).cursor);
    expect(sent).toEqual([undefined, "2", "2"]);
  });

  test("a caller that needs a consistent list SHOULD fetch it from the beginning: `fresh` does", async () => {
    const { server, client } = await connected({
      "tools/list": ({ cursor }) => ({ tools: [], ttlMs: 60_000, ...(cursor === undefined && { nextCursor: "2" }) }),
    });
    await collect(client.allTools());
    await collect(client.allTools({ fresh: true }));
    const sent = server.requests("tools/list").map(({ params }) => (params as { cursor?: string }).cursor);
    expect(sent).toEqual([undefined, "2", undefined, "2"]);
  });

  test("a cached result MUST NOT be used for a request with other parameters or metadata", async () => {
    const { server, client } = await connected({
      "resources/read": ({ uri, _meta }) => {
        const text = String(_meta?.["com.example/tenant"]);
        return { contents: [{ uri, text }], ttlMs: 60_000, cacheScope: "public" };
      },
    });
    const read = async (tenant?: string) => {
      const options = tenant === undefined ? {} : { _meta: { "com.example/tenant": tenant } };
      const { contents } = await client.readResource("a://b", options);
      return (contents[0] as { text: string }).text;
    };
    expect([await read(), await read("ada"), await read("bob"), await read()]).toEqual([
      "undefined",
      "ada",
      "bob",
      "undefined",
    ]);
    expect(server.requests("resources/read")).toHaveLength(3);
  });

  test("discovery is kept like lists are", async () => {
    const discovery = { supportedVersions: ["2026-07-28"], capabilities: {}, ttlMs: 1000, cacheScope: "public" };
    const { server, client } = await connected({ "server/discover": discovery });
    await client.discover();
    await client.discover();
    await vi.advanceTimersByTimeAsync(1000);
    await client.discover();
    expect(server.requests("server/discover")).toHaveLength(3);
  });
});
