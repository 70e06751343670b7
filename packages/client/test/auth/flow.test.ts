import { AuthError, type Client, connect, type ConnectOptions, textOf } from "@toolwire/client";
import { clientCredentials, oauth, type OAuthOptions } from "@toolwire/client/auth";
import { generateKeyPair, exportPKCS8, exportJWK } from "jose";
import { afterEach, describe, expect, test } from "vitest";
import { type IdentityProvider, type IdentityProviderOptions, startProvider } from "./lab/identity-provider.ts";
import { type ProtectedServerOptions, startProtectedServer } from "./lab/protected-server.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function provider(options?: IdentityProviderOptions) {
  const started = await startProvider(options);
  cleanups.push(() => started.close());
  return started;
}

async function server(options: ProtectedServerOptions) {
  const started = await startProtectedServer(options);
  cleanups.push(() => started.close());
  return started;
}

async function client(url: string, options: ConnectOptions): Promise<Client> {
  const connected = await connect(url, options);
  cleanups.push(() => connected.close());
  return connected;
}

/** Logs in at the provider that the URL leads to, as a browser does. */
function user(idp: IdentityProvider, name = "alice", options: OAuthOptions = {}) {
  const logins: URL[] = [];
  const auth = oauth({
    client: { name: "test" },
    login: {
      redirectUri: "http://127.0.0.1:33418/callback",
      authorize: (url) => {
        logins.push(url);
        return idp.logIn(url, name);
      },
    },
    ...options,
  });
  return { auth, logins };
}

const text = async (called: ReturnType<Client["callTool"]>) => textOf(await called);

/** Makes a call, which must succeed, and counts the refreshes so far. */
async function refreshesAfter(connected: Client, idp: IdentityProvider): Promise<number> {
  if ((await text(connected.callTool("whoami"))) !== "alice") throw new Error("It is not Alice who is logged in.");
  return idp.tokenRequests("refresh_token").length;
}

describe.each(["2026-07-28", "2025-11-25"] as const)("in revision %s", (revision) => {
  test("a user logs in, and everything works as without authorization", async () => {
    const idp = await provider();
    const rs = await server({ providers: [idp] });
    const { auth, logins } = user(idp);
    const connected = await client(rs.url, { auth, revision });
    expect(await text(connected.callTool("whoami"))).toBe("alice");
    expect((await connected.listTools()).tools).toHaveLength(3);
    expect(logins).toHaveLength(1);
    const query = logins[0]!.searchParams;
    expect(query.get("resource")).toBe(rs.url);
    expect(query.get("code_challenge_method")).toBe("S256");
    expect(query.get("scope")?.split(" ")).toContain("mcp:basic");
    expect(idp.tokenRequests("authorization_code")[0]?.body.get("resource")).toBe(rs.url);
    expect(auth.status()).toMatchObject({ state: "authorized", issuer: idp.issuer, resource: rs.url });
  });

  test("a user logs in over WebSocket", async () => {
    const idp = await provider();
    const rs = await server({ providers: [idp], resource: (url) => new URL(url).origin });
    const { auth, logins } = user(idp);
    const connected = await client(rs.webSocketUrl, { auth, revision });
    expect(await text(connected.callTool("whoami"))).toBe("alice");
    expect(logins).toHaveLength(1);
  });

  test("tokens that end after a moment are renewed, and nobody logs in twice", async () => {
    const idp = await provider({ lifetime: 2 });
    const rs = await server({ providers: [idp] });
    const { auth, logins } = user(idp);
    const connected = await client(rs.url, { auth, revision });
    await expect.poll(() => refreshesAfter(connected, idp), { interval: 50 }).toBeGreaterThanOrEqual(2);
    expect(logins).toHaveLength(1);
  });

  test("a call that needs more scopes makes the user agree once, and keeps the old ones", async () => {
    const idp = await provider();
    const rs = await server({
      providers: [idp],
      toolScopes: { write: ["mcp:write"], admin: ["mcp:basic", "mcp:read"] },
    });
    const { auth, logins } = user(idp);
    const connected = await client(rs.url, { auth, revision });
    expect(await text(connected.callTool("whoami"))).toBe("alice");
    expect(await text(connected.callTool("write"))).toBe("written");
    expect(await text(connected.callTool("admin"))).toBe("done");
    expect(await text(connected.callTool("whoami"))).toBe("alice");
    expect(
      logins.map((url) =>
        url.searchParams
          .get("scope")
          ?.split(" ")
          .filter((scope) => scope.startsWith("mcp:")),
      ),
    ).toEqual([["mcp:basic"], ["mcp:basic", "mcp:write"], ["mcp:basic", "mcp:write", "mcp:read"]]);
  });
});

