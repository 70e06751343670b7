/** Methods, notifications and settings that extensions add. */
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createServer, ErrorCode, method, RpcError, type ServerExtension, UsageError } from "../../src/index.ts";
import { serveHttp } from "../../src/http.ts";
import { modern } from "../bindings/http/client.ts";
import { LegacyClient, ModernClient } from "../wire-client.ts";

const ID = "com.example/flags";
const DECLARED = { capabilities: { extensions: { [ID]: {} } } };

function flags(heard: unknown[] = []): ServerExtension {
  return {
    id: ID,
    settings: (revision) => (revision === "2024-11-05" ? undefined : { revision }),
    methods: {
      "com.example/flags/get": method({
        params: z.strictObject({ name: z.string() }),
        result: z.object({ isOn: z.boolean() }),
        nameParam: "name",
        isCacheable: true,
        handle: ({ name }) => (name === "broken" ? ({ isOn: "yes" } as never) : { isOn: name === "dark" }),
      }),
      "com.example/flags/open": method({ isGated: false, handle: () => ({ free: true }) }),
      "com.example/flags/old": method({ revisions: ["2025-11-25"], isGated: false, handle: () => ({ old: true }) }),
    },
    notifications: { "com.example/flags/seen": (params, { principal }) => heard.push([params, principal?.id]) },
  };
}

const define = (heard?: unknown[], diagnostics: unknown[] = []) =>
  createServer({
    name: "x",
    version: "1",
    extensions: [flags(heard)],
    onDiagnostic: (event) => void diagnostics.push(event),
  });

describe("settings", () => {
  test("are declared per revision, and left out where the extension is not declared", async () => {
    const server = define();
    const { capabilities } = await new ModernClient(server).request("server/discover");
    expect(capabilities.extensions).toStrictEqual({ [ID]: { revision: "2026-07-28" } });
    const client = new LegacyClient(server, "2024-11-05");
    const opened = await client.request("initialize", {
      protocolVersion: "2024-11-05",
      clientInfo: { name: "a", version: "1" },
      capabilities: {},
    });
    expect(opened.capabilities).not.toHaveProperty("extensions");
  });

  test("capabilities that an extension adds are joined with those of the server", async () => {
    const server = createServer({
      name: "x",
      version: "1",
      resources: {},
      extensions: [{ id: ID, capabilities: () => ({ resources: { subscribe: false }, custom: { a: 1 } }) as never }],
    });
    const { capabilities } = await new ModernClient(server).request("server/discover");
    expect(capabilities).toMatchObject({ resources: { listChanged: true, subscribe: false }, custom: { a: 1 } });
  });
});

describe("a method of an extension", () => {
  test("is answered with checked parameters, and may be cached where it says so", async () => {
    const client = new ModernClient(define(), DECLARED);
    expect(await client.request("com.example/flags/get", { name: "dark" })).toMatchObject({
      isOn: true,
      resultType: "complete",
      ttlMs: 0,
      cacheScope: "private",
    });
  });

  test("is answered in the legacy era without what only modern results carry", async () => {
    const client = await LegacyClient.open(define(), DECLARED);
    expect(await client.request("com.example/flags/get", { name: "dark" })).toStrictEqual({ isOn: true });
  });

  test("is refused by -32021 that names the extension, whatever the parameters, unless the client declares it", async () => {
    const client = new ModernClient(define());
    await expect(client.request("com.example/flags/get", { name: 7 })).rejects.toMatchObject({
      code: ErrorCode.MissingRequiredClientCapability,
      data: { requiredCapabilities: { extensions: { [ID]: {} } } },
    });
  });

  test("is answered to everybody if it is not gated", async () => {
    expect(await new ModernClient(define()).request("com.example/flags/open")).toMatchObject({ free: true });
  });

  test("refuses parameters that do not fit, and says where", async () => {
    const client = new ModernClient(define(), DECLARED);
    await expect(client.request("com.example/flags/get", { name: 7, more: true })).rejects.toMatchObject({
      code: ErrorCode.InvalidParams,
      message: expect.stringMatching(/name[^]*more/),
    });
  });

  test("does not send a result that does not fit, and tells the operator", async () => {
    const diagnostics: { error?: Error }[] = [];
    const client = new ModernClient(define([], diagnostics), DECLARED);
    await expect(client.request("com.example/flags/get", { name: "broken" })).rejects.toMatchObject({
      code: ErrorCode.InternalError,
      message: expect.not.stringContaining("isOn"),
    });
    expect(diagnostics[0]?.error?.message).toContain("isOn");
  });

  test("does not exist in revisions that it does not name", async () => {
    const legacy = await LegacyClient.open(define());
    expect(await legacy.request("com.example/flags/old")).toStrictEqual({ old: true });
    await expect(new ModernClient(define()).request("com.example/flags/old")).rejects.toMatchObject({
      code: ErrorCode.MethodNotFound,
    });
    const oldest = await LegacyClient.open(define(), { revision: "2024-11-05", ...DECLARED });
    await expect(oldest.request("com.example/flags/get", { name: "a" })).rejects.toMatchObject({
      code: ErrorCode.MethodNotFound,
    });
  });

  test.each(["constructor", "__proto__", "toString"])("is never found by the name %s of a prototype", async (name) => {
    await expect(new ModernClient(define(), DECLARED).request(name)).rejects.toMatchObject({
      code: ErrorCode.MethodNotFound,
    });
    const polluted = { capabilities: { extensions: JSON.parse(`{"${name}":{}}`) as {} } };
    await expect(new ModernClient(define(), polluted).request("com.example/flags/get")).rejects.toMatchObject({
      code: ErrorCode.MissingRequiredClientCapability,
    });
  });

  test("is refused over HTTP if the header Mcp-Name does not repeat its parameter", async () => {
    const served = await serveHttp(define(), { port: 0 });
    onTestFinished(() => served.close());
    const capabilities = { "io.modelcontextprotocol/clientCapabilities": DECLARED.capabilities };
    const ask = async (name: string | undefined) => {
      const headers = { "mcp-name": name };
      const init = modern("com.example/flags/get", { name: "dark" }, { headers, meta: capabilities });
      return (await (await fetch(served.url, init)).json()) as { error?: { code: number }; result?: object };
    };
    expect(await ask("dark")).toMatchObject({ result: { isOn: true } });
    for (const name of ["light", undefined]) {
      expect(await ask(name)).toMatchObject({ error: { code: ErrorCode.HeaderMismatch } });
    }
  });
});

