/** What callers and operators are told, word by word: callers parse some of it, and people act on the rest. */
import { calculateJwkThumbprint } from "jose";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  auth0,
  clerk,
  cognito,
  entra,
  google,
  introspection,
  type IntrospectionOptions,
  jwt,
  type JwtOptions,
  keycloak,
  okta,
  protect,
  type ProtectOptions,
  supabase,
  type TokenProtection,
  workos,
} from "../../src/auth/index.ts";
import { createKey, headOf, RESOURCE, seconds, sign, type TestKey, withToken } from "./lab/issuer.ts";
import { refused } from "./lab/outcome.ts";
import { DpopLab } from "./lab/proofs.ts";

const ISSUER = "https://auth.example.com";
const METADATA = 'resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/mcp"';

let key: TestKey;
beforeAll(async () => {
  key = await createKey("ES256", "key-1");
});
afterEach(() => void vi.useRealTimers());

const told: unknown[] = [];
function protectWith(more: Partial<ProtectOptions> = {}): TokenProtection {
  told.length = 0;
  return protect({
    resource: RESOURCE,
    verify: jwt({ issuer: ISSUER, keys: { keys: [key.jwk] } }),
    scopes: ["mcp:read"],
    onDiagnostic: (event) => void told.push(event),
    ...more,
  });
}

function claims(more: object = {}): Record<string, unknown> {
  return { iss: ISSUER, sub: "ada", aud: RESOURCE, exp: seconds(300), scope: "mcp:read", ...more };
}

describe("a caller", () => {
  const send = async (more: Partial<ProtectOptions>, headers: Record<string, string>): Promise<unknown> =>
    (await refused(protectWith(more).admit(headOf(headers)))).refusal;
  const challenge = (text: string): readonly string[] => ["WWW-Authenticate", text];

  test("without a token is told where to get one", async () => {
    expect(await send({}, {})).toEqual({
      status: 401,
      message: "This server needs an access token. The `WWW-Authenticate` header says where to get one.",
      headers: challenge(`Bearer scope="mcp:read", ${METADATA}`),
    });
  });

  test("with a malformed header is told how to send a token", async () => {
    expect(await send({}, { authorization: "Bearer a b" })).toEqual({
      status: 400,
      message: "Send one access token, in one `Authorization` header, as `Bearer` and the token; and none in the URL.",
      headers: challenge(
        `Bearer error="invalid_request", error_description="The request must have one access token, in the Authorization header", scope="mcp:read", ${METADATA}`,
      ),
    });
  });

  test("with a token that is not good is told nothing about it", async () => {
    expect(await send({}, { authorization: "Bearer abc" })).toEqual({
      status: 401,
      message:
        "The access token is not accepted here: it is expired, revoked, malformed, or for another server. The `WWW-Authenticate` header says where to get one.",
      headers: challenge(
        `Bearer error="invalid_token", error_description="The access token is expired, revoked, malformed, or not for this resource", scope="mcp:read", ${METADATA}`,
      ),
    });
  });

  test("whose token lacks scopes is told which", async () => {
    const authorization = `Bearer ${await sign(key, claims({ scope: "other" }))}`;
    expect(await send({ scopes: ["mcp:read", "mcp:more"] }, { authorization })).toEqual({
      status: 403,
      message: "The access token lacks scopes: this server needs mcp:read mcp:more. Get one that has them.",
      headers: challenge(
        `Bearer error="insufficient_scope", error_description="The access token lacks scopes", scope="mcp:read mcp:more", ${METADATA}`,
      ),
    });
  });

  test("whose token cannot be verified is told to come back", async () => {
    const verify = (): never => {
      throw new Error("down");
    };
    expect(await send({ verify, authorizationServers: [ISSUER] }, { authorization: "Bearer abc" })).toEqual({
      status: 503,
      code: -32603,
      message: "The access token cannot be verified at the moment. It may be good; try again.",
      headers: ["Retry-After", "5"],
    });
    expect(told).toMatchObject([
      { level: "error", message: "An access token could not be verified; its caller got a 503." },
    ]);
  });

  test("with a bad proof, or without a nonce, is told so in the challenge for proofs alone", async () => {
    const lab = await DpopLab.create();
    const dpop = { mode: "accepted", algorithms: ["ES256"] } as const;
    const token = await lab.token();
    const auth = lab.protect(dpop);
    const bad = await refused(auth.admit(lab.head(token, undefined)));
    expect(bad.refusal).toEqual({
      status: 401,
      message:
        "The `DPoP` header must be a new proof for this request, with the key that the access token is bound to.",
      headers: challenge(
        `Bearer ${METADATA}, DPoP error="invalid_dpop_proof", error_description="The DPoP proof is missing, or does not fit this request and access token", ${METADATA}, algs="ES256"`,
      ),
    });
    const early = await refused(auth.admit(lab.head(token, await lab.proof(token))));
    expect(early.refusal).toEqual({
      status: 401,
      message: "The DPoP proof must have the nonce of the `DPoP-Nonce` header.",
      headers: [
        "WWW-Authenticate",
        `Bearer ${METADATA}, DPoP error="use_dpop_nonce", error_description="The DPoP proof must have the nonce that comes with this response", ${METADATA}, algs="ES256"`,
        "DPoP-Nonce",
        expect.stringMatching(/^[\w-]+$/),
      ],
    });
    const failing = lab.protect({ ...dpop, replay: { add: () => Promise.reject(new Error("down")) } });
    await refused(failing.admit(lab.head(token, await lab.proof(token))));
    expect(lab.told.at(-1)).toBe("A DPoP proof could not be checked; its caller got a 503.");
  });

  test("gets a challenge for an operation with everything that it needs", () => {
    expect(protectWith().challenge(["files:write"])).toEqual(
      challenge(
        `Bearer error="insufficient_scope", error_description="The access token lacks scopes", scope="mcp:read files:write", ${METADATA}`,
      ),
    );
    expect(protectWith({ scopes: [] }).challenge([])).toEqual(
      challenge(`Bearer error="insufficient_scope", error_description="The access token lacks scopes", ${METADATA}`),
    );
  });
});