test("tokens that only their issuer can read work like others", async () => {
  const introspection = { id: "rs", secret: "rs-secret" };
  const idp = await provider({
    format: "opaque",
    clients: [{ client_id: "rs", client_secret: "rs-secret", redirect_uris: [], response_types: [], grant_types: [] }],
  });
  const rs = await server({ providers: [idp], introspection });
  const connected = await client(rs.url, { auth: user(idp).auth });
  expect(await text(connected.callTool("whoami"))).toBe("alice");
});

test("a server that does not name its metadata is asked at the well-known places", async () => {
  const idp = await provider();
  const rs = await server({ providers: [idp], namesMetadata: false });
  const connected = await client(rs.url, { auth: user(idp).auth });
  expect(await text(connected.callTool("whoami"))).toBe("alice");
  expect(rs.seen.map(({ path }) => path)).toContain("/.well-known/oauth-protected-resource/mcp");
});

describe("DPoP", () => {
  test.each(["required", "nonce"] as const)("tokens are bound to a key if the server wants that: %s", async (dpop) => {
    const idp = await provider({ requiresDpopNonce: dpop === "nonce", lifetime: 2 });
    const rs = await server({ providers: [idp], dpop });
    const { auth, logins } = user(idp);
    const connected = await client(rs.url, { auth });
    await expect.poll(() => refreshesAfter(connected, idp), { interval: 50 }).toBeGreaterThanOrEqual(1);
    expect(logins).toHaveLength(1);
    const proofs = rs.seen.flatMap(({ proof }) => proof ?? []);
    expect(new Set(proofs).size).toBe(proofs.length);
  });

  test("threat 31: a retry with a nonce has a new jti, and the nonce of the origin that gave it", async () => {
    const idp = await provider({ requiresDpopNonce: true });
    const rs = await server({ providers: [idp], dpop: "nonce" });
    const connected = await client(rs.url, { auth: user(idp).auth });
    await connected.callTool("whoami");
    const proofs = rs.seen.flatMap(({ proof }) => proof ?? []).map(payloadOf);
    expect(new Set(proofs.map(({ jti }) => jti)).size).toBe(proofs.length);
    expect(proofs[0]?.nonce).toBeUndefined();
    const ofServer = proofs.flatMap(({ nonce }) => nonce ?? []);
    expect(proofs.at(-1)?.nonce).toBe(ofServer[0]);
    const atIssuer = idp.tokenRequests().map(({ headers }) => payloadOf(String(headers["dpop"])));
    expect(new Set(atIssuer.map(({ jti }) => jti)).size).toBe(atIssuer.length);
    expect(atIssuer.filter(({ nonce }) => nonce !== undefined && ofServer.includes(nonce))).toEqual([]);
    expect(atIssuer.at(-1)?.nonce).toBeDefined();
  });
});

