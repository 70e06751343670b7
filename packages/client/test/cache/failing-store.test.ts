import {
  connect,
  createResultCache,
  createServerMemory,
  type ConnectOptions,
  type ClientDiagnostic,
  type ResultCache,
  type ServerMemory,
} from "@toolwire/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen, sendJson } from "../transports/http/listen.ts";
import { modernServer } from "../scripted-server.ts";
import { scriptedProcess } from "../transports/stdio/scripted-process.ts";

/** A cache of an application that fails whenever it is to forget something. */
function failingStore(): ResultCache {
  return {
    ...createResultCache(),
    drop() {
      throw new Error("cache is down");
    },
  };
}

const REPORT = { level: "error", message: expect.stringContaining("cache is down") as string };

test("a cache that fails when a connection was lost is reported, and one connection takes its place", async () => {
  const events: ClientDiagnostic[] = [];
  const { command, args } = scriptedProcess(`({ method, params }) => {
    if (method === "server/discover") return { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
    if (params.name === "exit") process.exit();
    return { content: [{ type: "text", text: String(process.pid) }] };
  }`);
  const target = { command, args: args ?? [], stderr: "ignore" } as const;
  const client = await connect(target, {
    cache: { store: failingStore() },
    reconnect: { delay: 1 },
    onDiagnostic: (event) => events.push(event),
  });
  onTestFinished(() => client.close());
  await expect(client.callTool("exit")).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  const first = await client.callTool("pid");
  expect(events).toMatchObject([{ level: "info", message: expect.stringContaining("Connecting again") }, REPORT]);
  await expect(client.callTool("pid")).resolves.toEqual(first);
});

test("a cache that fails when a session was renewed is reported, and calls go on in the new one", async () => {
  const events: ClientDiagnostic[] = [];
  let sessions = 0;
  const { url } = await listen(({ method, headers, message }, response) => {
    const answer = (result: object, more = {}): void =>
      sendJson(response, { jsonrpc: "2.0", id: message?.id, result }, 200, more);
    if (message?.method === "initialize") {
      const result = { protocolVersion: "2025-11-25", capabilities: { tools: {} } };
      answer(result, { "mcp-session-id": `s${++sessions}` });
    } else if (message?.id === undefined) response.writeHead(method === "GET" ? 405 : 202).end();
    else if (headers["mcp-session-id"] === "s1") response.writeHead(404).end();
    else answer({ content: [] });
  });
  const client = await connect(url, {
    era: "legacy",
    memory: false,
    cache: { store: failingStore() },
    onDiagnostic: (event) => events.push(event),
  });
  onTestFinished(() => client.close());
  await expect(client.callTool("t")).resolves.toEqual({ content: [] });
  await expect(client.callTool("t")).resolves.toEqual({ content: [] });
  expect(sessions).toBe(2);
  expect(events).toMatchObject([REPORT]);
});

/** Types allow an asynchronous function where nothing is to be returned. */
const FAILURES: readonly (readonly [when: string, fail: () => never])[] = [
  ["at once", down],
  ["later", () => Promise.reject(new Error("cache is down")) as never],
];

function down(): never {
  throw new Error("cache is down");
}

async function serveResource() {
  let reads = 0;
  const { url } = await listen(({ message }, response) => {
    const kept = { resultType: "complete", ttlMs: 60_000, cacheScope: "public" };
    const result =
      message?.method === "server/discover"
        ? { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { resources: {} } }
        : { ...kept, contents: [{ uri: "a:b", text: String(++reads) }] };
    sendJson(response, { jsonrpc: "2.0", id: message?.id, result });
  });
  return { url, reads: () => reads };
}

async function read(url: string, options: ConnectOptions) {
  const events: ClientDiagnostic[] = [];
  const client = await connect(url, { ...options, onDiagnostic: (event) => events.push(event) });
  onTestFinished(() => client.close());
  const texts: unknown[] = [];
  for (let i = 0; i < 2; i++) texts.push((await client.readResource("a:b")).contents[0]);
  return { events, texts };
}

test("a store that fails at get() has nothing, so that the server is asked", async () => {
  const { url } = await serveResource();
  const { events, texts } = await read(url, { cache: { store: { ...createResultCache(), get: down } } });
  expect(texts).toMatchObject([{ text: "1" }, { text: "2" }]);
  expect(events).toMatchObject([REPORT]);
});

describe.each(FAILURES)("a store that fails %s", (_, fail) => {
  test("does not take away an answer that has come if set() fails, and is reported once", async () => {
    const { url } = await serveResource();
    const { events, texts } = await read(url, { cache: { store: { ...createResultCache(), set: fail } } });
    expect(texts).toMatchObject([{ text: "1" }, { text: "2" }]);
    expect(events).toMatchObject([REPORT]);
  });

  test.each(["get", "set"] as const)(
    "hinders no connection if %s() of the memory fails, and is reported",
    async (method) => {
      const { url, reads } = await serveResource();
      const { events } = await read(url, { memory: { ...createServerMemory(), [method]: fail }, cache: false });
      expect(reads()).toBe(2);
      expect(events).toMatchObject([REPORT]);
    },
  );

  test("does not hide why there is no connection if delete() of the memory fails", async () => {
    const { url } = await listen((_seen, response) => response.writeHead(418).end());
    const events: ClientDiagnostic[] = [];
    const memory: ServerMemory = { get: () => "legacy", set() {}, delete: fail };
    const connecting = connect(url, { memory, onDiagnostic: (event) => events.push(event) });
    await expect(connecting).rejects.toThrow("418");
    await expect.poll(() => events).toMatchObject([REPORT]);
  });
});

test("a store is called as the object that it is, and found results are its own", async () => {
  class Shelf implements ResultCache {
    readonly #kept = new Map<string, object>();
    get(key: string): object | undefined {
      return this.#kept.get(key);
    }
    set(key: string, result: object): void {
      this.#kept.set(key, result);
    }
    drop(): void {
      this.#kept.clear();
    }
  }
  let lists = 0;
  const server = modernServer({
    "tools/list": () => ({ tools: [{ name: String(++lists), inputSchema: {} }], ttlMs: 60_000 }),
  });
  const client = await connect(server.channel, { cache: { store: new Shelf() } });
  onTestFinished(() => client.close());
  const first = await client.listTools();
  await expect(client.listTools()).resolves.toEqual(first);
  expect(lists).toBe(1);
});
