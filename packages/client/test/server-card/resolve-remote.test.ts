import { resolveRemote, type CardRemote } from "@toolwire/client/server-card";
import { describe, expect, test } from "vitest";

const KEY = { description: "API key of your account", isRequired: true, isSecret: true };
const REMOTE: CardRemote = {
  type: "streamable-http",
  url: "https://{tenant}.example.com/{region}/mcp",
  variables: { tenant: { description: "Your subdomain" }, region: { default: "eu", choices: ["eu", "us"] } },
  headers: [
    { name: "Authorization", value: "Bearer {key}", variables: { key: KEY } },
    { name: "X-Trace", description: "An id of yours" },
    { name: "X-Limit", format: "number", default: "10" },
    { name: "X-Fixed", value: "always {this}" },
    { name: "X-Optional", value: "a {note}", variables: { note: {} } },
  ],
};

describe("an endpoint of a card", () => {
  test("is filled in with values and defaults, and what is optional is left out", () => {
    expect(resolveRemote(REMOTE, { tenant: "acme", key: "s3cret" })).toEqual({
      type: "streamable-http",
      url: "https://acme.example.com/eu/mcp",
      headers: { authorization: "Bearer s3cret", "x-limit": "10", "x-fixed": "always {this}" },
    });
    const more = { tenant: "acme", key: "k", region: "us", "X-Trace": "t", "X-Limit": "2", note: "n" };
    expect(resolveRemote(REMOTE, more)).toMatchObject({
      url: "https://acme.example.com/us/mcp",
      headers: { "x-trace": "t", "x-limit": "2", "x-optional": "a n" },
    });
  });

  test("needs everything that is required, and says what it is for", () => {
    const fill = (): unknown => resolveRemote(REMOTE, { region: "eu" });
    expect(fill).toThrow("tenant is missing (Your subdomain); key is missing (API key of your account)");
  });

  test("can begin with a name that stands for a whole URL, but no other value can become a host or a path", () => {
    const remote: CardRemote = { type: "sse", url: "{base}/{path}" };
    expect(resolveRemote(remote, { base: "https://example.com", path: "mcp" }).url).toBe("https://example.com/mcp");
    for (const path of ["../admin", "a/b", "a?b", "a#b", "a b", "a\\b", "@evil.example.com"]) {
      expect(() => resolveRemote(remote, { base: "https://example.com", path })).toThrow("path must not contain");
    }
    expect(() => resolveRemote(REMOTE, { tenant: "evil.example.org/", key: "k" })).toThrow("tenant must not contain");
    expect(() => resolveRemote(remote, { base: "file:///etc", path: "passwd" })).toThrow("no http URL");
  });

  test("takes only the values that the card allows, and shows none of them", () => {
    const fill = (values: object): (() => unknown) => {
      return () => resolveRemote(REMOTE, { tenant: "acme", key: "k", ...values });
    };
    expect(fill({ region: "hunter2" })).toThrow("region must be one of eu, us");
    expect(fill({ region: "hunter2" })).not.toThrow("hunter2");
    expect(fill({ "X-Limit": "many" })).toThrow("X-Limit must be a number");
    expect(fill({ key: "a\r\nX-Evil: 1" })).toThrow("Authorization must be one line of text");
  });

  test("finds no values in what objects inherit", () => {
    const remote: CardRemote = { type: "sse", url: "https://{constructor}.example.com/" };
    expect(() => resolveRemote(remote)).toThrow("constructor is missing");
  });

  test("has to be one", () => {
    expect(() => resolveRemote(undefined as never)).toThrow("an endpoint of a card");
    expect(() => resolveRemote(REMOTE, [] as never)).toThrow("texts by name");
  });
});
