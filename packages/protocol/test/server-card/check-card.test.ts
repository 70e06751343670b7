import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkServerCard } from "../../src/server-card/check-card.ts";
import { cardUrlOf, catalogIdOf, SERVER_CARD_SCHEMA } from "../../src/server-card/server-card.ts";

const LEAST = {
  $schema: SERVER_CARD_SCHEMA,
  name: "com.example/weather",
  version: "1.0.0",
  description: "The weather.",
};

const KEY = { description: "A key.", isRequired: true, isSecret: true };

const FULL = {
  ...LEAST,
  title: "Weather",
  websiteUrl: "https://example.com/",
  repository: { url: "https://github.com/example/weather", source: "github", subfolder: "servers/weather", id: "42" },
  icons: [{ src: "https://example.com/icon.png", mimeType: "image/png", sizes: ["48x48"], theme: "light" }],
  remotes: [
    {
      type: "streamable-http",
      url: "https://{tenant}.example.com/mcp",
      headers: [{ name: "Authorization", ...KEY, value: "Bearer {key}", variables: { key: KEY } }],
      variables: { tenant: { default: "main", choices: ["main", "test"], format: "string", placeholder: "main" } },
      supportedProtocolVersions: ["2026-07-28"],
    },
  ],
  _meta: { "com.example/region": { anything: [1] } },
};

function problemsOf(document: unknown): readonly string[] {
  return checkServerCard(document).problems ?? [];
}