describe("an operator is told that an access token was refused, because", () => {
  /** By a part of the token that differs from a good one: its claims, its header, the options of `jwt`. */
  const REASONS: [reason: string, claims: object, header?: object, options?: object][] = [
    ["it has expired", { exp: 1 }],
    ["it is not valid yet (`nbf`)", { nbf: 1e11 }],
    ["it was issued in the future (`iat`): do the clocks differ?", { iat: 1e11 }],
    ["it has no `exp`: it would never expire", { exp: undefined }],
    ['its audience is absent, not "https://api.example.com/mcp"', { aud: undefined }],
    ['its audience is "b", not "a" or "c"', { aud: "b" }, {}, { audience: ["a", "c"] }],
    [
      'it is for others as well: its audience is ["a","b"]',
      { aud: ["a", "b"] },
      {},
      { audience: "a", exclusiveAudience: true },
    ],
    ['its issuer is "https://evil.example.com", for which there is no verifier', { iss: "https://evil.example.com" }],
    ["it is no JWT that names an issuer, and there is no `introspection`", { iss: undefined }],
    ['its type (`typ`) is "dpop+jwt", which is no access token', {}, { typ: "dpop+jwt" }],
    ['its algorithm is "ES256"', {}, {}, { algorithms: ["RS256"] }],
    ["none of `keys` has signed it", {}, { kid: "other" }],
    ["it names no caller: it has neither a subject nor a client", { sub: undefined }],
    ["it is no access token: it has `at_hash`", { at_hash: "x" }],
    ["it is no access token: it has `c_hash`", { c_hash: "x" }],
    ["it is no access token: it has `s_hash`", { s_hash: "x" }],
    ["it is no access token: it has `events`", { events: {} }],
    ['it is no access token: its claim `typ` is "Refresh"', { typ: "Refresh" }],
    ['it is no access token: its claim `typ` is "Offline"', { typ: "Offline" }],
    ['it is no access token: its claim `token_type` is "id_token"', { token_type: "id_token" }],
    ['it is no access token: its claim `token_type` is "logout_token"', { token_type: "logout_token" }],
    ['it is no access token: its `token_use` is "refresh"', { token_use: "refresh" }],
    [
      "it is bound to a key, and came without a proof; to accept such tokens, set the option `dpop`",
      { cnf: { jkt: "x" } },
    ],
    ["it is bound in a way that is not supported (`cnf` has x5t#S256, jkt)", { cnf: { "x5t#S256": "x", jkt: "y" } }],
    ["it is bound in a way that is not supported (`cnf` has )", { cnf: {} }],
    ["it is bound in a way that is not supported (`cnf` has )", { cnf: null }],
    ["it is bound in a way that is not supported (`cnf` has jkt)", { cnf: { jkt: "" } }],
    ["its `ver` is not one of those in `requiredClaims`", { ver: "1" }, {}, { requiredClaims: { ver: "2" } }],
    ["its `toString` is not one of those in `requiredClaims`", {}, {}, { requiredClaims: { toString: true } }],
    ["its claims are nested too deep", { a: JSON.parse("[".repeat(40) + "]".repeat(40)) as unknown }],
  ];

  test.each<[string, object, object?, object?]>(REASONS)("%s", async (reason, more, header = {}, options = {}) => {
    const verify = jwt({ issuer: ISSUER, keys: { keys: [key.jwk] }, ...options } as JwtOptions);
    await refused(protectWith({ verify }).admit(withToken(await sign(key, claims(more), header))));
    expect(told).toEqual([{ level: "info", message: `An access token was refused: ${reason}.` }]);
  });

  test.each([
    [{ token_use: "access" }],
    [{ token_use: "access_token" }],
    [{ token_use: undefined, typ: "Bearer", token_type: "Bearer" }],
    [{ typ: 7 }],
    [{ typ: "identity" }],
    [{ typ: "my-refresh" }],
  ])("none of these, if its claims are %j", async (more) => {
    const outcome = await protectWith().admit(withToken(await sign(key, claims(more))));
    expect([told, "principal" in outcome]).toEqual([[], true]);
  });

  test("its signature is another one", async () => {
    const other = await createKey("ES256", "key-1");
    await refused(protectWith().admit(withToken(await sign(other, claims()))));
    await refused(protectWith().admit(withToken(await sign({ ...other, jwk: {} }, claims()))));
    const two = jwt({ issuer: ISSUER, keys: { keys: [key.jwk, { ...key.jwk, kid: "key-2" }] } });
    const first = told.map((event) => (event as { message: string }).message);
    await refused(protectWith({ verify: two }).admit(withToken(await sign({ ...other, jwk: {} }, claims()))));
    expect([...first, ...told.map((event) => (event as { message: string }).message)]).toEqual([
      "An access token was refused: it does not verify (ERR_JWS_SIGNATURE_VERIFICATION_FAILED).",
      "An access token was refused: it names no key, and none of those that fit has signed it.",
    ]);
  });

  test.each([
    ["the verifier refused it", undefined],
    ['its audience is absent, not "https://api.example.com/mcp"', { issuer: ISSUER, subject: "ada" }],
    ["it names no caller: it has neither a subject nor a client", { issuer: ISSUER, audienceChecked: true }],
    ["it has expired", { issuer: ISSUER, subject: "ada", audienceChecked: true, expiresAt: NaN }],
  ])("%s, as a verifier of the application found", async (reason, found) => {
    const auth = protectWith({ verify: () => found as never, authorizationServers: [ISSUER] });
    await refused(auth.admit(withToken("token")));
    expect(told).toEqual([{ level: "info", message: `An access token was refused: ${reason}.` }]);
  });

  test("it is bound to no key, or to another one", async () => {
    const lab = await DpopLab.create();
    const plain = await lab.token(null);
    await refused(lab.protect("accepted").admit(lab.head(plain, await lab.proof(plain))));
    const bound = await lab.token();
    await refused(lab.protect("accepted").admit(headOf({ authorization: `Bearer ${bound}` })));
    expect(lab.told).toEqual([
      "An access token was refused: it came as a DPoP token, but is bound to no key.",
      "An access token was refused: it is bound to a key, and came without a proof.",
    ]);
  });
});

