import { CompactSign, exportSPKI, type JWK, type JWTHeaderParameters, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jwt, type JwtOptions, protect, type TokenProtection } from "../../src/auth/index.ts";
import { createKey, RESOURCE, seconds, sign, startSite, type TestKey, type TestSite, withToken } from "./lab/issuer.ts";
import { admitted, refused } from "./lab/outcome.ts";

const ISSUER = "https://auth.example.com";

let key: TestKey;
let rsa: TestKey;
let stranger: TestKey;
/** A site of an attacker, whom nobody should ever ask for keys. */
let attacker: TestSite;

beforeAll(async () => {
  [key, rsa, stranger] = await Promise.all([
    createKey("ES256", "ec"),
    createKey("RS256", "rsa"),
    createKey("ES256", "ec"),
  ]);
  attacker = await startSite();
  attacker.pages.set("/jwks", { keys: [stranger.jwk] });
});
afterAll(() => attacker.close());

function claims(more: object = {}): Record<string, unknown> {
  return { iss: ISSUER, sub: "lovelace", aud: RESOURCE, exp: seconds(300), iat: seconds(), ...more };
}

function without(name: string): Record<string, unknown> {
  const { [name]: _left, ...others } = claims();
  return others;
}

function protectWith(more: Partial<JwtOptions> = {}): TokenProtection {
  const verify = jwt({ issuer: ISSUER, keys: { keys: [key.jwk, rsa.jwk] as never }, ...more } as JwtOptions);
  return protect({ resource: RESOURCE, verify, onDiagnostic: () => {} });
}

function encode(value: unknown): string {
  return Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
}

/** Signs a payload and a header that no library would write. */
async function signText(header: string, payload: string, by: TestKey = key): Promise<string> {
  const signed = `${encode(header)}.${encode(payload)}`;
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const signature = await crypto.subtle.sign(algorithm, by.privateKey, new TextEncoder().encode(signed));
  return `${signed}.${Buffer.from(signature).toString("base64url")}`;
}

/** A token that is signed with the text of a public key as if it were a shared secret. */
async function signWithPublicKey(secret: string, kid: string): Promise<string> {
  return new SignJWT(claims())
    .setProtectedHeader({ alg: "HS256", typ: "at+jwt", kid })
    .sign(new TextEncoder().encode(secret));
}

const HEADER = '"alg":"ES256","kid":"ec","typ":"at+jwt"';

