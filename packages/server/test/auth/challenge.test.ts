import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseChallenges } from "../../../client/src/auth/discovery/challenge.ts";
import { writeChallenge } from "../../src/auth/challenge.ts";
import { readCredentials } from "../../src/auth/credentials.ts";
import { jwt, protect, type TokenProtection } from "../../src/auth/index.ts";
import { headOf, RESOURCE } from "./lab/issuer.ts";
import { fieldOf, readChallenges, refused } from "./lab/outcome.ts";

/** What of a text a header can carry. */
const sendable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, "");

const name = fc.stringMatching(/^[a-z_]{1,12}$/);
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom('"', "\\", ",", "=", " ", "\r", "\n", "\t", "\0", "a", "é", "😀", "\u2028") }),
);

describe("a challenge", () => {
  test("is read as it was meant, whatever its values are: quotes, line breaks, other scripts", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, text), { selector: ([key]) => key, maxLength: 6 }), (parameters) => {
        const written = writeChallenge("Bearer", parameters);
        expect(written).toMatch(/^[\x20-\x7e]*$/);
        // A platform that checks header values accepts it.
        expect(new Headers([["www-authenticate", written]]).get("www-authenticate")).toBe(written.trim());
        const [challenge, ...others] = parseChallenges(written);
        expect(others).toEqual([]);
        expect(challenge!.scheme).toBe("bearer");
        expect([...challenge!.parameters]).toEqual(parameters.map(([key, value]) => [key, [sendable(value)]]));
      }),
      { numRuns: 500 },
    );
  });

  test("stays apart from the next one in the same header", () => {
    fc.assert(
      fc.property(text, text, (one, two) => {
        const header = [writeChallenge("Bearer", [["scope", one]]), writeChallenge("DPoP", [["algs", two]])].join(", ");
        const expected = { bearer: { scope: sendable(one) }, dpop: { algs: sendable(two) } };
        expect(readChallenges(header)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test("leaves out scopes that are none, so that nobody adds a header by the name of a scope", () => {
    const scopes = ['a"b', "c\r\nSet-Cookie: x=y", "é", "", "good", "two words", "back\\slash"];
    const [, header] = protectWith().challenge(scopes);
    expect(readChallenges(header)["bearer"]).toMatchObject({ scope: "mcp:read good" });
  });
});

describe("an Authorization header", () => {
  test("has one token of the characters of RFC 6750, or is refused", () => {
    const token = fc.stringMatching(/^[A-Za-z0-9._~+/-]{1,200}={0,2}$/);
    const scheme = fc.constantFrom("Bearer", "bearer", "DPoP", "dpop", "DPOP");
    fc.assert(
      fc.property(scheme, token, fc.integer({ min: 1, max: 4 }), (word, value, blanks) => {
        const expected = { scheme: word.toLowerCase() === "dpop" ? "DPoP" : "Bearer", token: value };
        expect(readCredentials(`${word}${" ".repeat(blanks)}${value}`)).toEqual(expected);
      }),
    );
  });

  test("never gives a token with other characters, whatever the header is", () => {
    fc.assert(
      fc.property(fc.constantFrom("Bearer ", "DPoP ", "Basic ", ""), text, (start, rest) => {
        const found = readCredentials(start + rest);
        if (found === undefined || found === "malformed") return;
        expect(found.token).toMatch(/^[A-Za-z0-9._~+/-]+=*$/);
        expect((start + rest).trimEnd().endsWith(found.token)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

const ISSUER = "https://auth.example.com";

function protectWith(more: object = {}): TokenProtection {
  const verify = jwt({ issuer: ISSUER, keys: { keys: [] } });
  return protect({ resource: RESOURCE, verify, scopes: ["mcp:read"], ...more });
}

describe("the metadata of a resource", () => {
  test("say everything that a client needs", () => {
    const {
      url,
      path,
      text: document,
    } = protectWith({
      scopesSupported: ["mcp:read", "offline_access", "mcp:write"],
      name: "Files",
      documentation: "https://docs.example.com/mcp",
    }).metadata;
    expect(url).toBe("https://api.example.com/.well-known/oauth-protected-resource/mcp");
    expect(path).toBe("/.well-known/oauth-protected-resource/mcp");
    expect(JSON.parse(document)).toEqual({
      resource: RESOURCE,
      authorization_servers: [ISSUER],
      scopes_supported: ["mcp:read", "mcp:write"],
      bearer_methods_supported: ["header"],
      resource_name: "Files",
      resource_documentation: "https://docs.example.com/mcp",
    });
  });

  test("say that tokens can, or must, be bound to a key", () => {
    const accepted = JSON.parse(protectWith({ dpop: { mode: "accepted", algorithms: ["ES256"] } }).metadata.text);
    expect(accepted).toMatchObject({ dpop_signing_alg_values_supported: ["ES256"] });
    expect(accepted).not.toHaveProperty("dpop_bound_access_tokens_required");
    const required = JSON.parse(protectWith({ dpop: "required" }).metadata.text);
    expect(required).toMatchObject({ dpop_bound_access_tokens_required: true });
  });

  test.each([
    ["https://api.example.com", "/.well-known/oauth-protected-resource"],
    ["https://api.example.com/", "/.well-known/oauth-protected-resource"],
    ["https://api.example.com/a/b", "/.well-known/oauth-protected-resource/a/b"],
    ["https://api.example.com/a/", "/.well-known/oauth-protected-resource/a/"],
    ["https://api.example.com:8443/mcp", "/.well-known/oauth-protected-resource/mcp"],
  ])("of %s are at %s", (resource, path) => {
    const { metadata } = protectWith({ resource });
    expect(metadata.path).toBe(path);
    expect(metadata.url).toBe(new URL(path, resource).href);
    expect(JSON.parse(metadata.text)).toMatchObject({ resource });
  });

  test("and challenges do not change with forged headers of a request: no other header is even read", async () => {
    const read: string[] = [];
    const forged: Readonly<Record<string, string>> = {
      host: "evil.example.com",
      "x-forwarded-host": "evil.example.com",
      "x-forwarded-proto": "http",
      forwarded: "host=evil.example.com",
      authorization: "Bearer x.y.z",
    };
    const auth = protectWith({ dpop: "accepted", onDiagnostic: () => {} });
    const header = (field: string): string | undefined => {
      read.push(field);
      return forged[field];
    };
    const { refusal } = await refused(auth.admit({ ...headOf({}), header }));
    const plain = await refused(
      protectWith({ dpop: "accepted", onDiagnostic: () => {} }).admit(headOf({ authorization: "Bearer x.y.z" })),
    );
    expect(refusal).toEqual(plain.refusal);
    expect(fieldOf(refusal.headers!, "www-authenticate")).not.toContain("evil");
    expect([...new Set(read)]).toEqual(["authorization"]);
  });
});