describe("an operator is told what an issuer said", () => {
  test.each([
    [{ active: false }, 200, "info", "the issuer says that it is not active"],
    [{ active: true, iss: "https://evil.example.com" }, 200, "info", 'its issuer is "https://evil.example.com"'],
    [{ active: "true" }, 200, "error", "https://auth.example.com/introspect answered with HTTP status 200"],
    [{ active: true }, 201, "error", "https://auth.example.com/introspect answered with HTTP status 201"],
    [{}, 401, "error", "https://auth.example.com/introspect answered with HTTP status 401; check `client`"],
    [{}, 403, "error", "https://auth.example.com/introspect answered with HTTP status 403; check `client`"],
    [{}, 402, "error", "https://auth.example.com/introspect answered with HTTP status 402"],
  ] as const)("by %j with the status %d", async (body, status, level, reason) => {
    const verify = introspection({
      issuer: ISSUER,
      endpoint: `${ISSUER}/introspect`,
      client: { id: "a", secret: "b" },
      fetch: () => Promise.resolve(Response.json(body, { status })),
    });
    await refused(protectWith({ verify }).admit(withToken("opaque")));
    const [{ message, error, ...event }] = told as [{ level: string; message: string; error?: Error }];
    expect(event.level).toBe(level);
    expect(error?.message ?? message).toBe(level === "info" ? `An access token was refused: ${reason}.` : reason);
  });

  test.each([
    [{}, 400, "info", "Google does not know it"],
    [{}, 401, "info", "Google does not know it"],
    [{}, 402, "error", "https://oauth2.googleapis.com/tokeninfo answered with HTTP status 402"],
    [{}, 201, "error", "https://oauth2.googleapis.com/tokeninfo answered with HTTP status 201"],
    [{ aud: "b" }, 200, "info", 'its audience is "b", not "a"'],
    [{ aud: ["a", "b"] }, 200, "info", 'it is for others as well: its audience is ["a","b"]'],
    [{ aud: "a" }, 200, "info", "it has no `exp`"],
    [
      { aud: "a", exp: "9999999999", azp: "app" },
      200,
      "info",
      "it names no caller: it has neither a subject nor a client",
    ],
  ] as const)("if it is Google and says %j with the status %d", async (body, status, level, reason) => {
    const seen: unknown[] = [];
    const verify = google({
      clientIds: "a",
      fetch: (url, { method, headers, body: sent }) => {
        seen.push([url, method, headers, (sent as URLSearchParams).toString()]);
        return Promise.resolve(Response.json(body, { status }));
      },
    });
    await refused(protectWith({ verify }).admit(withToken("ya29.x")));
    const [{ message, error, ...event }] = told as [{ level: string; message: string; error?: Error }];
    expect(event.level).toBe(level);
    expect(error?.message ?? message).toBe(level === "info" ? `An access token was refused: ${reason}.` : reason);
    const accept = { accept: "application/json" };
    expect(seen).toEqual([["https://oauth2.googleapis.com/tokeninfo", "POST", accept, "access_token=ya29.x"]]);
  });

  test("about its keys", async () => {
    const say = async (options: Partial<JwtOptions>, pages: Readonly<Record<string, Response>>): Promise<unknown> => {
      const asked: unknown[] = [];
      const fetch: NonNullable<JwtOptions["fetch"]> = (url, { headers }) => {
        asked.push([url, (headers as Record<string, string>)["accept"]]);
        return Promise.resolve(pages[url]?.clone() ?? new Response(null, { status: 404 }));
      };
      const verify = jwt({ issuer: ISSUER, fetch, ...options } as JwtOptions);
      await refused(protectWith({ verify }).admit(withToken(await sign(key, claims()))));
      return [(told[0] as { error?: Error }).error?.message, asked];
    };
    const jwks = "application/jwk-set+json, application/json";
    expect(await say({ jwksUri: `${ISSUER}/keys` }, {})).toEqual([
      `${ISSUER}/keys has no keys (HTTP status 404)`,
      [[`${ISSUER}/keys`, jwks]],
    ]);
    expect(await say({ jwksUri: `${ISSUER}/keys` }, { [`${ISSUER}/keys`]: Response.json({ keys: [7] }) })).toEqual([
      `The keys of ${ISSUER} cannot be used`,
      [[`${ISSUER}/keys`, jwks]],
    ]);
    const oauth = `${ISSUER}/.well-known/oauth-authorization-server`;
    const openid = `${ISSUER}/.well-known/openid-configuration`;
    const pages = { [oauth]: Response.json({ issuer: "x" }), [openid]: Response.json({ issuer: ISSUER }) };
    expect(await say({}, pages)).toEqual([
      `The metadata of ${ISSUER} cannot be found: ${oauth} is about another issuer; ${openid} has no \`jwks_uri\` with https. Check \`issuer\`, to the last slash, or set \`jwksUri\``,
      [
        [oauth, "application/json"],
        [openid, "application/json"],
      ],
    ]);
    const [nothing] = (await say({}, {})) as [string];
    expect(nothing).toContain(`${oauth} has none (HTTP status 404); ${openid} has none (HTTP status 404).`);
    const text = { [oauth]: new Response("<html>") };
    expect(((await say({}, text)) as [string])[0]).toContain(`${oauth} has none (HTTP status 200)`);
  });
});

