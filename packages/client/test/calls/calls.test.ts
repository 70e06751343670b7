import { approval, connect } from "@toolwire/client";
import { ProtocolViolation, RpcError, TransportError, UsageError, type Progress } from "@toolwire/protocol";
import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { exchangeServer } from "../exchange-server.ts";
import { error as refuse, httpPeer, result as answer } from "../http-peer.ts";
import { isCall, legacyServer, modernServer, SILENCE, type Script, type ScriptedServer } from "../scripted-server.ts";
import { askEverything, EMPTY_ANSWERS } from "../every-method.ts";

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

const CLIENT_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "@toolwire/client", version: manifest.version },
  "io.modelcontextprotocol/clientCapabilities": {},
};

async function connected(script: Script, options?: Parameters<typeof connect>[1]) {
  const server = modernServer(script);
  return { server, client: await connect(server.channel, { onDiagnostic: () => {}, ...options }) };
}

describe("the request that a call sends", () => {
  test("every modern request carries revision, client and capabilities", async () => {
    const { server, client } = await connected({
      ...EMPTY_ANSWERS,
      "example/extra": {},
    });
    await askEverything(client);
    await client.request("example/extra");
    expect(server.received.length).toBe(11);
    for (const message of server.received) {
      expect((message as { params?: { _meta?: unknown } }).params?._meta).toEqual(CLIENT_META);
    }
    await client.close();
  });

  test("extra meta travels along, but cannot contradict the connection", async () => {
    const { server, client } = await connected({ "tools/call": { content: [] } });
    const meta = { traceparent: "00-1-1-01", "io.modelcontextprotocol/protocolVersion": "1999-01-01" };
    await client.callTool("t", {}, { _meta: meta });
    expect(server.requests("tools/call")[0]?.params).toEqual({
      name: "t",
      arguments: {},
      _meta: { ...CLIENT_META, traceparent: "00-1-1-01" },
    });
    await client.close();
  });

  test("objects of the caller are left as they were", async () => {
    const { client } = await connected({ "example/extra": {} });
    const params = Object.freeze({ a: 1 });
    await client.request("example/extra", params);
    await client.notify("notifications/example", params);
    expect(params).toEqual({ a: 1 });
    await client.close();
  });

  test("a tool without arguments is called without any", async () => {
    const { server, client } = await connected({ "tools/call": { content: [] } });
    await client.callTool("t");
    expect(server.requests("tools/call")[0]?.params).not.toHaveProperty("arguments");
    await client.close();
  });

  test("notifications carry the same meta", async () => {
    const { server, client } = await connected({});
    await client.notify("notifications/example", { a: 1 });
    expect(await server.arrival(isCall("notifications/example"))).toMatchObject({
      params: { a: 1, _meta: CLIENT_META },
    });
    await client.close();
  });

  test("no id is used twice", async () => {
    const { server, client } = await connected({ "tools/call": { content: [] } });
    await Promise.all(Array.from({ length: 50 }, () => client.callTool("t")));
    const ids = server.received.map((message) => ("id" in message ? message.id : undefined));
    expect(new Set(ids).size).toBe(ids.length);
    await client.close();
  });

  test("context of a completion is left out where the revision has none", async () => {
    const script = { "completion/complete": { completion: { values: ["x"] } } };
    for (const revision of ["2025-06-18", "2025-03-26"] as const) {
      const server = legacyServer(script, revision);
      const client = await connect(server.channel);
      const result = await client.complete(
        { type: "ref/resource", uri: "a://{b}" },
        { name: "b", value: "x" },
        { arguments: { c: "d" } },
      );
      expect(result.completion.values).toEqual(["x"]);
      const sent = server.requests("completion/complete")[0]?.params;
      expect(sent).toEqual({
        ref: { type: "ref/resource", uri: "a://{b}" },
        argument: { name: "b", value: "x" },
        ...(revision === "2025-06-18" && { context: { arguments: { c: "d" } } }),
      });
      await client.close();
    }
  });
});

