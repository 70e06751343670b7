import { describe, expect, it } from "vitest";
import { connect, UsageError } from "../../../src/index.ts";
import { listen, sendJson } from "./listen.ts";

const HEADERS = { authorization: "Bearer x" };

describe("headers", () => {
  it.each([
    ["an object", HEADERS],
    ["Headers", new Headers(HEADERS)],
    ["pairs", Object.entries(HEADERS)],
    ["a function that returns Headers", () => new Headers(HEADERS)],
    ["a promise of pairs", async () => Object.entries(HEADERS)],
  ])("headers are sent, whether they are given as %s", async (_form, headers) => {
    const { url, seen } = await listen(({ message }, response) =>
      sendJson(response, {
        jsonrpc: "2.0",
        id: message!.id,
        result: { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} },
      }),
    );
    const client = await connect(url, { http: { headers }, websocket: { headers }, memory: false });
    await client.close();
    expect(seen[0]?.headers).toMatchObject(HEADERS);
  });

  it("headers of the same name are joined", async () => {
    const { url, seen } = await listen((_, response) => response.writeHead(401).end());
    const headers = [
      ["cookie", "a=1"],
      ["X-Key", "1"],
      ["Cookie", "b=2"],
      ["x-key", "2"],
    ] as const;
    await expect(connect(url, { http: { headers }, websocket: { headers }, memory: false })).rejects.toMatchObject({
      code: "UNAUTHORIZED",
    });
    expect(seen[0]?.headers).toMatchObject({ cookie: "a=1; b=2", "x-key": "1, 2" });
  });

  it.each([
    ["undefined", { Authorization: undefined }],
    ["null", { authorization: null }],
    ["a number", [["authorization", 4711]]],
    ["a list", { authorization: ["Bearer 4711"] }],
    ["undefined, of a function", () => ({ authorization: undefined })],
  ])("headers that are no strings are refused by their name alone: %s", async (_, given) => {
    const { url, seen } = await listen((__, response) => response.writeHead(401).end());
    const headers = given as unknown as Record<string, string>;
    for (const target of [url, url.replace("http:", "ws:")]) {
      const attempt = connect(target, { http: { headers }, websocket: { headers }, memory: false });
      await expect(attempt).rejects.toBeInstanceOf(UsageError);
      await expect(attempt).rejects.toThrow(/^The header authorization must be a string\.$/);
    }
    expect(seen).toEqual([]);
  });
});

it("arguments that JSON cannot hold are refused with an error that says so", async () => {
  const { url } = await listen(({ message }, response) =>
    sendJson(response, {
      jsonrpc: "2.0",
      id: message!.id,
      result: { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
    }),
  );
  const client = await connect(url, { memory: false });
  const refusal = client.callTool("any", { n: 1n });
  await expect(refusal).rejects.toBeInstanceOf(UsageError);
  await expect(refusal).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  await client.close();
});

it.each([
  ["rejects with no error", () => Promise.reject<object>("no token" as unknown as Error), "no token"],
  ["rejects with nothing at all", () => Promise.reject<object>(undefined as unknown as Error), "undefined"],
  ["returns a token", () => "Bearer x" as unknown as object, /^`headers` must be an object(?!.*Bearer)/],
  ["returns null", () => null as unknown as object, /^`headers` must be an object/],
  ["returns another function", () => () => HEADERS, /^`headers` must be an object/],
  ["returns lines", () => ["authorization: Bearer x"], /^`headers` must be an object(?!.*Bearer)/],
])("a call fails at once if the function for headers %s", async (_, later: () => object, reason) => {
  const { url } = await listen(({ message }, response) =>
    sendJson(response, {
      jsonrpc: "2.0",
      id: message!.id,
      result: { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
    }),
  );
  let asked = 0;
  const headers = () => (asked++ === 0 ? {} : later()) as Record<string, string>;
  const client = await connect(url, {
    http: { headers },
    websocket: { headers },
    memory: false,
    timeout: Infinity,
    maxTimeout: Infinity,
  });
  await expect(client.callTool("any")).rejects.toThrow(reason);
  await client.close();
});

it("a function for headers that returns a token is the caller's mistake over a WebSocket, too", async () => {
  const headers = () => "Bearer x" as unknown as Record<string, string>;
  const attempt = connect("ws://127.0.0.1:9/mcp", { http: { headers }, websocket: { headers }, memory: false });
  await expect(attempt).rejects.toThrow("`headers` must be an object, or a function that returns one; got a string.");
});
