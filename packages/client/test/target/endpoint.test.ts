import { inspect } from "node:util";
import { connect, type ConnectTarget } from "@toolwire/client";
import { UsageError } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { createHttpTransport, createSsePairChannel } from "../../src/http/index.ts";
import { createNodeHttpTransport } from "../../src/node/index.ts";
import { createWebSocketChannel } from "../../src/websocket/index.ts";
import { openers as browserOpeners } from "../../src/target/browser.ts";
import { openers as nodeOpeners } from "../../src/target/node.ts";
import { toEndpoint } from "../../src/target/endpoint.ts";

describe("a target that is none", () => {
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
    expect((error as Error).message).toContain("Connect to a URL");
  });
});

describe("a URL with a secret in it", () => {
  const secret = "user:SECRET@127.0.0.1:1/mcp?token=SECRET";

  test.each<[string, () => unknown]>([
    ["connect", () => connect(`http://${secret}`)],
    ["connect, over WebSocket", () => connect(`ws://${secret}`)],
    ["createHttpTransport", () => createHttpTransport(`http://${secret}`)],
    ["createSsePairChannel", () => createSsePairChannel(`http://${secret}`)],
    ["createNodeHttpTransport", () => createNodeHttpTransport(new URL(`http://${secret}`))],
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
  expect(toEndpoint(foreign as unknown as URL, {}, browserOpeners)).toMatchObject({
    key: "https://example.com/mcp",
    identity: "https://example.com/mcp",
  });
});

test("a browser cannot start commands, and says so", async () => {
  const endpoint = toEndpoint({ command: "server", args: [] }, {}, browserOpeners);
  await expect(endpoint.open()).rejects.toMatchObject({
    code: "UNSUPPORTED",
    message: expect.stringContaining("Only Node can start programs") as string,
  });
});

test("servers are remembered by URL without query, and by command line", () => {
  const keyOf = (target: ConnectTarget) => toEndpoint(target, {}, nodeOpeners).key;
  expect(keyOf("https://example.com/mcp?token=1#x")).toBe("https://example.com/mcp");
  expect(keyOf("wss://example.com/ws")).toBe("wss://example.com/ws");
  expect(keyOf({ command: "node", args: ["a b"] })).not.toBe(keyOf({ command: "node", args: ["a", "b"] }));
  expect(keyOf(() => Promise.reject(new Error("never")))).toBeUndefined();
});

test("a server that a secret may tell from others has nothing that caches could know it by", () => {
  const identityOf = (target: ConnectTarget) => toEndpoint(target, {}, nodeOpeners).identity;
  expect(identityOf("https://example.com/mcp")).toBe("https://example.com/mcp");
  expect(identityOf(new URL("https://example.com/mcp?token=SECRET"))).toBeUndefined();
  expect(identityOf("wss://example.com/mcp?token=SECRET")).toBeUndefined();
});
