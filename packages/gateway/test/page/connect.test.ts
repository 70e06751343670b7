import { describe, expect, test } from "vitest";
import {
  describeAccess,
  describeStatus,
  endpointEntry,
  keyName,
  takesKeys,
} from "../../page/src/connect/endpoint-entry.ts";
import { writeSnippets } from "../../src/hosts/snippets.ts";

const ENDPOINT = { slug: "weather", endpoint: "https://mcp.example/mcp/weather" };
const KEY = "twk_canary_of_a_key";

describe("connecting a client", () => {
  test("Each way in has the header that it needs, and no other", () => {
    const headersOf = (access: "open" | "keys" | "tokens" | "keys-or-tokens", key?: string): unknown =>
      endpointEntry({ ...ENDPOINT, access }, key).headers;
    expect(headersOf("open")).toEqual({});
    expect(headersOf("tokens")).toEqual({});
    expect(headersOf("keys-or-tokens")).toEqual({});
    expect(headersOf("keys")).toEqual({ Authorization: "Bearer ${env:TOOLWIRE_KEY}" });
    expect(headersOf("keys", KEY)).toEqual({ Authorization: `Bearer ${KEY}` });
    expect(headersOf("keys-or-tokens", KEY)).toEqual({ Authorization: `Bearer ${KEY}` });
    expect(endpointEntry({ ...ENDPOINT, access: "open" }, undefined)).toMatchObject({
      name: "weather",
      url: ENDPOINT.endpoint,
    });
  });

  test("Keys can be made where they open something", () => {
    expect((["open", "keys", "tokens", "keys-or-tokens"] as const).map(takesKeys)).toEqual([false, true, false, true]);
  });

  test("A sentence says how a caller gets in", () => {
    expect(describeAccess("open", false)).toContain("No key is needed");
    expect(describeAccess("keys", false)).toContain("TOOLWIRE_KEY stands for it");
    expect(describeAccess("keys", true)).toContain("opens this server alone");
    expect(describeAccess("keys-or-tokens", true)).toContain("opens this server alone");
    expect(describeAccess("tokens", false)).toMatch(/opens a browser when it connects first\.$/);
    expect(describeAccess("keys-or-tokens", false)).toMatch(/A key works as well\.$/);
  });

  test("A server that clients cannot use says why", () => {
    expect(describeStatus("active")).toBeUndefined();
    expect(describeStatus("draft")).toContain("draft");
    expect(describeStatus("paused")).toContain("paused");
  });

  test("A key is named after the application and the server, and not longer than names of keys may be", () => {
    expect(keyName("Cursor", "weather")).toBe("Cursor, weather");
    expect(keyName("x".repeat(90), "weather-of-the-world")).toHaveLength(100);
  });

  test("A key that was made is in the text for every application, and none is without one", () => {
    const open = writeSnippets(endpointEntry({ ...ENDPOINT, access: "open" }, undefined));
    expect(open.map(({ title }) => title)).toEqual(
      expect.arrayContaining(["Claude Desktop", "Claude Code", "Cursor", "VS Code", "MCP Inspector", "curl"]),
    );
    for (const { text } of open) expect(text).not.toMatch(/Authorization|TOOLWIRE_KEY/);
    for (const { text } of open) expect(text).toContain(ENDPOINT.endpoint);
    for (const { text } of writeSnippets(endpointEntry({ ...ENDPOINT, access: "keys" }, KEY))) {
      expect(text).toContain(KEY);
    }
  });
});