describe("the response to a call", () => {
  test("an absent resultType means complete", async () => {
    const { client } = await connected({ "tools/call": { content: [{ type: "text", text: "old" }] } });
    await expect(client.callTool("t")).resolves.toMatchObject({ content: [{ text: "old" }] });
    await client.close();
  });

  test.each([
    ["long", "x".repeat(5_000_000)],
    ["deeply nested", JSON.parse("[".repeat(100_000) + "]".repeat(100_000)) as unknown],
  ])("a resultType that is %s is not repeated in full", async (_, resultType) => {
    const client = await connect(modernServer({ "tools/call": { resultType } }).channel);
    onTestFinished(() => client.close());
    const error = (await client.callTool("t").catch((reason: unknown) => reason)) as ProtocolViolation;
    expect(error).toMatchObject({ code: "INVALID_RESULT" });
    expect(error.message).toMatch(/`resultType` is .{5,110}, which this client does not know/);
  });

  test("a resultType that nobody knows is invalid, unless the caller understands it", async () => {
    const { client } = await connected({
      "tools/call": { resultType: "task", taskId: "1" },
      "x/y": { resultType: "task" },
    });
    await expect(client.callTool("t")).rejects.toThrow(ProtocolViolation);
    await expect(client.callTool("t")).rejects.toMatchObject({ code: "INVALID_RESULT" });
    await expect(client.request("x/y", {}, { resultTypes: ["task"] })).resolves.toEqual({ resultType: "task" });
    await client.close();
  });

  test.each([
    ["tools/list", {}, "`tools` must be an array"],
    ["tools/list", { tools: [{ name: "ok", inputSchema: {} }, { name: 1 }] }, "`tools[1].name` must be a string"],
    ["tools/list", { tools: [], nextCursor: 1 }, "`nextCursor` must be a string"],
    ["tools/call", { content: "text" }, "`content` must be an array"],
    ["tools/call", { content: [null] }, "`content[0]` must be an object"],
    ["resources/list", { resources: [{ name: "x" }] }, "`resources[0].uri` must be a string"],
    ["resources/templates/list", { resourceTemplates: {} }, "`resourceTemplates` must be an array"],
    ["resources/read", { contents: "x" }, "`contents` must be an array"],
    ["resources/read", { contents: [{ uri: "x" }] }, "`contents[0].text` or `blob` must be a string"],
    ["prompts/list", { prompts: [1] }, "`prompts[0]` must be an object"],
    ["prompts/get", {}, "`messages` must be an array"],
    ["completion/complete", { completion: {} }, "`completion.values` must be an array"],
  ])("%s answered with %j is refused: %s", async (method, result, problem) => {
    const { client } = await connected({ [method]: result });
    await expect(client.request(method, { name: "x", uri: "x" })).rejects.toMatchObject({
      code: "INVALID_RESULT",
      message: expect.stringContaining(problem) as string,
    });
    await client.close();
  });

  test("a structured result without content blocks gets an empty list of them", async () => {
    const { client } = await connected({ "tools/call": { structuredContent: { a: 1 } } });
    await expect(client.callTool("t")).resolves.toEqual({ content: [], structuredContent: { a: 1 } });
    await client.close();
  });

  test.each([
    ["tools/list", "tools"],
    ["resources/list", "resources"],
    ["resources/templates/list", "resourceTemplates"],
    ["prompts/list", "prompts"],
    ["tools/call", "content"],
  ])("%s answered with null for an empty list is understood", async (method, list) => {
    const { client } = await connected({ [method]: { [list]: null, nextCursor: null } });
    const result = await client.request(method, { name: "x" });
    expect(result).toEqual({ [list]: [] });
    expect(result).not.toHaveProperty("nextCursor");
    await client.close();
  });

  test("an error response rejects with its code, message and data", async () => {
    const { client } = await connected({
      "tools/call": () => {
        throw new RpcError(-32602, "Unknown tool: t", { data: { hint: 1 } });
      },
    });
    const error = await client.callTool("t").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ code: -32602, message: "Unknown tool: t", data: { hint: 1 } });
    await client.close();
  });

  test("an error response names the method that was refused, and leaves the server's words as they are", async () => {
    const { client } = await connected({
      "resources/list": { resources: [] },
      "resources/templates/list": () => {
        throw new RpcError(-32601, "Method not found");
      },
    });
    const refused = Promise.all([client.listResources(), client.listResourceTemplates()]);
    await expect(refused).rejects.toMatchObject({
      method: "resources/templates/list",
      code: -32601,
      message: "Method not found",
    });
    await client.close();
  });
});