describe("a notification of an extension", () => {
  test("reaches it from clients that declare it, and from no others", async () => {
    const heard: unknown[] = [];
    const server = define(heard);
    const stranger = new ModernClient(server);
    stranger.notify("com.example/flags/seen", { by: "stranger", _meta: stranger.meta() });
    await stranger.request("server/discover");
    const friend = new ModernClient(server, { ...DECLARED, principal: { id: "ada" } });
    friend.notify("com.example/flags/seen", { by: "friend", _meta: friend.meta() });
    await friend.request("server/discover");
    const legacy = await LegacyClient.open(server, DECLARED);
    legacy.notify("com.example/flags/seen", { by: "legacy" });
    await legacy.request("ping");
    expect(heard).toMatchObject([
      [{ by: "friend" }, "ada"],
      [{ by: "legacy" }, undefined],
    ]);
  });
});

describe("createServer refuses", () => {
  const wrong: [string, ServerExtension[], RegExp][] = [
    ["a map of settings", { [ID]: {} } as never, /array/],
    ["an extension without an id", [{} as never], /`id`/],
    ["the same extension twice", [{ id: ID }, { id: ID }], /two extensions/],
    [
      "a method of the protocol",
      [{ id: ID, methods: { "tools/call": method({ handle: () => ({}) }) } }],
      /tools\/call/,
    ],
    [
      "a notification of the protocol",
      [{ id: ID, notifications: { "notifications/cancelled": () => {} } }],
      /protocol/,
    ],
    ["a topic of the protocol", [{ id: ID, topics: { toolsListChanged: { accept: () => undefined } } }], /protocol/],
    ["a result type of the protocol", [{ id: ID, resultTypes: ["complete"] }], /"complete"/],
    ["a member of the context that there is", [{ id: ID, context: { elicit: () => 1 } }], /ctx\.elicit/],
    ["a method without `method()`", [{ id: ID, methods: { "com.example/x": (() => ({})) as never } }], /method\(/],
    ["an unknown member", [{ id: ID, method: {} } as never], /`methods`/],
    [
      "a method that two extensions add",
      [
        { id: ID, methods: { "com.example/x": method({ handle: () => ({}) }) } },
        { id: "com.example/b", methods: { "com.example/x": method({ handle: () => ({}) }) } },
      ],
      /com\.example\/flags.*com\.example\/b/,
    ],
  ];
  test.each(wrong)("%s, and says why", (_what, extensions, message) => {
    const make = () => createServer({ name: "x", version: "1", extensions });
    expect(make).toThrow(UsageError);
    expect(make).toThrow(message);
  });

  test("an option of a tool whose extension is missing, and names the extension", () => {
    const tools = { a: { task: true, run: () => "" } as never };
    expect(() => createServer({ name: "x", version: "1", tools })).toThrow(/extensions: \[tasks\(\)\]/);
  });
});

test("an error that a method throws reaches the caller as it is", async () => {
  const handle = (): never => {
    throw new RpcError(-32_602, "There is no such flag.");
  };
  const extension = { id: ID, methods: { "com.example/flags/get": method({ handle }) } };
  const server = createServer({ name: "x", version: "1", extensions: [extension] });
  await expect(new ModernClient(server, DECLARED).request("com.example/flags/get")).rejects.toMatchObject({
    code: -32_602,
    message: "There is no such flag.",
  });
});