describe("an operator is told that a DPoP proof was refused, because", () => {
  let lab: DpopLab;
  let token: string;
  beforeAll(async () => {
    lab = await DpopLab.create();
    token = await lab.token();
  });

  const reasonOf = async (proof: string | undefined): Promise<string | undefined> => {
    lab.told.length = 0;
    const auth = lab.protect({ mode: "accepted", replay: { add: () => false } });
    await refused(auth.admit(lab.head(token, proof)));
    return /^A DPoP proof was refused: (.*)\.$/.exec(lab.told[0] ?? "")?.[1];
  };

  test.each([
    ["it has no `jti`", { jti: undefined }],
    ["it has no `jti`", { jti: "" }],
    ["it has no `iat`", { iat: undefined }],
    ["its `nonce` is no text", { nonce: 7 }],
    ["its `htm` is another method", { htm: "GET" }],
    ["its `htu` is another URL", { htu: "https://api.example.com/other" }],
    ["its `htu` is another URL", { htu: "https://:password@api.example.com/mcp" }],
    ["its `iat` is too far from now", { iat: 1 }],
    ["its `ath` is of another token", { ath: "x" }],
    ["it was used before", {}],
  ])("%s", async (reason, more) => {
    expect(await reasonOf(await lab.proof(token, more))).toBe(reason);
  });

  test.each([
    ["its `typ` is not dpop+jwt", { typ: "jwt" }],
    ["its `jwk` is missing, or is no public key", { jwk: undefined }],
    ["its `jwk` is missing, or is no public key", { jwk: null }],
    ["its `jwk` is missing, or is no public key", { jwk: { kty: "oct" } }],
    ["its `jwk` is incomplete", { jwk: { kty: "EC" } }],
    ["its `jwk` is incomplete", { jwk: { kty: "RSA" } }],
    ["its `jwk` is incomplete", { jwk: { kty: "OKP" } }],
    ...["d", "p", "q", "dp", "dq", "qi", "oth", "k"].map((name) => [
      "its `jwk` is missing, or is no public key",
      { jwk: { kty: "EC", [name]: "x" } },
    ]),
  ] as [string, object][])("%s: %j", async (reason, header) => {
    expect(await reasonOf(await lab.proof(token, {}, header))).toBe(reason);
  });

  test("there is none, or none that can be read", async () => {
    expect(await reasonOf(undefined)).toBe("there is none");
    expect(await reasonOf("a")).toBe("it is not one JWT; there may be several");
    expect(await reasonOf("a.b.c")).toBe("it is no JWT");
    const [head, body] = (await lab.proof(token)).split(".");
    expect(await reasonOf(`${head}.${body}.AAAA`)).toBe("its signature does not verify");
    const stranger = await createKey("ES256");
    expect(await reasonOf(await lab.proof(token, {}, {}, stranger))).toBe("its key is not that of the token");
    const es384 = await createKey("ES384");
    expect(await reasonOf(await lab.proof(token, {}, { alg: "ES384" }, es384))).toBe(
      "its key is not that of the token",
    );
    const none = Buffer.from(JSON.stringify({ typ: "dpop+jwt", alg: "none" })).toString("base64url");
    expect(await reasonOf(`${none}.${body}.a`)).toBe("its algorithm is not accepted");
    expect(await calculateJwkThumbprint(lab.clientKey.jwk)).toMatch(/^[\w-]{43}$/);
  });
});

