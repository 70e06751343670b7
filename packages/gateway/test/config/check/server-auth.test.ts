import { describe, expect, test } from "vitest";
import { messagesOf } from "../problems-of.ts";

const TOOL = { description: "d", request: { method: "GET", url: "https://x.example/" } };
const LISTEN = { publicUrl: "https://mcp.example.com" };
const ISSUER = "https://i.example";
const ENV = { SECRET: "a-long-enough-secret" };

/** The problems of a server whose tokens are these. */
function problemsOfTokens(oauth: object, listen: object = LISTEN): readonly string[] {
  const server = { auth: { oauth }, tools: { t: TOOL } };
  return messagesOf({ version: 1, listen, servers: { s: server } }, ENV);
}

test("scopes without tokens are an error at each of their places", () => {
  const server = {
    tools: { t: { ...TOOL, scopes: ["a"] }, plain: TOOL },
    overrides: { plain: { scopes: ["b"] }, t: { status: "active" } },
    access: [
      { tools: ["t"], allow: true },
      { tools: ["*"], scopes: ["c"], allow: true },
    ],
  };
  const placesWith = (auth: unknown): readonly (string | undefined)[] =>
    messagesOf({ version: 1, listen: LISTEN, servers: { s: { ...server, auth } } })
      .filter((line) => line.includes("Only tokens have scopes"))
      .map((line) => /^error: servers\.s\.([^:]+):/.exec(line)?.[1]);
  const places = ["tools.t.scopes", "overrides.plain.scopes", "access[1].scopes"];
  expect(placesWith({ apiKeys: true })).toEqual(places);
  expect(placesWith("none")).toEqual(places);
  expect(placesWith(undefined)).toEqual(places);
  expect(placesWith({ oauth: { issuer: ISSUER } })).toEqual([]);
});

test("tokens need the public URL of the gateway", () => {
  expect(problemsOfTokens({ issuer: ISSUER })).toEqual([]);
  expect(problemsOfTokens({ issuer: ISSUER }, {})).toEqual([
    expect.stringContaining("error: servers.s.auth.oauth: Tokens are for the public URL of this server"),
  ]);
});

describe("an issuer", () => {
  test("is named, or comes with a preset that says everything else", () => {
    expect(problemsOfTokens({ scopes: ["a"] })).toEqual([
      expect.stringContaining("error: servers.s.auth.oauth: Name the `issuer`"),
    ]);
    const preset = { auth0: { domain: "i.example.com" } };
    expect(problemsOfTokens({ preset })).toEqual([]);
    expect(problemsOfTokens({ preset, scopes: ["a"], implies: { a: ["b"] }, dpop: "accepted" })).toEqual([]);
    for (const [name, value] of Object.entries({ issuer: ISSUER, jwksUri: `${ISSUER}/jwks`, algorithms: ["ES256"] })) {
      expect(problemsOfTokens({ preset, [name]: value })).toEqual([
        expect.stringContaining(`error: servers.s.auth.oauth.${name}: A \`preset\` says this`),
      ]);
    }
    expect(problemsOfTokens({ preset: { auth0: { domain: "not a domain" } } })).toEqual([
      expect.stringContaining("error: servers.s.auth.oauth.preset: "),
    ]);
  });

  test("and its keys are reached with encryption", () => {
    expect(problemsOfTokens({ issuer: "http://i.example" })).toEqual([
      expect.stringContaining("error: servers.s.auth.oauth.issuer: "),
    ]);
    expect(problemsOfTokens({ issuer: ISSUER, jwksUri: "http://i.example/jwks" })).toEqual([
      expect.stringContaining("error: servers.s.auth.oauth.jwksUri: "),
    ]);
  });

  test("that is asked about tokens checks them alone", () => {
    const introspection = { endpoint: `${ISSUER}/introspect`, client: { id: "gateway", secret: "${env:SECRET}" } };
    expect(problemsOfTokens({ issuer: ISSUER, introspection })).toEqual([]);
    for (const more of [{ jwksUri: `${ISSUER}/jwks` }, { algorithms: ["ES256"] }]) {
      expect(problemsOfTokens({ issuer: ISSUER, introspection, ...more })).toEqual([
        expect.stringContaining("error: servers.s.auth.oauth: With `introspection`, the issuer checks tokens"),
      ]);
    }
    const wrong = { endpoint: "http://i.example/x", client: { id: "gateway", secret: "${env:GONE}" } };
    expect(problemsOfTokens({ issuer: ISSUER, introspection: wrong })).toEqual([
      expect.stringContaining("servers.s.auth.oauth.introspection.endpoint: "),
      expect.stringContaining("servers.s.auth.oauth.introspection.client.secret: ${env:GONE}"),
    ]);
  });

  test("whose tokens are all for this server is warned of, unless claims tell them apart", () => {
    const bound = { issuer: ISSUER, boundBy: "issuer" };
    expect(problemsOfTokens(bound)).toEqual([
      expect.stringContaining("warning: servers.s.auth.oauth.boundBy: Every token of the issuer opens this server"),
    ]);
    expect(problemsOfTokens({ ...bound, requiredClaims: { group: ["a"] } })).toEqual([]);
    expect(problemsOfTokens({ ...bound, requiredClaims: { group: ["a"] }, audience: "x" })).toEqual([
      expect.stringContaining("error: servers.s.auth.oauth.audience: With `boundBy: issuer`, tokens have no audience"),
    ]);
  });
});