describe("lists", () => {
  const pages = (tools: readonly string[][]): Script => ({
    "tools/list": (params) => {
      const page = Number((params as { cursor?: string }).cursor ?? 0);
      const next = page + 1 < tools.length ? { nextCursor: page === 0 ? "1" : String(page + 1) } : {};
      return { tools: (tools[page] ?? []).map((name) => ({ name, inputSchema: { type: "object" } })), ...next };
    },
  });

  test("are iterated page by page, as they are asked for", async () => {
    const { server, client } = await connected(pages([["a", "b"], ["c"], ["d"]]));
    const names: string[] = [];
    for await (const tool of client.allTools()) {
      names.push(tool.name);
      if (tool.name === "c") break;
    }
    expect(names).toEqual(["a", "b", "c"]);
    expect(server.requests("tools/list")).toHaveLength(2);
    await client.close();
  });

  test("treat the empty string as a cursor, and null as none", async () => {
    const { server, client } = await connected({
      "prompts/list": (params) =>
        "cursor" in params ? { prompts: [], nextCursor: null } : { prompts: [], nextCursor: "" },
    });
    for await (const prompt of client.allPrompts()) expect(prompt).toBeUndefined();
    expect(server.requests("prompts/list").map(({ params }) => (params as { cursor?: string }).cursor)).toEqual([
      undefined,
      "",
    ]);
    await client.close();
  });

  /** The names of all prompts, one on each page, where `pageAt` tells it and the next cursor. */
  async function readPrompts(pageAt: (cursor: string) => readonly [name: string, next: string]) {
    const { client } = await connected({
      "prompts/list": (params) => {
        const [name, nextCursor] = pageAt((params as { cursor?: string }).cursor ?? "start");
        return { prompts: [{ name }], nextCursor };
      },
    });
    onTestFinished(() => client.close());
    const names: string[] = [];
    for await (const { name } of client.allPrompts()) names.push(name);
    return names;
  }

  test.each(["again", ""])("are read once from a server that knows no cursors, and always sends %j", async (cursor) => {
    expect(await readPrompts(() => ["a", cursor])).toEqual(["a"]);
  });

  test("end at a last page whose cursor leads to itself", async () => {
    expect(await readPrompts((cursor) => [cursor, "last"])).toEqual(["start", "last"]);
  });

  test("end with an error if their cursors form a circle", async () => {
    const circle = readPrompts((cursor) => [cursor, cursor === "b" ? "a" : "b"]);
    await expect(circle).rejects.toMatchObject({ code: "INVALID_RESULT" });
  });

  test("are not continued in a new session, which has other cursors", async () => {
    const servers: ScriptedServer[] = [];
    const script = pages([["a"], ["b"]]);
    const client = await connect(
      () => {
        servers.push(legacyServer(script));
        return servers.at(-1)!.channel;
      },
      { era: "legacy", reconnect: { delay: 0 }, onDiagnostic: () => {} },
    );
    const tools = client.allTools();
    await expect(tools.next()).resolves.toMatchObject({ value: { name: "a" } });
    servers[0]!.break(new Error("gone"));
    await client.ping();
    await expect(tools.next()).rejects.toMatchObject({ code: "SESSION_EXPIRED" });
    expect(servers.flatMap((server) => server.requests("tools/list"))).toHaveLength(1);
    await client.close();
  });

  test("fail with the reason of the abort if it comes in another session than their own", async () => {
    const servers = [legacyServer(pages([["a"], ["b"]])), legacyServer({ "tools/list": SILENCE })] as const;
    let opened = 0;
    const client = await connect(() => servers[opened++]!.channel, {
      era: "legacy",
      reconnect: { delay: 0 },
      onDiagnostic: () => {},
    });
    const stop = new AbortController();
    const tools = client.allTools({ signal: stop.signal });
    await tools.next();
    servers[0].break(new Error("gone"));
    const next = tools.next();
    await servers[1].arrival(isCall("tools/list"));
    stop.abort(new Error("enough"));
    await expect(next).rejects.toThrow("enough");
    await client.close();
  });

  test.each([
    ["gives another page for it", pages([["a"], ["b"]])],
    [
      "does not know it",
      {
        "tools/list": () => {
          throw new RpcError(-32_602, "Invalid cursor");
        },
      },
    ],
  ])("are not continued if their cursor reaches a new session, which %s", async (_, another) => {
    const servers: ScriptedServer[] = [];
    const scripts = [pages([["a"], ["b"]]), another];
    const client = await connect(
      () => {
        servers.push(legacyServer(scripts[servers.length]!));
        return servers.at(-1)!.channel;
      },
      { era: "legacy", reconnect: { delay: 0 }, onDiagnostic: () => {} },
    );
    const tools = client.allTools();
    await tools.next();
    servers[0]!.break(new Error("gone"));
    await expect(tools.next()).rejects.toMatchObject({ code: "SESSION_EXPIRED" });
    await client.close();
  });

  test("go on over another connection to a modern server, whose cursors belong to no session", async () => {
    let current: ScriptedServer | undefined;
    const script = pages([["a"], ["b"]]);
    const client = await connect(() => (current = modernServer(script)).channel, {
      reconnect: { delay: 0 },
      onDiagnostic: () => {},
    });
    const tools = client.allTools();
    await tools.next();
    current!.break(new Error("gone"));
    await expect(tools.next()).resolves.toMatchObject({ value: { name: "b" } });
    await client.close();
  });

  test("are empty for a server without the capability, and nothing is sent", async () => {
    const server = modernServer({ "server/discover": { supportedVersions: ["2026-07-28"], capabilities: {} } });
    const client = await connect(server.channel);
    expect(await client.listTools()).toEqual({ tools: [] });
    expect(await client.listResources()).toEqual({ resources: [] });
    expect(await client.listResourceTemplates()).toEqual({ resourceTemplates: [] });
    expect(await client.listPrompts()).toEqual({ prompts: [] });
    expect(server.received).toHaveLength(1);
    await client.close();
  });
});