describe("a server card", () => {
  test("with the least that it needs is valid", () => {
    expect(checkServerCard(LEAST)).toEqual({ card: LEAST });
  });

  test("keeps everything that the draft knows", () => {
    expect(checkServerCard(FULL)).toEqual({ card: FULL });
  });

  test("is open: members that the draft does not know are left out, and are no problem", () => {
    const added = { ...FULL, tools: [{ name: "x" }], remotes: [{ ...FULL.remotes[0], more: 1 }] };
    expect(checkServerCard(added)).toEqual({ card: FULL });
  });

  test.each([
    ["no `$schema`", { $schema: undefined }, "`$schema` is missing."],
    ["a schema with a date", { $schema: SERVER_CARD_SCHEMA.replace("v1", "2025-11-25") }, "`$schema` must be"],
    ["the schema of another document", { $schema: SERVER_CARD_SCHEMA.replace("-card", "") }, "`$schema` must be"],
    ["no name", { name: undefined }, "`name` is missing."],
    ["a name without a slash", { name: "weather" }, "`name` must be"],
    ["a name with two slashes", { name: "com.example/a/b" }, "`name` must be"],
    ["a name with a space", { name: "com.example/a b" }, "`name` must be"],
    ["a name that is too long", { name: `com.example/${"x".repeat(200)}` }, "`name` must be"],
    ["no version", { version: undefined }, "`version` is missing."],
    ["a version that is too long", { version: "1".repeat(256) }, "`version` must be a text of 0 to 255"],
    ["no description", { description: undefined }, "`description` is missing."],
    ["an empty description", { description: "" }, "`description` must be a text of 1 to 100"],
    ["a description that is too long", { description: "x".repeat(101) }, "`description` must be a text of 1 to 100"],
    ["a title that is no text", { title: 1 }, "`title` must be a text"],
    ["a home page that is a script", { websiteUrl: "javascript:alert(1)" }, "`websiteUrl` must be a URL"],
    ["an icon that is a script", { icons: [{ src: "javascript:alert(1)" }] }, "`icons[0].src` must be a URL"],
    ["an icon for another theme", { icons: [{ src: "data:,", theme: "red" }] }, "`icons[0].theme` must be"],
    ["icons that are no list", { icons: {} }, "`icons` must be a list"],
    ["a repository without a host", { repository: { url: "https://a.example/" } }, "`repository.source` is missing."],
    [
      "a folder outside of its repository",
      { repository: { url: "https://a.example/", source: "git", subfolder: "../x" } },
      "`repository.subfolder` must be",
    ],
    ["an endpoint without a type", { remotes: [{ url: "https://a.example/" }] }, "`remotes[0].type` is missing."],
    ["another transport", { remotes: [{ type: "stdio", url: "https://a.example/" }] }, "`remotes[0].type` must be"],
    ["an endpoint without a URL", { remotes: [{ type: "sse" }] }, "`remotes[0].url` is missing."],
    [
      "an endpoint with another scheme",
      { remotes: [{ type: "sse", url: "file:///x" }] },
      "`remotes[0].url` must begin",
    ],
    [
      "an endpoint with a password",
      { remotes: [{ type: "sse", url: "https://a:b@a.example/" }] },
      "`remotes[0].url` must not hold",
    ],
    [
      "a header field that would be two",
      { remotes: [{ ...FULL.remotes[0], headers: [{ name: "a\r\nb" }] }] },
      "`remotes[0].headers[0].name` is no name",
    ],
    ["an endpoint that is a text", { remotes: ["https://a.example/"] }, "`remotes[0]` must be an object"],
    [
      "a variable that is a text",
      { remotes: [{ ...FULL.remotes[0], variables: { a: "b" } }] },
      "`remotes[0].variables.a` must be an object",
    ],
    [
      "a flag that is a text",
      { remotes: [{ ...FULL.remotes[0], variables: { a: { isSecret: "yes" } } }] },
      "`remotes[0].variables.a.isSecret` must be true or false",
    ],
    ["too many endpoints", { remotes: Array(101).fill(FULL.remotes[0]) }, "`remotes` must be a list of at most 100"],
    ["`_meta` that is a list", { _meta: [] }, "`_meta` must be an object"],
  ])("is refused with %s", (_, change, problem) => {
    expect(problemsOf({ ...LEAST, ...change }).join()).toContain(problem);
  });

  test.each(["^1.2.3", "~1.2.3", ">=1.2.3", "1.x", "1.*", "*", "1.0 - 2.0", "1.0 || 2.0"])(
    "is refused with the range %s as its version",
    (version) => {
      expect(problemsOf({ ...LEAST, version })).toEqual(["`version` must be one version, and is a range."]);
    },
  );

  test.each(["1.0.2", "2.1.0-alpha", "2026.01", "v1", "0.0.0-x86"])("may have the version %s", (version) => {
    expect(problemsOf({ ...LEAST, version })).toEqual([]);
  });

  test("counts characters as JSON Schema does", () => {
    expect(problemsOf({ ...LEAST, description: "🌦".repeat(100) })).toEqual([]);
  });

  test.each([undefined, null, 1, "card", [], [LEAST]])("cannot be %j", (document) => {
    expect(problemsOf(document)).toEqual(["The document is no JSON object."]);
  });

  test("cannot change any prototype", () => {
    const hostile: unknown = JSON.parse(
      JSON.stringify(FULL).replace('"tenant":', '"__proto__":').replace("{", '{"__proto__":{"title":"x"},'),
    );
    const { card } = checkServerCard(hostile) as { card: typeof FULL };
    expect(Object.getPrototypeOf(card)).toBe(Object.prototype);
    expect(Object.keys(card.remotes[0]!.variables)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["default"]).toBeUndefined();
  });

  test("is told at most twenty problems, and none of them is long or unprintable", () => {
    const name = `a\u202E${"x".repeat(1000)}`;
    const variables = Object.fromEntries(Array.from({ length: 99 }, (_, index) => [`${name}${index}`, 1]));
    const problems = problemsOf({ ...LEAST, remotes: [{ ...FULL.remotes[0], variables }] });
    expect(problems).toHaveLength(20);
    expect(Math.max(...problems.map(({ length }) => length))).toBeLessThan(300);
    expect(problems.join()).not.toContain("\u202E");
  });

  test("never makes the check fail, whatever it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (document) => {
        expect(checkServerCard(document).problems).not.toEqual([]);
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(FULL)), fc.jsonValue(), (name, value) => {
        expect(checkServerCard({ ...FULL, [name]: value })).toBeTypeOf("object");
      }),
    );
  });
});

test.each([
  ["https://example.com/mcp", "https://example.com/mcp/server-card"],
  ["https://example.com/mcp/", "https://example.com/mcp/server-card"],
  ["https://example.com", "https://example.com/server-card"],
  ["https://example.com/mcp?a=b#c", "https://example.com/mcp/server-card"],
])("the card of %s is at %s", (endpoint, card) => {
  expect(cardUrlOf(endpoint)).toBe(card);
});

test("a catalog names a server by the domain of its publisher", () => {
  expect(catalogIdOf("com.example.api/weather")).toBe("urn:air:api.example.com:mcp:weather");
});