describe("migration between two authorization servers", () => {
  test("threat 6: old client id, secret and refresh token never reach the new authorization server", async () => {
    const [old, next] = [await provider(), await provider()];
    const rs = await server({ providers: [old, next] });
    rs.issuers = [old.issuer];
    const logins: URL[] = [];
    const auth = oauth({
      login: {
        redirectUri: "http://127.0.0.1:33418/callback",
        authorize: (url) => {
          logins.push(url);
          return old.logIn(url);
        },
      },
    });
    const connected = await client(rs.url, { auth });
    expect(await text(connected.callTool("whoami"))).toBe("alice");
    const oldId = auth.status().clientId!;
    rs.issuers = [next.issuer];
    expect(await text(connected.callTool("whoami"))).toBe("alice");
    expect(auth.status().issuer).toBe(next.issuer);
    expect(logins.map(({ origin }) => origin)).toEqual([old.issuer, next.issuer]);
    const oldSecrets = [
      oldId,
      ...old.tokenRequests().flatMap(({ body }) => [body.get("refresh_token"), body.get("code")]),
    ].filter(Boolean);
    const told = JSON.stringify(next.requests.map(({ body, headers }) => [body.toString(), headers])) + logins[1]!.href;
    for (const secret of oldSecrets) expect(told).not.toContain(secret);
    expect(next.tokenRequests("refresh_token")).toHaveLength(0);
  });
});

describe("machines", () => {
  test("a secret is exchanged for a token, and the extension is declared", async () => {
    const idp = await provider({ clients: [machine({ client_secret: "s3cret-%:+_*~ " })] });
    const rs = await server({ providers: [idp] });
    const auth = clientCredentials({ id: "machine", secret: "s3cret-%:+_*~ ", issuer: idp.issuer });
    const connected = await client(rs.url, { auth });
    expect(await text(connected.callTool("whoami"))).toBe("machine");
    expect(auth.extensions).toEqual({ "io.modelcontextprotocol/oauth-client-credentials": {} });
  });

  test("a private key signs an assertion for the issuer alone, a new one for every request", async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), use: "sig", alg: "ES256" }] };
    const idp = await provider({
      lifetime: 2,
      clients: [machine({ token_endpoint_auth_method: "private_key_jwt", jwks: jwks as never })],
    });
    const rs = await server({ providers: [idp] });
    const connected = await client(rs.url, {
      auth: clientCredentials({ id: "machine", key: await exportPKCS8(privateKey), issuer: idp.issuer }),
    });
    expect(await text(connected.callTool("whoami"))).toBe("machine");
    await expect.poll(() => connected.callTool("whoami").then(() => idp.tokenRequests().length)).toBeGreaterThan(1);
    const assertions = idp.tokenRequests().map(({ body }) => payloadOf(body.get("client_assertion")!));
    expect(new Set(assertions.map(({ jti }) => jti)).size).toBe(assertions.length);
    expect(assertions[0]).toMatchObject({ iss: "machine", sub: "machine", aud: idp.issuer });
  });

  test("a secret that is wrong fails with the words of the authorization server, and is not tried again at once", async () => {
    const idp = await provider({ clients: [machine({ client_secret: "right" })] });
    const rs = await server({ providers: [idp] });
    const auth = clientCredentials({ id: "machine", secret: "wrong", issuer: idp.issuer });
    await expect(connect(rs.url, { auth })).rejects.toMatchObject({ code: "LOGIN_FAILED", message: /invalid_client/ });
    await expect(connect(rs.url, { auth })).rejects.toMatchObject({ code: "TEMPORARY" });
    expect(idp.tokenRequests()).toHaveLength(1);
  });
});

function machine(more: object) {
  return {
    client_id: "machine",
    grant_types: ["client_credentials"],
    redirect_uris: [],
    response_types: [],
    scope: "mcp:basic mcp:read",
    ...more,
  } as never;
}

function payloadOf(jwt: string): Record<string, string | undefined> {
  return JSON.parse(Buffer.from(jwt.split(".")[1]!, "base64url").toString()) as Record<string, string | undefined>;
}

test("a server that refuses a token a moment after it was issued ends with TOKEN_REJECTED", async () => {
  const idp = await provider();
  const rs = await server({ providers: [idp], refuses: () => true });
  const { auth, logins } = user(idp);
  const failure = await connect(rs.url, { auth }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AuthError);
  expect(failure).toMatchObject({ code: "TOKEN_REJECTED" });
  expect(logins).toHaveLength(1);
});