describe("capabilities", () => {
  test("capabilities that the server has not declared are not used, but can be forced", async () => {
    const server = modernServer({
      "server/discover": { supportedVersions: ["2026-07-28"], capabilities: {} },
      "tools/call": { content: [] },
    });
    const client = await connect(server.channel);
    const unsupported = { code: "UNSUPPORTED" };
    await expect(client.callTool("t")).rejects.toThrow(UsageError);
    await expect(client.callTool("t")).rejects.toMatchObject(unsupported);
    await expect(client.readResource("a://b")).rejects.toMatchObject(unsupported);
    await expect(client.getPrompt("p")).rejects.toMatchObject(unsupported);
    await expect(client.setLogLevel("info")).rejects.toMatchObject(unsupported);
    await expect(client.complete({ type: "ref/prompt", name: "p" }, { name: "a", value: "" })).rejects.toMatchObject(
      unsupported,
    );
    expect(server.received).toHaveLength(1);
    await expect(client.request("tools/call", { name: "t" })).resolves.toMatchObject({ content: [] });
    await client.close();
  });

  test("ping exists in the legacy era only", async () => {
    const { client } = await connected({});
    await expect(client.ping()).rejects.toMatchObject({ code: "UNSUPPORTED" });
    await client.close();
    const old = await connect(legacyServer().channel);
    await expect(old.ping()).resolves.toBeUndefined();
    await old.close();
  });

  test("discover asks a modern server, and repeats what a legacy one has said", async () => {
    const { server, client } = await connected({});
    await expect(client.discover()).resolves.toMatchObject({ supportedVersions: ["2026-07-28"] });
    expect(server.requests("server/discover")).toHaveLength(2);
    await client.close();
    const old = legacyServer();
    const legacy = await connect(old.channel);
    const before = old.received.length;
    await expect(legacy.discover()).resolves.toMatchObject({
      supportedVersions: ["2025-11-25"],
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "legacy", version: "1.0.0" } },
    });
    expect(old.received).toHaveLength(before);
    await legacy.close();
  });
});

