import { inspect } from "node:util";
import { connect, type ConnectTarget } from "@toolwire/client";
import { UsageError } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { createHttpTransport, createSsePairChannel } from "../../src/http.ts";
import { createWebSocketChannel } from "../../src/transports/websocket/index.ts";
import { commandEndpoint as refuseCommand } from "../../src/target/no-command.ts";
import { toEndpoint } from "../../src/target/endpoint.ts";
import { createUndiciTransport } from "../transports/http/backends.ts";

describe("an invalid target", () => {
  test.each([
    ["not a url"],
    ["ftp://example.com"],
    ["mailto:a@b.c"],
    [{} as ConnectTarget],
    [Object.create(null) as ConnectTarget],
  ])("%j says what to give", async (target) => {
    const error = await connect(target).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect((error as Error).message).toContain("A target is a URL");
  });
});

/** A stand-in for a transport of the official SDK, by what it has. */
class StreamableHTTPClientTransport {
  start = async (): Promise<void> => {};
  send = async (): Promise<void> => {};
  close = async (): Promise<void> => {};
}

describe("a target that was meant otherwise", () => {
  const FORMS =
    "A target is a URL (http, https, ws, wss), { command, args }, a transport, or a function that makes one: connect(target, options).";
  const url = "https://example.com/mcp";

  test.each<[string, unknown, string]>([
    ["a URL in an object", { url }, "Pass the URL itself: connect(url, options)."],
    ["a URL object in an object", { url: new URL(url) }, "Pass the URL itself: connect(url, options)."],
    [
      "an entry of `mcpServers` with a URL",
      { type: "http", url, headers: { authorization: "SECRET" } },
      "Pass the URL itself, and headers as an option: connect(url, { http: { headers } }).",
    ],
    ["a whole configuration", { mcpServers: { one: { url } } }, "Connect to each entry of `mcpServers` by itself"],
    [
      "a transport in an object",
      { transport: { send() {} } },
      "Pass the transport itself: connect(transport, options).",
    ],
    ["options alone", { headers: {} }, "Options are the second argument: connect(target, options)."],
    [
      "a command line in an array",
      ["node", "--token=SECRET"],
      'A program is an object: { command: "node", args: [...] }.',
    ],
    [
      "a transport of the official SDK",
      new StreamableHTTPClientTransport(),
      "StreamableHTTPClientTransport is a transport of the official SDK, which does not fit here. Pass the URL or the command that it was made with.",
    ],
    ["a promise of a target", Promise.resolve(url), "It is a promise: await it first."],
    ["a URL without a scheme", "localhost:3000/mcp", 'Did you mean "http://localhost:3000/mcp"?'],
    ["an address without a scheme", "127.0.0.1:3000", 'Did you mean "http://127.0.0.1:3000"?'],
    ["a domain without a scheme", "example.com/mcp?token=SECRET", 'Did you mean "https://example.com/mcp'],
    ["a command line", "node --token=SECRET", 'A program is an object: { command: "node", args: [...] }.'],
    ["a file", "server.js", "If it is a program, name what runs it: { command, args }."],
  ])("is named, and what to do about it is said: %s", async (_, target, advice) => {
    const error = await connect(target as ConnectTarget).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
    const { message } = error as Error;
    expect(message).toContain(advice);
    expect(message).toContain(FORMS);
    expect(message).not.toContain("[object");
    expect(message).not.toContain("SECRET");
  });

  test("is named as well if a function makes it", async () => {
    const target = (() => new StreamableHTTPClientTransport()) as unknown as ConnectTarget;
    await expect(connect(target)).rejects.toThrow("StreamableHTTPClientTransport is a transport of the official SDK");
  });

  test("may have members beside those that count, as entries of `mcpServers` do", () => {
    const entry = { type: "stdio", command: "node", args: ["server.js"], disabled: false };
    expect(toEndpoint(entry, {}).key).toContain("server.js");
  });
});

describe("a URL with a secret in it", () => {
  const secret = "user:SECRET@127.0.0.1:1/mcp?token=SECRET";

  test.each<[string, () => unknown]>([
    ["connect", () => connect(`http://${secret}`)],
    ["connect, over WebSocket", () => connect(`ws://${secret}`)],
    ["createHttpTransport", () => createHttpTransport(`http://${secret}`)],
    ["createSsePairChannel", () => createSsePairChannel(`http://${secret}`)],
    ["createUndiciTransport", () => createUndiciTransport(new URL(`http://${secret}`))],
    ["createWebSocketChannel", () => createWebSocketChannel(`wss://${secret}`)],
  ])("is refused by %s, which says where credentials belong", async (_, open) => {
    const error = await Promise.resolve()
      .then(open)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("pass an `authorization` header") as string,
    });
    expect(inspect(error)).not.toContain("SECRET");
  });

  test.each([[`htp://${secret}`], [`//${secret}`], ["http://user:SEC/RET@host:x/mcp#RET"]])(
    "is not repeated where it is of no use (%s)",
    async (target) => {
      const error = await connect(target).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(UsageError);
      expect(inspect(error)).not.toMatch(/SEC|RET/);
    },
  );
});

test("a URL can be of another realm or library than the one that this runs in", () => {
  const foreign = { href: "https://example.com/mcp", toString: () => "https://example.com/mcp" };
  expect(toEndpoint(foreign as unknown as URL, {})).toMatchObject({
    key: "https://example.com/mcp",
    identity: "https://example.com/mcp",
  });
});

test("a browser cannot start commands, and says so", async () => {
  const endpoint = refuseCommand({ command: "server", args: [] });
  await expect(endpoint.open()).rejects.toMatchObject({
    code: "UNSUPPORTED",
    message: expect.stringContaining("Only Node can start programs") as string,
  });
});

test("servers are remembered by URL without query, and by command line", () => {
  const keyOf = (target: ConnectTarget) => toEndpoint(target, {}).key;
  expect(keyOf("https://example.com/mcp?token=1#x")).toBe("https://example.com/mcp");
  expect(keyOf("wss://example.com/ws")).toBe("wss://example.com/ws");
  expect(keyOf({ command: "node", args: ["a b"] })).not.toBe(keyOf({ command: "node", args: ["a", "b"] }));
  expect(keyOf(() => Promise.reject(new Error("never")))).toBeUndefined();
});

test("a server that a secret may tell from others has nothing that caches could know it by", () => {
  const identityOf = (target: ConnectTarget) => toEndpoint(target, {}).identity;
  expect(identityOf("https://example.com/mcp")).toBe("https://example.com/mcp");
  expect(identityOf(new URL("https://example.com/mcp?token=SECRET"))).toBeUndefined();
  expect(identityOf("wss://example.com/mcp?token=SECRET")).toBeUndefined();
});
