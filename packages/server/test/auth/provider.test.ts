/** A real authorization server issues tokens, a real HTTP server asks for them. */
import { createHash, randomUUID } from "node:crypto";
import { createServer, request as sendRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { SignJWT } from "jose";
import { afterEach, describe, expect, test } from "vitest";
import {
  type IdentityProvider,
  type IdentityProviderOptions,
  startProvider,
} from "../../../client/test/auth/lab/identity-provider.ts";
import { introspection, jwt, protect, type TokenProtection } from "../../src/auth/index.ts";
import { createKey, RESOURCE, type TestKey } from "./lab/issuer.ts";

const CLIENT = { id: "machine", secret: "a-secret-for-tests-only" };
const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

async function start(options: IdentityProviderOptions = {}): Promise<IdentityProvider> {
  const client = {
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    grant_types: ["client_credentials"],
    redirect_uris: [],
    response_types: [],
  };
  const provider = await startProvider({ ...options, clients: [client] });
  closings.push(() => provider.close());
  return provider;
}

/** Gets a token for a resource, bound to a key if there is one. */
async function getToken(provider: IdentityProvider, resource: string, key?: TestKey): Promise<string> {
  const url = `${provider.issuer}/token`;
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString("base64")}`,
      ...(key && { dpop: await prove(key, url) }),
    },
    body: new URLSearchParams({ grant_type: "client_credentials", resource, scope: "mcp:basic mcp:read" }),
  });
  const body = (await response.json()) as { access_token: string; token_type: string };
  expect([response.status, body.token_type]).toEqual([200, key === undefined ? "Bearer" : "DPoP"]);
  return body.access_token;
}

async function prove(key: TestKey, htu: string, token?: string, nonce?: string): Promise<string> {
  const ath = token && createHash("sha256").update(token).digest("base64url");
  return new SignJWT({
    htm: "POST",
    htu,
    jti: randomUUID(),
    ...(ath !== undefined && { ath }),
    ...(nonce && { nonce }),
  })
    .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk: key.jwk })
    .setIssuedAt()
    .sign(key.privateKey);
}

/** Serves the decisions of an authorization over HTTP. Returns the URL. */
async function serve(create: (url: string) => TokenProtection): Promise<string> {
  const serving: { auth?: TokenProtection } = {};
  const server = createServer((request, response) => {
    const header = (name: string): string | undefined => request.headers[name.toLowerCase()] as string | undefined;
    const head = { method: request.method!, target: request.url!, raw: request, header };
    void Promise.resolve(serving.auth!.admit(head)).then((admission) => {
      if ("refusal" in admission) {
        const { status, headers = [] } = admission.refusal;
        response.writeHead(status, [...headers]).end();
      } else response.end(JSON.stringify(admission.principal));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closings.push(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  serving.auth = create(url);
  return url;
}

/** Sends header fields as they are, repeated ones included. */
async function post(
  url: string,
  fields: readonly string[],
): Promise<{ status: number; body: string; response: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    const host = new URL(url).host;
    const request = sendRequest(url, { method: "POST", headers: ["Host", host, ...fields] as never }, (response) => {
      let body = "";
      response.on("data", (chunk) => (body += String(chunk)));
      response.on("end", () => resolve({ status: response.statusCode!, body, response }));
    });
    request.on("error", reject).end();
  });
}

describe("with a real authorization server", () => {
  test("a JWT for this server is accepted, and one for another server is not", async () => {
    const provider = await start();
    const verify = jwt({ issuer: provider.issuer });
    const url = await serve((resource) => protect({ resource, verify, scopes: ["mcp:read"], onDiagnostic: () => {} }));
    const token = await getToken(provider, url);
    const { status, body } = await post(url, ["Authorization", `Bearer ${token}`]);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      issuer: provider.issuer,
      clientId: CLIENT.id,
      scopes: ["mcp:basic", "mcp:read"],
    });
    const foreign = await getToken(provider, RESOURCE);
    expect((await post(url, ["Authorization", `Bearer ${foreign}`])).status).toBe(401);
    const twice = ["Authorization", `Bearer ${token}`, "Authorization", `Bearer ${foreign}`];
    expect((await post(url, twice)).status).toBe(400);
  });

  test("an opaque token for this server is accepted until it is revoked", async () => {
    const provider = await start({ format: "opaque" });
    const endpoint = `${provider.issuer}/token/introspection`;
    const verify = introspection({ issuer: provider.issuer, endpoint, client: CLIENT, cache: 0 });
    const url = await serve((resource) => protect({ resource, verify, onDiagnostic: () => {} }));
    const token = await getToken(provider, url);
    expect((await post(url, ["Authorization", `Bearer ${token}`])).status).toBe(200);
    expect((await post(url, ["Authorization", `Bearer ${await getToken(provider, RESOURCE)}`])).status).toBe(401);
    await fetch(`${provider.issuer}/token/revocation`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString("base64")}` },
      body: new URLSearchParams({ token }),
    });
    expect((await post(url, ["Authorization", `Bearer ${token}`])).status).toBe(401);
  });

  test.each(["jwt", "opaque"] as const)(
    "a token in the form %s that is bound to a key needs a proof",
    async (format) => {
      const provider = await start({ format });
      const key = await createKey("ES256");
      const endpoint = `${provider.issuer}/token/introspection`;
      const verify =
        format === "jwt"
          ? jwt({ issuer: provider.issuer })
          : introspection({ issuer: provider.issuer, endpoint, client: CLIENT });
      const url = await serve((resource) => protect({ resource, verify, dpop: "accepted", onDiagnostic: () => {} }));
      const token = await getToken(provider, url, key);
      const early = ["Authorization", `DPoP ${token}`, "DPoP", await prove(key, url, token)];
      const asked = (await post(url, early)).response.headers;
      expect(asked["www-authenticate"]).toContain("use_dpop_nonce");
      const nonce = String(asked["dpop-nonce"]);
      const proof = await prove(key, url, token, nonce);
      expect((await post(url, ["Authorization", `DPoP ${token}`, "DPoP", proof])).status).toBe(200);
      expect((await post(url, ["Authorization", `DPoP ${token}`, "DPoP", proof])).status).toBe(401);
      expect((await post(url, ["Authorization", `Bearer ${token}`])).status).toBe(401);
      const two = [
        "Authorization",
        `DPoP ${token}`,
        "DPoP",
        await prove(key, url, token, nonce),
        "DPoP",
        await prove(key, url, token, nonce),
      ];
      const { status, response } = await post(url, two);
      expect([status, response.headers["www-authenticate"]]).toEqual([
        401,
        expect.stringContaining("invalid_dpop_proof"),
      ]);
    },
  );

  test("a token is neither accepted nor refused while the authorization server is down", async () => {
    const provider = await start();
    const url = await serve((resource) =>
      protect({ resource, verify: jwt({ issuer: provider.issuer }), onDiagnostic: () => {} }),
    );
    const token = await getToken(provider, url);
    provider.outage = () => 503;
    const { status, response } = await post(url, ["Authorization", `Bearer ${token}`]);
    expect([status, response.headers["retry-after"], response.headers["www-authenticate"]]).toEqual([
      503,
      "5",
      undefined,
    ]);
  });
});