describe("options of a call", () => {
  test("a timeout gives the call up and tells the server", async () => {
    const { server, client } = await connected({ "tools/call": () => SILENCE });
    await expect(client.callTool("t", {}, { timeout: 1 })).rejects.toMatchObject({ code: "TIMEOUT" });
    const { id } = server.requests("tools/call")[0] ?? {};
    expect(await server.arrival(isCall("notifications/cancelled"))).toMatchObject({ params: { requestId: id } });
    await client.close();
  });

  test("a signal cancels the call with its reason", async () => {
    const { server, client } = await connected({ "tools/call": () => SILENCE });
    const stop = new AbortController();
    const call = client.callTool("t", {}, { signal: stop.signal });
    await server.arrival(isCall("tools/call"));
    stop.abort(new Error("changed my mind"));
    await expect(call).rejects.toThrow("changed my mind");
    await server.arrival(isCall("notifications/cancelled"));
    await client.close();
  });

  test("progress is asked for with a token of its own, and heard in order", async () => {
    const { client } = await connected({
      "tools/call": (params, _, server) => {
        const progressToken = params._meta?.["progressToken"];
        for (const progress of [1, 2, 1, 3]) {
          server.notify("notifications/progress", { progressToken, progress, total: 3 });
        }
        return { content: [] };
      },
    });
    const heard: Progress[] = [];
    await client.callTool("t", {}, { onProgress: (progress) => heard.push(progress) });
    expect(heard.map(({ progress }) => progress)).toEqual([1, 2, 3]);
    await client.close();
  });

  test("log messages are asked for and heard by the call, then no more", async () => {
    const { server, client } = await connected({
      "tools/call": (_, __, self) => {
        self.notify("notifications/message", { level: "info", data: "working" });
        return { content: [] };
      },
    });
    const heard: unknown[] = [];
    await client.callTool("t", {}, { onLog: ({ data }) => heard.push(data) });
    expect(server.requests("tools/call")[0]?.params).toMatchObject({
      _meta: { "io.modelcontextprotocol/logLevel": "info" },
    });
    expect(heard).toEqual(["working"]);
    await client.callTool("t");
    expect(heard).toEqual(["working"]);
    expect(server.requests("tools/call")[1]?.params).toMatchObject({ _meta: CLIENT_META });
    await client.close();
  });

  test("log messages of a call are among all notifications, whether or not the transport tells whose they are", async () => {
    const log = {
      jsonrpc: "2.0",
      method: "notifications/message",
      params: { level: "info", data: "working" },
    } as const;
    const targets = [
      modernServer({ "tools/call": (_, __, self) => (self.send(log), { content: [] }) }).channel,
      exchangeServer({
        "server/discover": () => ({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }),
        "tools/call": ({ sink }) => (sink.notification(log), { content: [] }),
      }),
    ];
    for (const target of targets) {
      const [onLog, onNotification] = [vi.fn(), vi.fn()];
      const client = await connect(target, { onNotification });
      await client.callTool("t", {}, { onLog });
      expect(onLog).toHaveBeenCalledExactlyOnceWith(log.params);
      expect(onNotification).toHaveBeenCalledExactlyOnceWith(log);
      await client.close();
    }
  });

  test("log messages of a call that does not listen are heard by the client, and by no other call", async () => {
    const log = (data: string) =>
      ({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data } }) as const;
    const server = exchangeServer({
      "server/discover": () => ({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }),
      "tools/call": ({ request, sink }) => {
        const { name } = request.params as { name: string };
        if (name === "listens") return new Promise(() => {});
        sink.notification(log("of another"));
        return { content: [] };
      },
    });
    const [onLog, ofCall] = [vi.fn(), vi.fn()];
    const client = await connect(server, { onLog });
    const stop = new AbortController();
    const listens = client.callTool("listens", {}, { onLog: ofCall, signal: stop.signal });
    for (const options of [undefined, { timeout: 10_000 }]) await client.callTool("does not", {}, options);
    expect(onLog).toHaveBeenCalledTimes(2);
    expect(ofCall).not.toHaveBeenCalled();
    stop.abort();
    await expect(listens).rejects.toMatchObject({ name: "AbortError" });
    await client.close();
  });

  test("a listener that fails keeps log messages from nobody else", async () => {
    const log = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "hear" } } as const;
    const failing = (): void => {
      throw new Error("cannot cope");
    };
    const [other, onNotification, onDiagnostic] = [vi.fn(), vi.fn(), vi.fn()];
    const { server, client } = await connected(
      { "tools/call": SILENCE },
      { onLog: failing, onNotification, onDiagnostic },
    );
    const stop = new AbortController();
    const calls = [failing, other].map((onLog) => client.callTool("t", {}, { onLog, signal: stop.signal }));
    server.send(log);
    await client.discover();
    expect(other).toHaveBeenCalledExactlyOnceWith(log.params);
    expect(onNotification).toHaveBeenCalledExactlyOnceWith(log);
    expect(onDiagnostic).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ level: "error" }));
    stop.abort();
    await Promise.allSettled(calls);
    await client.close();
  });

  test("one listener of several calls hears everything once, until the last of them is over", async () => {
    const { server, client } = await connected({
      "tools/call": ({ name }) => ((name as string) === "long" ? SILENCE : { content: [] }),
    });
    const heard: unknown[] = [];
    const onLog = ({ data }: { readonly data?: unknown }): void => void heard.push(data);
    const long = client.callTool("long", {}, { onLog });
    const short = client.callTool("short", {}, { onLog });
    server.notify("notifications/message", { level: "info", data: "for both" });
    await short;
    server.notify("notifications/message", { level: "info", data: "for one" });
    await client.discover();
    server.send({ jsonrpc: "2.0", id: server.requests("tools/call")[0]!.id, result: { content: [] } });
    await long;
    server.notify("notifications/message", { level: "info", data: "for none" });
    await client.discover();
    expect(heard).toEqual(["for both", "for one"]);
    await client.close();
  });

  test("the log level of the client goes with every modern request", async () => {
    const logs: unknown[] = [];
    const { server, client } = await connected({ "tools/call": { content: [] } }, { onLog: (log) => logs.push(log) });
    await client.setLogLevel("warning");
    await client.callTool("t");
    expect(server.requests("tools/call")[0]?.params).toMatchObject({
      _meta: { "io.modelcontextprotocol/logLevel": "warning" },
    });
    expect(server.requests("logging/setLevel")).toHaveLength(0);
    server.notify("notifications/message", { level: "error", data: "fire" });
    await client.callTool("t");
    expect(logs).toEqual([{ level: "error", data: "fire" }]);
    await client.close();
  });

  test("the log level that a client begins with goes with every modern request, and with no other", async () => {
    const { server, client } = await connected({ "tools/call": { content: [] } }, { logLevel: "error" });
    await client.callTool("t");
    expect(server.requests("tools/call")[0]?.params).toMatchObject({
      _meta: { "io.modelcontextprotocol/logLevel": "error" },
    });
    expect(server.requests("logging/setLevel")).toHaveLength(0);
    await client.close();
  });

  test("a log level that the server has no use for is kept from it", async () => {
    const server = legacyServer({
      initialize: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "x", version: "1" } },
    });
    const client = await connect(server.channel, { logLevel: "debug" });
    expect(server.requests("logging/setLevel")).toHaveLength(0);
    await client.close();
  });

  test("may be Infinity for no limit", async () => {
    const server = modernServer({ "tools/call": { content: [] } });
    const client = await connect(server.channel, {
      timeout: Infinity,
      maxTimeout: Infinity,
      connectTimeout: Infinity,
      probeTimeout: Infinity,
    });
    await expect(client.callTool("t", {}, { timeout: Infinity })).resolves.toBeDefined();
    await client.close();
  });

  test("the log level of a legacy server is set once", async () => {
    const server = legacyServer({ "logging/setLevel": {}, "tools/call": { content: [] } });
    const client = await connect(server.channel, { logLevel: "debug" });
    await client.callTool("t");
    expect(server.requests("logging/setLevel")[0]?.params).toEqual({ level: "debug" });
    expect(server.requests("tools/call")[0]?.params).not.toHaveProperty("_meta");
    await client.close();
  });
});

