import { expect, test } from "vitest";
import { explainUnforwardable, isForwardable } from "../../src/config/forwarded-headers.ts";

test.each([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "forwarded",
  "host",
  "keep-alive",
  "origin",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "mcp-session-id",
  "sec-fetch-mode",
  "proxy-connection",
])("the header %s is meant for the gateway or for one connection, so it is never forwarded", (name) => {
  for (const header of [name, name.toUpperCase()]) {
    expect(isForwardable(header)).toBe(false);
    expect(explainUnforwardable(header)).toContain("never forwarded");
  }
});

test.each(["authorization", "cookie", "dpop", "proxy-authorization", "x-api-key"])(
  "the header %s authenticates callers to the gateway, so it is never forwarded",
  (name) => {
    expect(explainUnforwardable(name)).toContain("authenticates callers");
  },
);

test.each(["", "a b", "a:b", "ä"])("%j is not the name of a header", (name) => {
  expect(explainUnforwardable(name)).toBe("This is not the name of a header.");
});

test.each(["x-request-id", "accept-language", "traceparent"])("the header %s may be forwarded", (name) => {
  expect(isForwardable(name)).toBe(true);
});