/** Each is a token that somebody could try. None of them is good. */
const FORGED: readonly (readonly [name: string, make: () => string | Promise<string>])[] = [
  ["is not signed (alg none)", () => new UnsecuredJWT(claims()).encode()],
  ["says alg None in another case", () => `${encode({ alg: "nOnE", typ: "at+jwt" })}.${encode(claims())}.`],
  ["has an empty signature", () => `${encode(`{${HEADER}}`)}.${encode(claims())}.`],
  [
    "has the header of a signed token, but an empty text as algorithm",
    () => signText('{"alg":"","kid":"ec"}', JSON.stringify(claims())),
  ],
  ["is signed by HS256 with the JWK of the public key", () => signWithPublicKey(JSON.stringify(key.jwk), "ec")],
  [
    "is signed by HS256 with the PEM of the public RSA key",
    async () => signWithPublicKey(await exportSPKI(await publicHalf(rsa)), "rsa"),
  ],
  ["is signed by a stranger with the same key id", () => sign(stranger, claims())],
  ["is signed by a stranger without a key id", () => sign({ ...stranger, jwk: {} }, claims())],
  ["names a key that the issuer does not have", () => sign(key, claims(), { kid: "other" })],
  ["names a key of another kind", () => sign(key, claims(), { kid: "rsa" })],
  ["names a key by a number", () => signText('{"alg":"ES256","kid":7,"typ":"at+jwt"}', JSON.stringify(claims()))],
  ["brings its own key (jwk)", () => sign(stranger, claims(), { jwk: stranger.jwk as JWK })],
  ["brings the URL of its own keys (jku)", () => sign(stranger, claims(), { jku: `${attacker.url}/jwks` })],
  ["brings the URL of its own certificate (x5u)", () => sign(stranger, claims(), { x5u: `${attacker.url}/jwks` })],
  ["brings its own certificates (x5c)", () => sign(stranger, claims(), { x5c: ["MIIB"] })],
  ["was changed after it was signed", async () => changePayload(await sign(key, claims({ sub: "eve" })))],
  ["has a signature that was cut", async () => (await sign(key, claims())).slice(0, -8)],
  [
    "has another token's signature",
    async () => swapSignature(await sign(key, claims()), await sign(key, claims({ sub: "eve" }))),
  ],
  [
    "has a critical extension that nobody knows",
    () => signText(`{${HEADER},"crit":["x"],"x":1}`, JSON.stringify(claims())),
  ],
  [
    "has an unencoded payload (b64)",
    () => signText(`{${HEADER},"crit":["b64"],"b64":false}`, JSON.stringify(claims())),
  ],
  [
    "is an ID token for a client",
    () => sign(key, claims({ aud: "client-1", nonce: "n", at_hash: "h" }), { typ: "JWT" }),
  ],
  ["is an ID token that names this server as audience", () => sign(key, claims({ at_hash: "h" }), { typ: "JWT" })],
  ["is an ID token of Cognito", () => sign(key, claims({ token_use: "id" }), { typ: "JWT" })],
  ["is a refresh token of Keycloak", () => sign(key, claims({ typ: "Refresh" }), { typ: "JWT" })],
  ["is an ID-JAG", () => sign(key, claims(), { typ: "oauth-id-jag+jwt" })],
  ["is a DPoP proof", () => sign(key, claims(), { typ: "dpop+jwt" })],
  ["is a logout token by its type", () => sign(key, claims(), { typ: "logout+jwt" })],
  ["is a logout token by its claims", () => sign(key, claims({ events: {} }), { typ: "JWT" })],
  ["is a client's assertion", () => sign(key, claims({ iss: "client-1", aud: ISSUER }), { typ: "JWT" })],
  ["is for another server", () => sign(key, claims({ aud: "https://other.example.com/mcp" }))],
  ["is for another path of this server", () => sign(key, claims({ aud: "https://api.example.com/other" }))],
  ["is for the origin of this server", () => sign(key, claims({ aud: "https://api.example.com" }))],
  ["is for this server with a slash", () => sign(key, claims({ aud: `${RESOURCE}/` }))],
  ["is for this server in another case", () => sign(key, claims({ aud: RESOURCE.toUpperCase() }))],
  ["is for a list of others", () => sign(key, claims({ aud: ["a", "b"] }))],
  ["is for nobody (an empty list)", () => sign(key, claims({ aud: [] }))],
  ["is for an object", () => signText(`{${HEADER}}`, JSON.stringify(claims({ aud: { [RESOURCE]: RESOURCE } })))],
  ["is for nobody (no audience)", () => sign(key, without("aud"))],
  ["is of another issuer", () => sign(key, claims({ iss: "https://evil.example.com" }))],
  ["is of the issuer with a slash", () => sign(key, claims({ iss: `${ISSUER}/` }))],
  ["is of a list of issuers", () => signText(`{${HEADER}}`, JSON.stringify(claims({ iss: [ISSUER] })))],
  ["is of no issuer", () => sign(key, without("iss"))],
  ["expired a second ago", () => sign(key, claims({ exp: seconds(-1) }))],
  ["never expires", () => sign(key, without("exp"))],
  ["expires at a text", () => signText(`{${HEADER}}`, JSON.stringify(claims({ exp: "9999999999" })))],
  ["expires at infinity", () => signText(`{${HEADER}}`, JSON.stringify(claims()).replace(/"exp":\d+/, '"exp":1e999'))],
  ["is valid in two minutes", () => sign(key, claims({ nbf: seconds(120) }))],
  ["was issued in two minutes", () => sign(key, claims({ iat: seconds(120) }))],
  ["names nobody", () => sign(key, without("sub"))],
  ["has an empty subject", () => sign(key, claims({ sub: "" }))],
  ["has a subject that is no text", () => signText(`{${HEADER}}`, JSON.stringify(claims({ sub: { id: "lovelace" } })))],
  ["is bound to a certificate", () => sign(key, claims({ cnf: { "x5t#S256": "abc" } }))],
  ["is bound to a key in a way that nobody knows", () => sign(key, claims({ cnf: { kid: "x" } }))],
  ["is bound by a text", () => sign(key, claims({ cnf: "key" }))],
  ["is bound to a key of a client, and came as a bearer token", () => sign(key, claims({ cnf: { jkt: "abc" } }))],
  [
    "repeats a claim, the second time for another server",
    () => signText(`{${HEADER}}`, repeated("aud", "https://other.example")),
  ],
  [
    "repeats a claim, the second time of another issuer",
    () => signText(`{${HEADER}}`, repeated("iss", "https://evil.example")),
  ],
  ["repeats the algorithm, the second time none", () => signText(`{${HEADER},"alg":"none"}`, JSON.stringify(claims()))],
  [
    "has claims that are nested a thousand levels deep",
    () =>
      signText(`{${HEADER}}`, JSON.stringify(claims()).replace("{", `{"a":${"[".repeat(1000)}${"]".repeat(1000)},`)),
  ],
  ["has claims that are a list", () => signText(`{${HEADER}}`, "[]")],
  ["has claims that are null", () => signText(`{${HEADER}}`, "null")],
  ["has claims that are no JSON", () => signText(`{${HEADER}}`, "{")],
  ["has claims that are no UTF-8", async () => signBytes(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))],
  ["has a header that is no JSON", () => signText("{", JSON.stringify(claims()))],
  ["is encrypted (five parts)", async () => `${await sign(key, claims())}.a.b`],
  ["has two parts", async () => (await sign(key, claims())).split(".").slice(0, 2).join(".")],
  ["is a text without dots", () => "opaque-token"],
  ["is three dots", () => "..."],
];