describe("closing", () => {
  test("rejects what is pending with one clear error, at once and for good", async () => {
    const { client } = await connected({ "tools/call": () => SILENCE });
    const calls = [client.callTool("a"), client.callTool("b")];
    const closing = client.close();
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({
        code: "CLOSED",
        message: expect.stringContaining("client is closed") as string,
      });
    }
    await closing;
    await expect(client.callTool("c")).rejects.toBeInstanceOf(TransportError);
    await expect(client.callTool("c")).rejects.toMatchObject({ code: "CLOSED" });
    await expect(client.closed).resolves.toBeUndefined();
    expect(client.close()).toBe(closing);
    expect(client.revision).toBe("2026-07-28");
  });

  test("happens by itself at the end of an `await using` block", async () => {
    const { client } = await connected({});
    {
      await using scoped = client;
      expect(scoped.era).toBe("modern");
    }
    await expect(client.callTool("t")).rejects.toMatchObject({ code: "CLOSED" });
  });
});

test("a list of tools that a call needs begins anew with the session that it was begun in", async () => {
  let session = 0;
  const peer = await httpPeer((call) => {
    const { method, body, headers } = call;
    if (method !== "POST") return { status: 405 };
    if (body?.method === "initialize") {
      const serverInfo = { name: "old", version: "1" };
      const begun = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo };
      return answer(call, begun, { "mcp-session-id": String(++session) });
    }
    if (body?.id === undefined) return { status: 202 };
    if (body.method !== "tools/list") return answer(call, { content: [] });
    const cursor = (body.params as { cursor?: string } | undefined)?.cursor;
    const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
    if (cursor === undefined) return answer(call, { tools: [tool("a")], nextCursor: String(session) });
    if (session === 1) return { status: 404 };
    return cursor === headers["mcp-session-id"] ? answer(call, { tools: [tool("b")] }) : refuse(call, 200, -32602);
  });
  onTestFinished(() => peer.close());
  const asked: (string | undefined)[] = [];
  const client = await connect(peer.url, {
    era: "legacy",
    memory: false,
    middleware: [approval(({ tool }) => asked.push(tool?.name) > 0)],
  });
  await expect(client.callTool("b")).resolves.toMatchObject({ content: [] });
  expect(asked).toEqual(["b"]);
  await client.close();
});