describe("options that cannot be right", () => {
  const TENANT = "11112222-bbbb-3333-cccc-4444dddd5555";
  const create = (more: object) => () => protectWith(more);
  const createJwt = (more: object) => () => jwt({ issuer: ISSUER, ...more } as JwtOptions);
  const createIntrospection = (more: object) => () =>
    introspection({
      issuer: ISSUER,
      endpoint: `${ISSUER}/i`,
      client: { id: "a", secret: "b" },
      ...more,
    } as IntrospectionOptions);

  test.each([
    [
      create({ resource: "x" }),
      '`resource` must be the URL by which clients reach the server, such as "https://api.example.com/mcp": https (or http on this machine), without user, query and fragment; got "x".',
    ],
    [
      create({ documentation: "x" }),
      '`documentation` must be a URL such as "https://auth.example.com": https, or http on this machine; got "x".',
    ],
    [create({ verify: 7 }), "`verify` must be `jwt(…)`, `introspection(…)`, a list of them, or a function; got 7."],
    [
      create({ verify: { issuer: "", verify: () => undefined } }),
      "`verify` must be `jwt(…)`, `introspection(…)`, a list of them, or a function",
    ],
    [
      create({ verify: { issuer: "a", verify: 7 } }),
      "`verify` must be `jwt(…)`, `introspection(…)`, a list of them, or a function",
    ],
    [create({ authorizationServers: "x" }), '`authorizationServers` must be a list of issuers; got "x".'],
    [
      create({ authorizationServers: [] }),
      "`authorizationServers` must name at least one issuer: clients have to be told where to get tokens; a function as `verify` does not say it.",
    ],
    [
      create({ scopes: ["offline_access"] }),
      '`scopes` must not have "offline_access": it asks for a refresh token, which is between clients and their authorization server. Leave it out.',
    ],
    [
      create({ scopesSupported: "x" }),
      '`scopesSupported` must be a list of scopes such as ["mcp:read"], without spaces; got "x".',
    ],
    [create({ implies: 7 }), "`implies` must be an object with a list of scopes for each scope; got 7."],
    [create({ exposeToken: 7 }), "`exposeToken` must be"],
    [create({ onDiagnostic: 7 }), "`onDiagnostic` must be a function"],
    [create({ name: 7 }), "`name`"],
    [
      create({ dpop: "x" }),
      '`dpop` must be "accepted", "required", false, or an object with one of them as `mode`; got "x".',
    ],
    [create({ dpop: { mode: "x" } }), "`dpop` must be"],
    [create({ dpop: { mode: "accepted", nonces: 7 } }), "`dpop.nonces` must be"],
    [create({ dpop: { mode: "accepted", replay: {} } }), "`dpop.replay` must be a store with a function `add`"],
    [
      create({ dpop: { mode: "accepted", algorithms: [] } }),
      "`dpop.algorithms` must be a list of ES256, ES384, EdDSA, Ed25519, PS256, RS256",
    ],
    [
      createJwt({ algorithms: ["x"] }),
      "`algorithms` must be a list of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519",
    ],
    [createJwt({ fetch: 7 }), "`fetch` must be a function"],
    [createJwt({ keys: { keys: [7] } }), "`keys` must be a JWK Set: { keys: [...] }"],
    [createJwt({ keys: {} }), "`keys` must be a JWK Set: { keys: [...] }"],
    [createJwt({ keys: { keys: [] }, jwksUri: ISSUER }), "`keys` and `jwksUri` exclude each other: give one."],
    [
      createJwt({ jwksUri: "https://a.example/#x" }),
      '`jwksUri` must be a URL such as "https://auth.example.com": https, or http on this machine',
    ],
    [
      createJwt({ issuer: "https://user@auth.example.com" }),
      '`issuer` must be a URL such as "https://auth.example.com": https, or http on this machine',
    ],
    [
      createJwt({ issuer: "https://:secret@auth.example.com" }),
      '`issuer` must be a URL such as "https://auth.example.com": https, or http on this machine',
    ],
    [createJwt({ boundBy: "x" }), '`boundBy` must be "audience" or "issuer"; got "x".'],
    [
      createJwt({ boundBy: "issuer", exclusiveAudience: true }),
      '`boundBy: "issuer"` means that tokens have no audience; leave out `audience` and `exclusiveAudience`.',
    ],
    [createJwt({ exclusiveAudience: 7 }), "`exclusiveAudience` must be"],
    [
      createJwt({ audience: ["a", ""] }),
      '`audience` must be a text, or a list of texts; for tokens without an audience, say `boundBy: "issuer"`',
    ],
    [
      createJwt({ requiredClaims: 7 }),
      "`requiredClaims` must be an object with a text, a list or true for each claim; got 7.",
    ],
    [createJwt({ requiredClaims: { a: false } }), "`requiredClaims.a` must be a text, or a list of texts"],
    [createJwt({ scopes: 7 }), "`scopes` must be a text, or a list of texts"],
    [createJwt({ clientId: [] }), "`clientId` must be a text, or a list of texts"],
    [
      createIntrospection({ endpoint: "x" }),
      '`endpoint` must be a URL such as "https://auth.example.com": https, or http on this machine',
    ],
    [createIntrospection({ cache: -1 }), "`cache` must be a number of milliseconds, at most 60000; got -1."],
    [createIntrospection({ cache: "1" }), "`cache` must be a number of milliseconds, at most 60000"],
    [
      createIntrospection({ client: 7 }),
      "`client` must be an object with `id` and `secret`, both texts that are not empty",
    ],
    [
      createIntrospection({ client: { id: "", secret: "x" } }),
      "`client` must be an object with `id` and `secret`, both texts that are not empty",
    ],
    [
      createIntrospection({ client: { id: 7, secret: "x" } }),
      "`client` must be an object with `id` and `secret`, both texts that are not empty",
    ],
    [
      createIntrospection({ client: { id: "a", secret: 7 } }),
      "`client` must be an object with `id` and `secret`, both texts that are not empty",
    ],
    [createIntrospection({ fetch: 7 }), "`fetch` must be a function"],
    [() => google({ clientIds: "a", fetch: 7 as never }), "`fetch` must be a function"],
    [
      () => google({ clientIds: "a", endpoint: "x" }),
      '`endpoint` must be a URL such as "https://auth.example.com": https, or http on this machine',
    ],
    [
      () => auth0({ domain: "a/b" }),
      '`domain` must be a host name such as "auth.example.com", without https:// and path; got "a/b".',
    ],
    [() => auth0({ domian: "a" } as never), "auth0"],
    [
      () => okta({ domain: "a.example", audience: "a", authorizationServer: "" }),
      '`authorizationServer` must be an id such as "default"',
    ],
    [() => okta({ domian: "a" } as never), "okta"],
    [
      () => entra({ tenant: `${TENANT}0`, audience: "a" }),
      '`tenant` must be the GUID of one tenant; "common" and "organizations" are no issuers of tokens',
    ],
    [() => entra({ tenant: `0${TENANT}`, audience: "a" }), "`tenant` must be"],
    [() => entra({ tenant: 7 as never, audience: "a" }), "`tenant` must be"],
    [() => entra({ tennant: "a" } as never), "entra"],
    [
      () => keycloak({ url: "https://a.example", realm: "a b" }),
      "`realm` must be the name of a realm, as it is in its URL",
    ],
    [() => keycloak({ uri: "a" } as never), "keycloak"],
    [() => cognito({ region: "a b", userPool: "p" }), '`region` must be a region such as "eu-central-1"'],
    [
      () => cognito({ region: "eu", userPool: "p/q" }),
      '`userPool` must be the id of a user pool such as "eu-central-1_AbCdEfGhI"',
    ],
    [() => cognito({ regoin: "a" } as never), "cognito"],
    [
      () => clerk({ domain: "a.example", audience: "a", boundBy: "issuer" } as never),
      '`audience` must be the audience of the tokens; for tokens without one, say `boundBy: "issuer"`',
    ],
    [() => clerk({ domian: "a" } as never), "clerk"],
    [
      () => supabase({ url: "https://a.example", boundBy: "audience" as never }),
      '`boundBy` must be "issuer": tokens of Supabase do not say whom they are for',
    ],
    [
      () => supabase({ url: "x", boundBy: "issuer" }),
      '`url` must be a URL such as "https://auth.example.com": https, or http on this machine',
    ],
    [
      () => workos({ domain: "https://a.example" }),
      '`domain` must be a host name such as "auth.example.com", without https:// and path',
    ],
  ])("are refused with what to do: %s", (make, message) => {
    expect(make).toThrow(message.includes(" must be ") && !message.endsWith(".") ? `${message}; got` : message);
  });

  test("are those of several verifiers for one kind of token", () => {
    const one = jwt({ issuer: ISSUER, keys: { keys: [] } });
    expect(create({ verify: [one, one] })).toThrow(`\`verify\` has two verifiers for "${ISSUER}": give one.`);
    const opaque = ["https://a.example", "https://b.example"].map((issuer) => createIntrospection({ issuer })());
    expect(create({ verify: opaque })).toThrow(
      "`verify` has several verifiers for opaque tokens, but a token that does not tell its issuer would have to be shown to an authorization server that is not its own.",
    );
  });
});

