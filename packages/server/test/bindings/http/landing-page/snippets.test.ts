import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listSnippets, writeName, writeUrl } from "../../../../src/bindings/http/landing-page/snippets.ts";

describe("the URL of a page", () => {
  test.each([
    [true, "mcp.example.com", "/mcp", "https://mcp.example.com/mcp"],
    [false, "127.0.0.1:3000", "/", "http://127.0.0.1:3000/"],
    [false, "[::1]:3000", "/a/b", "http://[::1]:3000/a/b"],
    [false, "localhost", "/caf%C3%A9", "http://localhost/caf%C3%A9"],
    [false, "localhost", "/50%", "http://localhost/50%25"],
    [false, "localhost", "/a';b&c$(d)`e`", "http://localhost/a%27%3Bb%26c%24%28d%29%60e%60"],
  ])("is what a client can use: %s %s %s", (isEncrypted, host, path, url) => {
    expect(writeUrl(isEncrypted, host, path)).toBe(url);
  });

  test.each([undefined, "", "a b", "evil.example.com;x", "a'b", "user@host", "host:port", "[::1", "host:1:2"])(
    "is left out if the host is not plain: %j",
    (host) => {
      expect(writeUrl(false, host, "/mcp")).toBeUndefined();
    },
  );

  test("has nothing in it that means something to a shell, whatever was asked for", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (path) => {
        const url = writeUrl(false, "localhost", `/${path}`)!;
        expect(url).toMatch(/^http:\/\/localhost\/(?:[\w.~/-]|%[\dA-Fa-f]{2})*$/);
      }),
    );
  });
});

describe("the name of a server", () => {
  test.each([
    ["weather", "weather"],
    ["Weather of the world", "Weather-of-the-world"],
    ["--scope user; rm", "scope-user-rm"],
    ["天気", "my-server"],
    ["", "my-server"],
    [undefined, "my-server"],
    ["a".repeat(100), "a".repeat(64)],
  ])("is one that clients and shells accept: %j", (name, written) => {
    expect(writeName(name)).toBe(written);
  });
});

describe("the snippets of a server", () => {
  const url = "https://mcp.example.com/mcp";

  test("are a command, and entries for the files of clients", () => {
    const [command, cursor, code, curl] = listSnippets("weather", url, "2026-07-28").map(({ text }) => text);
    expect(command).toBe(`claude mcp add --transport http weather ${url}`);
    expect(JSON.parse(cursor!)).toEqual({ mcpServers: { weather: { type: "http", url } } });
    expect(JSON.parse(code!)).toEqual({ servers: { weather: { type: "http", url } } });
    expect(curl).toContain(`curl ${url} \\\n  --header 'Content-Type: application/json'`);
  });

  test("are without a request by hand where it would need a token", () => {
    expect(listSnippets("weather", url, undefined).map(({ place }) => place)).not.toContain("curl");
  });
});