async function publicHalf(pair: TestKey): Promise<CryptoKey> {
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  return crypto.subtle.importKey("jwk", pair.jwk as JsonWebKey, algorithm, true, ["verify"]);
}

function changePayload(token: string): string {
  const [header, , signature] = token.split(".");
  return `${header}.${encode(claims())}.${signature}`;
}

function swapSignature(token: string, other: string): string {
  return [...token.split(".").slice(0, 2), other.split(".")[2]].join(".");
}

function repeated(name: string, value: string): string {
  return `${JSON.stringify(claims()).slice(0, -1)},"${name}":"${value}"}`;
}

async function signBytes(payload: Uint8Array): Promise<string> {
  return new CompactSign(payload).setProtectedHeader({ alg: "ES256", kid: "ec", typ: "at+jwt" }).sign(key.privateKey);
}

describe("a forged token", () => {
  test.each(FORGED)("that %s is refused with 401", async (_, make) => {
    const { status, error, refusal } = await refused(protectWith().admit(withToken(await make())));
    expect([status, error]).toEqual([401, "invalid_token"]);
    expect(JSON.stringify(refusal)).not.toContain("lovelace");
    expect(attacker.requests).toEqual([]);
  });

  test("differs from a good one only in what is said about it: the good one is let in", async () => {
    const tokens = [
      sign(key, claims()),
      sign(rsa, claims()),
      signText(`{${HEADER}}`, JSON.stringify(claims())),
      sign(key, claims({ aud: ["other", RESOURCE] }), { typ: "JWT" }),
      sign(key, claims(), { typ: "application/AT+JWT" }),
      sign({ ...key, jwk: {} }, claims()),
      sign(key, claims({ nbf: seconds(20), iat: seconds(20) })),
    ];
    const plain = new SignJWT(claims()).setProtectedHeader({ alg: "ES256" }).sign(key.privateKey);
    for (const token of [...tokens, plain]) {
      const { issuer } = await admitted(protectWith().admit(withToken(await token)));
      expect(issuer).toBe(ISSUER);
    }
  });
});

