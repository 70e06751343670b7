import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseChallenges, readOAuthChallenge, splitScopes } from "../../src/auth/discovery/challenge.ts";

const parse = (header: string) =>
  parseChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);

/** Headers of servers in the wild. */
const CORPUS: readonly (readonly [header: string, expected: unknown])[] = [
  ["Bearer", [["bearer", {}]]],
  ['Bearer realm="mcp"', [["bearer", { realm: ["mcp"] }]]],
  ["BEARER Realm=mcp", [["bearer", { realm: ["mcp"] }]]],
  ['Bearer error = "invalid_token" , scope = "a b"', [["bearer", { error: ["invalid_token"], scope: ["a b"] }]]],
  ['Bearer realm="a \\"quoted\\" \\\\ text"', [["bearer", { realm: ['a "quoted" \\ text'] }]]],
  [
    'Basic realm="x", Bearer resource_metadata="https://a/b?c=d,e"',
    [
      ["basic", { realm: ["x"] }],
      ["bearer", { resource_metadata: ["https://a/b?c=d,e"] }],
    ],
  ],
  [
    "Negotiate YWJj==, Bearer",
    [
      ["negotiate", {}],
      ["bearer", {}],
    ],
  ],
  [
    "Negotiate, Bearer scope=x",
    [
      ["negotiate", {}],
      ["bearer", { scope: ["x"] }],
    ],
  ],
  ['DPoP algs="ES256", error="use_dpop_nonce"', [["dpop", { algs: ["ES256"], error: ["use_dpop_nonce"] }]]],
  [
    'Bearer resource_metadata="https://a", resource_metadata="https://b"',
    [["bearer", { resource_metadata: ["https://a", "https://b"] }]],
  ],
  ['Bearer realm="unfinished', [["bearer", { realm: ["unfinished"] }]]],
  [", , Bearer ,, scope=a ,", [["bearer", { scope: ["a"] }]]],
  ["", []],
  ["\u0000", []],
  ['Bearer scope="ü"', [["bearer", { scope: ["ü"] }]]],
];

describe("challenge: quotes, CR LF, non-ASCII round trip", () => {
  test.each(CORPUS)("reads %j", (header, expected) => {
    expect(parse(header)).toEqual(expected);
  });

  test("threat 35: whatever values a server quotes, they are read as they were", () => {
    const name = fc.stringMatching(/^[a-z][a-z_]{0,12}$/);
    const values = fc.dictionary(name, fc.string({ unit: "grapheme", maxLength: 40 }), { minKeys: 1, maxKeys: 5 });
    fc.assert(
      fc.property(fc.constantFrom("Bearer", "DPoP", "Basic"), values, (scheme, parameters) => {
        const text = Object.entries(parameters).map(([key, value]) => `${key}="${value.replace(/["\\]/g, "\\$&")}"`);
        const expected = Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, [value]]));
        expect(parse(`${scheme} ${text.join(", ")}`)).toEqual([[scheme.toLowerCase(), expected]]);
      }),
    );
  });

  test("threat 35: no text of a server makes the parser throw, or takes it long", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 100 }), (text) => void parseChallenges(text)));
    for (const piece of ["Bearer ", "a=", 'a="', '\\"', "=,", " ,", "a", '"', "a=b,"]) {
      const start = performance.now();
      parseChallenges(piece.repeat(1_000_000 / piece.length));
      expect(performance.now() - start).toBeLessThan(2000);
    }
  });
});

test("no more than 16 KiB of a header are read", () => {
  const [challenge] = parseChallenges(`Bearer a=1, b=${"x".repeat(20_000)}, c=1`);
  const { parameters } = challenge!;
  expect([...parameters.keys()]).toEqual(["a", "b"]);
  expect(parameters.get("b")?.[0]).toHaveLength(16 * 1024 - "Bearer a=1, b=".length);
});

test("no more than four places of metadata are taken from a header, each once", () => {
  const header = ["a", "b", "a", "c", "d", "e"].map((name) => `resource_metadata="https://${name}"`).join(", ");
  expect(readOAuthChallenge(`Bearer ${header}`).metadataUrls).toEqual([
    "https://a",
    "https://b",
    "https://c",
    "https://d",
  ]);
});

test.each([
  ["Bearer", { takesBearer: true, takesDpop: false, wantsNonce: false }],
  ["DPoP", { takesBearer: false, takesDpop: true, wantsNonce: false }],
  ["Bearer, DPoP", { takesBearer: true, takesDpop: true, wantsNonce: false }],
  ["Basic", { takesBearer: false, takesDpop: false, wantsNonce: false }],
  ["Bearer error=use_dpop_nonce", { takesBearer: true, takesDpop: false, wantsNonce: false }],
  ["DPoP error=use_dpop_nonce", { takesBearer: false, takesDpop: true, wantsNonce: true }],
  ["Bearer, DPoP error=invalid_token, error=use_dpop_nonce", { takesBearer: true, takesDpop: true, wantsNonce: true }],
])("of the challenge %j, the client learns what the server takes", (header, expected) => {
  expect(readOAuthChallenge(header)).toMatchObject(expected);
});

test("what a Bearer and a DPoP challenge say counts alike", () => {
  expect(readOAuthChallenge('DPoP algs="ES256", resource_metadata="https://a/prm", scope="x y"')).toEqual({
    metadataUrls: ["https://a/prm"],
    scopes: ["x", "y"],
    error: undefined,
    takesDpop: true,
    takesBearer: false,
    wantsNonce: false,
  });
  expect(readOAuthChallenge('Basic scope="x"').scopes).toBeUndefined();
});

test("scopes that no request could carry are left out", () => {
  expect(splitScopes('a "b" c\\d é  a')).toEqual(["a"]);
  expect(splitScopes("")).toBeUndefined();
  expect(splitScopes(Array.from({ length: 1000 }, (_, index) => `s${index}`).join(" "))).toHaveLength(256);
});