describe("presets", () => {
  test("write the options of a provider, with a slash at the end and without, and in any case", () => {
    const tenant = "AAAABBBB-cccc-DDDD-eeee-FFFF00001111";
    expect([
      auth0({ domain: "a.example:8443", audience: "x" }),
      okta({ domain: "a.example", audience: "x", authorizationServer: "a.b~c-d_e" }),
      entra({ tenant, audience: "x" }),
      keycloak({ url: "https://a.example/id/", realm: "r" }),
      keycloak({ url: "http://localhost:8080", realm: "r" }),
      cognito({ region: "r", userPool: "p", clients: ["c"] }),
      cognito({ region: "r", userPool: "p" }),
      workos({ domain: "A.example" }),
      clerk({ domain: "a.example", audience: "x" }),
      clerk({ domain: "a.example", boundBy: "issuer" }),
      supabase({ url: "https://a.example/", boundBy: "issuer" }),
      supabase({ url: "https://a.example", boundBy: "issuer", clients: ["c"] }),
    ]).toEqual([
      { issuer: "https://a.example:8443/", audience: "x", scopes: ["scope", "permissions"] },
      {
        issuer: "https://a.example/oauth2/a.b~c-d_e",
        audience: ["x"],
        scopes: "scp",
        subject: ["uid", "sub"],
        clientId: "cid",
      },
      {
        issuer: `https://login.microsoftonline.com/${tenant.toLowerCase()}/v2.0`,
        audience: ["x"],
        requiredClaims: { ver: "2.0", azp: true },
        scopes: ["scp", "roles"],
        subject: "oid",
        clientId: "azp",
      },
      {
        issuer: "https://a.example/id/realms/r",
        audience: undefined,
        scopes: "scope",
        clientId: ["azp", "client_id"],
      },
      {
        issuer: "http://localhost:8080/realms/r",
        audience: undefined,
        scopes: "scope",
        clientId: ["azp", "client_id"],
      },
      {
        issuer: "https://cognito-idp.r.amazonaws.com/p",
        scopes: "scope",
        clientId: "client_id",
        requiredClaims: { token_use: "access", client_id: ["c"] },
        boundBy: "issuer",
      },
      {
        issuer: "https://cognito-idp.r.amazonaws.com/p",
        scopes: "scope",
        clientId: "client_id",
        requiredClaims: { token_use: "access" },
      },
      { issuer: "https://A.example", audience: undefined, scopes: ["scope", "permissions"] },
      { issuer: "https://a.example", tokenTypes: ["at+jwt"], scopes: ["scope", "scp"], audience: ["x"] },
      { issuer: "https://a.example", tokenTypes: ["at+jwt"], scopes: ["scope", "scp"], boundBy: "issuer" },
      {
        issuer: "https://a.example/auth/v1",
        boundBy: "issuer",
        requiredClaims: { aud: "authenticated", role: "authenticated" },
      },
      {
        issuer: "https://a.example/auth/v1",
        boundBy: "issuer",
        requiredClaims: { aud: "authenticated", role: "authenticated", client_id: ["c"] },
      },
    ]);
  });
});