describe("jwt", () => {
  test("accepts an audience that is configured in place of the resource, and not the resource", async () => {
    const auth = protectWith({ audience: ["api://one", "api://two"] });
    await admitted(auth.admit(withToken(await sign(key, claims({ aud: "api://two" })))));
    expect((await refused(auth.admit(withToken(await sign(key, claims()))))).status).toBe(401);
  });

  test("refuses a token that is for others as well, if it has to be for this server only", async () => {
    const auth = protectWith({ exclusiveAudience: true });
    await admitted(auth.admit(withToken(await sign(key, claims({ aud: [RESOURCE] })))));
    const shared = await sign(key, claims({ aud: [RESOURCE, "https://other.example"] }));
    expect((await refused(auth.admit(withToken(shared)))).status).toBe(401);
  });

  test("takes an origin as audience with and without a slash, because both are the same URL", async () => {
    for (const resource of ["https://api.example.com", "https://api.example.com/"]) {
      const auth = protect({ resource, verify: jwt({ issuer: ISSUER, keys: { keys: [key.jwk] as never } }) });
      for (const aud of ["https://api.example.com", "https://api.example.com/"]) {
        const { claims: found } = await admitted(auth.admit(withToken(await sign(key, claims({ aud })))));
        expect(found).toMatchObject({ aud });
      }
    }
  });

  test("goes without an audience only if it is told that the issuer is enough", async () => {
    const token = await sign(key, without("aud"));
    expect((await refused(protectWith().admit(withToken(token)))).status).toBe(401);
    await admitted(protectWith({ boundBy: "issuer" }).admit(withToken(token)));
    const idToken = await sign(key, claims({ aud: "client-1", at_hash: "x" }), { typ: "JWT" });
    expect((await refused(protectWith({ boundBy: "issuer" }).admit(withToken(idToken)))).status).toBe(401);
  });

  test("checks claims that must have certain values, in lists as well", async () => {
    const auth = protectWith({ requiredClaims: { client_id: ["one", "two"], groups: "staff" } });
    await admitted(auth.admit(withToken(await sign(key, claims({ client_id: "two", groups: ["x", "staff"] })))));
    const present = protectWith({ requiredClaims: { azp: true } });
    await admitted(present.admit(withToken(await sign(key, claims({ azp: "any" })))));
    expect((await refused(present.admit(withToken(await sign(key, claims()))))).status).toBe(401);
    for (const more of [{ client_id: "three", groups: "staff" }, { client_id: "one" }, { groups: "staff" }, {}]) {
      expect((await refused(auth.admit(withToken(await sign(key, claims(more)))))).status).toBe(401);
    }
  });

  test("reads scopes, users and clients where the provider writes them", async () => {
    const auth = protectWith({ scopes: ["scp", "roles"], subject: "oid", clientId: "cid" });
    const token = await sign(
      key,
      claims({ scp: "a b", roles: ["c", "a", 7, "d e"], oid: "object", cid: "app", scope: "no" }),
    );
    const { id, scopes, clientId } = await admitted(auth.admit(withToken(token)));
    expect({ id, scopes, clientId }).toEqual({
      id: `["${ISSUER}","object"]`,
      scopes: ["a", "b", "c"],
      clientId: "app",
    });
  });

  test("takes the client for the caller if there is no user", async () => {
    const token = await sign(key, { ...without("sub"), client_id: "machine" });
    const { id } = await admitted(protectWith().admit(withToken(token)));
    expect(id).toBe(`["${ISSUER}",null,"machine"]`);
  });

  test("accepts no algorithm but those that are listed", async () => {
    const auth = protectWith({ algorithms: ["RS256"] });
    await admitted(auth.admit(withToken(await sign(rsa, claims()))));
    expect((await refused(auth.admit(withToken(await sign(key, claims()))))).status).toBe(401);
  });

  test("tries all keys that fit for a token that names none", async () => {
    const second = await createKey("ES256");
    const auth = protectWith({ keys: { keys: [stranger.jwk, { ...second.jwk, kid: "b" }] as never } });
    await admitted(auth.admit(withToken(await sign(second, claims()))));
    expect((await refused(auth.admit(withToken(await sign({ ...key, jwk: {} }, claims()))))).status).toBe(401);
  });

  test.each([
    [{ issuer: "auth.example.com" }, "`issuer` must be a URL"],
    [{ issuer: "http://auth.example.com" }, "`issuer` must be a URL"],
    [{ algorithms: ["HS256"] }, "`algorithms` must be a list of RS256"],
    [{ algorithms: ["none"] }, "`algorithms` must be a list of RS256"],
    [{ algorithms: [] }, "`algorithms` must be a list of RS256"],
    [
      { audience: "" },
      '`audience` must be a text, or a list of texts; for tokens without an audience, say `boundBy: "issuer"`',
    ],
    [{ audience: [] }, "`audience` must be a text"],
    [{ audience: false }, "`audience` must be a text"],
    [{ audience: "a", boundBy: "issuer" }, "leave out `audience`"],
    [{ boundBy: "nothing" }, '`boundBy` must be "audience" or "issuer"'],
    [{ clockTolerance: 60_001 }, "`clockTolerance` must be a number of milliseconds, at most 60000"],
    [{ jwksUri: "http://auth.example.com/keys", keys: undefined }, "`jwksUri` must be a URL"],
    [{ jwksUri: "https://auth.example.com/keys" }, "`keys` and `jwksUri` exclude each other"],
    [{ keys: [] }, "`keys` must be a JWK Set"],
    [{ tokenTypes: [7] }, "`tokenTypes` must be a text"],
    [{ requiredClaims: { a: 7 } }, "`requiredClaims.a` must be a text"],
    [{ subject: [] }, "`subject` must be a text"],
    [{ audiance: "x" }, "Did you mean `audience`?"],
  ])("refuses options that cannot be right: %j", (options, message) => {
    expect(() => protectWith(options as never)).toThrow(message);
  });

  test("puts nothing of the header of a token into the principal", async () => {
    const header: Partial<JWTHeaderParameters> = { jku: `${attacker.url}/jwks` };
    const principal = await admitted(protectWith().admit(withToken(await sign(key, claims(), header))));
    expect(JSON.stringify(principal)).not.toContain(attacker.url);
  });
});

test("that tokens are bound by their audience may be said, and is so anyway", () => {
  const keys = { keys: [key.jwk] } as never;
  for (const boundBy of ["audience", undefined] as const) {
    expect(() => jwt({ issuer: ISSUER, keys, audience: "this-server", boundBy } as JwtOptions)).not.toThrow();
  }
  for (const boundBy of ["audiences", "", null, true]) {
    expect(() => jwt({ issuer: ISSUER, keys, audience: "this-server", boundBy } as never)).toThrow("`boundBy` must be");
  }
});
