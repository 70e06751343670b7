import fc from "fast-check";
import {
  type AuthorizationServer,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  customFetch,
  DPoP,
  type HttpRequestOptions,
  processDiscoveryResponse,
  processGenericTokenEndpointResponse,
  processResourceDiscoveryResponse,
  protectedResourceRequest,
} from "oauth4webapi";
import { describe, expect, test } from "vitest";
import { findIssuerMetadata } from "../../src/auth/discovery/authorization-server.ts";
import { findProtectedResource } from "../../src/auth/discovery/protected-resource.ts";
import { basic } from "../../src/auth/grants/client-authentication.ts";
import { DpopKey } from "../../src/auth/grants/dpop.ts";
import { importPrivateKey } from "../../src/auth/grants/private-key.ts";
import { requestTokens } from "../../src/auth/grants/token-request.ts";
import { AuthNetwork } from "../../src/auth/network/network.ts";
import { authorizationUrl, createRecord, type LoginPlan } from "../../src/auth/login/authorization-request.ts";

const SERVER: AuthorizationServer & { token_endpoint: string } = {
  issuer: "https://as.example",
  token_endpoint: "https://as.example/token",
};

describe("where oauth4webapi agrees with MCP, both do the same", () => {
  test("Basic credentials mean the same to a server that decodes them", () => {
    const text = fc
      .string({ unit: "binary", minLength: 1, maxLength: 30 })
      .filter((value) => !/\p{Surrogate}/u.test(value));
    fc.assert(
      fc.property(text, text, (id, secret) => {
        const [ours, theirs] = [new Headers(), new Headers()];
        void basic(secret)(SERVER, { client_id: id }, new URLSearchParams(), ours);
        void ClientSecretBasic(secret)(SERVER, { client_id: id }, new URLSearchParams(), theirs);
        expect(decodeBasic(ours)).toEqual([id, secret]);
        expect(decodeBasic(theirs)).toEqual([id, secret]);
      }),
    );
  });

  test("Basic credentials of ordinary characters are sent as they are, which oauth4webapi does not do", () => {
    const headers = new Headers();
    void basic("s3cret-with_dots.and*")(SERVER, { client_id: "my-client" }, new URLSearchParams(), headers);
    expect(headers.get("authorization")).toBe(`Basic ${btoa("my-client:s3cret-with_dots.and*")}`);
  });

  test("token responses of every kind are accepted or refused alike, but for four differences that MCP needs", async () => {
    const body = fc.record(
      {
        access_token: fc.constantFrom("t", "", 7, undefined, "two words", "line\nbreak"),
        token_type: fc.constantFrom("bearer", "Bearer", "DPoP", "mac", "N_A", undefined),
        expires_in: fc.constantFrom(60, "60", -1, "soon", null, 0, 1e12, undefined),
        refresh_token: fc.constantFrom("r", 7, "", undefined),
        scope: fc.constantFrom("a b", 7, undefined),
        id_token: fc.constantFrom("not.a.jwt", undefined),
        error: fc.constantFrom("invalid_grant", 7, undefined),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom(200, 201, 302, 400, 401, 500), async (json, status) => {
        const make = (): Response => Response.json(json, { status });
        // The differences: ID tokens that nobody asked for, a lifetime of null, status 201, and tokens that no header can carry.
        const { id_token: _unused, expires_in: lifetime, ...rest } = json;
        const standard = { ...rest, ...(lifetime !== null && { expires_in: lifetime }) };
        const asStandard = Response.json(standard, { status: status === 201 ? 200 : status });
        const theirs = await processGenericTokenEndpointResponse(SERVER, { client_id: "c" }, asStandard).catch(
          () => undefined,
        );
        const isUnusable = /[^\x21-\x7e]/.test(theirs?.access_token ?? "") || theirs?.token_type === "dpop";
        const ours = await requestTokens(
          {
            issuer: SERVER,
            client: { id: "c", origin: "dynamic" },
            fetch: async () => make(),
            resource: undefined,
            dpop: undefined,
            signal: undefined,
          },
          async () => make(),
        ).catch(() => undefined);
        expect(ours?.accessToken).toBe(isUnusable ? undefined : theirs?.access_token);
        if (isUnusable) return;
        expect(ours?.refreshToken ?? "").toBe(theirs?.refresh_token ?? "");
        expect(ours?.granted?.join(" ")).toBe(theirs?.scope);
        if (ours !== undefined) expect(ours.tokenType.toLowerCase()).toBe(theirs?.token_type);
      }),
      { numRuns: 500 },
    );
  });

  test("metadata of authorization servers are accepted or refused alike, but for the checks that MCP adds", async () => {
    const issuer = "https://as.example/t1";
    /** Mostly what is right, so that whole documents are, too. */
    const mostly = (right: unknown, ...wrong: readonly unknown[]) =>
      fc.oneof({ weight: 6, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: fc.constantFrom(...wrong) });
    const url = mostly(
      "https://as.example/x",
      "http://as.example/x",
      "javascript:1",
      "https://u@as.example/x",
      7,
      undefined,
    );
    const others = [`${issuer}/`, "https://AS.example/t1", "https://as.example:443/t1", "https://evil.example", 7];
    const document = fc.record({
      issuer: mostly(issuer, ...others),
      authorization_endpoint: url,
      token_endpoint: url,
      registration_endpoint: url,
      code_challenge_methods_supported: mostly(["S256"], ["plain"], "S256", undefined),
    });
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(document, async (json) => {
        const theirs = await processDiscoveryResponse(new URL(issuer), Response.json(json)).catch(() => undefined);
        const ours = await readIssuer(issuer, json);
        const isSecure = (value: unknown): boolean => value === "https://as.example/x";
        const isWanted =
          // They compare normalized URLs; MCP wants the same text.
          json.issuer === issuer &&
          // They look at endpoints when they are used, and have no rule for PKCE.
          isSecure(json.authorization_endpoint) &&
          isSecure(json.token_endpoint) &&
          (json.registration_endpoint === undefined || isSecure(json.registration_endpoint)) &&
          Array.isArray(json.code_challenge_methods_supported) &&
          json.code_challenge_methods_supported.includes("S256");
        expect(ours !== undefined).toBe(isWanted);
        // What they refuse is never accepted here.
        if (ours !== undefined) expect(theirs).toEqual(ours);
        accepted += ours === undefined ? 0 : 1;
      }),
      { numRuns: 1000 },
    );
    expect(accepted).toBeGreaterThan(0);
  });

  test("metadata of resources are accepted alike where the resource is the server, and by prefix here only", async () => {
    const server = new URL("https://mcp.example/a/mcp");
    const document = fc.record(
      {
        resource: fc.constantFrom(
          server.href,
          `${server.href}/`,
          "https://mcp.example",
          "https://mcp.example/a",
          "https://mcp.example/a/mcpx",
          "https://MCP.example/a/mcp",
          "https://evil.example/a/mcp",
          "https://mcp.example/a/mcp#x",
          7,
        ),
        authorization_servers: fc.constantFrom(["https://as.example"], [], "https://as.example", [7], undefined),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(document, fc.constantFrom("exact", "prefix"), async (json, match) => {
        const theirs = await processResourceDiscoveryResponse(server, Response.json(json)).catch(() => undefined);
        const ours = await readResource(server, json, match);
        const names = json.authorization_servers;
        // They take a document without authorization servers, which is of no use here.
        const isUseful = Array.isArray(names) && names.some((name) => typeof name === "string");
        if (theirs !== undefined) expect(ours !== undefined).toBe(isUseful);
        // All that is accepted here alone differs by segments of the path, by a slash, or by the case of the host.
        if (ours === undefined || theirs !== undefined) return;
        const same = [`${server.href}/`, "https://MCP.example/a/mcp"];
        const prefixes = match === "prefix" ? ["https://mcp.example", "https://mcp.example/a"] : [];
        expect([...same, ...prefixes]).toContain(json.resource);
      }),
      { numRuns: 1000 },
    );
  });

  test("proofs have the same header and claims, and are signed by the same key", async () => {
    const key = await DpopKey.generate(true);
    const handle = DPoP({}, key.pair);
    const url = new URL("https://mcp.example:8443/a/b?query=1#fragment");
    let theirs = "";
    const options = {
      DPoP: handle,
      [customFetch]: async (_: string, { headers }: { headers: Record<string, string> }) => {
        theirs = headers["dpop"] ?? "";
        return new Response("{}");
      },
    } as unknown as HttpRequestOptions<"GET">;
    await protectedResourceRequest("the-token", "GET", url, undefined, undefined, options as never);
    const ours = await key.prove("GET", url, "the-token");
    const [a, b] = [ours, theirs].map((proof) => proof.split(".").slice(0, 2).map(decodePart)) as [object[], object[]];
    expect(a[0]).toEqual(b[0]);
    const { jti: one, iat: at, ...claims } = a[1] as Record<string, unknown>;
    const { jti: two, iat: then, ...others } = b[1] as Record<string, unknown>;
    expect(claims).toEqual(others);
    expect(one).not.toBe(two);
    expect(Math.abs(Number(at) - Number(then))).toBeLessThan(60);
    expect(await key.thumbprint()).toBe(await handle.calculateThumbprint());
    const [head, payload, signature] = ours.split(".");
    const bytes = Uint8Array.from(Buffer.from(signature!, "base64url"));
    const signed = new TextEncoder().encode(`${head}.${payload}`);
    expect(await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key.pair.publicKey, bytes, signed)).toBe(
      true,
    );
  });

  test("the challenge of a login belongs to its verifier", async () => {
    const plan: LoginPlan = {
      server: new URL("https://mcp.example/mcp"),
      place: {
        issuer: { ...SERVER, authorization_endpoint: "https://as.example/authorize?tenant=1" },
        resource: "https://mcp.example",
        scopes: undefined,
        takesDpop: false,
        requiresDpop: false,
        isGuessed: false,
      },
      client: { id: "c", origin: "dynamic" },
      redirectUri: "http://127.0.0.1:1/cb",
      scopes: ["a", "offline_access"],
      isBound: false,
      dpop: undefined,
      parameters: { audience: "api", state: "forged", code_challenge_method: "plain" },
    };
    const record = createRecord(plan);
    const url = await authorizationUrl(
      plan,
      record,
      () => Promise.reject(new Error("not used")),
      new AbortController().signal,
    );
    expect(Object.fromEntries(url.searchParams)).toEqual({
      tenant: "1",
      prompt: "consent",
      audience: "api",
      response_type: "code",
      client_id: "c",
      redirect_uri: "http://127.0.0.1:1/cb",
      state: record.state,
      code_challenge: await calculatePKCECodeChallenge(record.verifier),
      code_challenge_method: "S256",
      scope: "a offline_access",
      resource: "https://mcp.example",
    });
  });
});

test.each(["ES256", "RS256", "PS256", "EdDSA"] as const)(
  "a private key for %s is read from PEM and from a JWK",
  async (algorithm) => {
    const { generateKeyPair, exportPKCS8, exportJWK } = await import("jose");
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
    for (const given of [await exportPKCS8(privateKey), (await exportJWK(privateKey)) as JsonWebKey]) {
      const key = await importPrivateKey(given, algorithm);
      expect(key).toMatchObject({ type: "private", extractable: false });
    }
  },
);

test("a key that cannot be read is refused without a word of it", async () => {
  await expect(importPrivateKey("canary", "ES256")).rejects.toThrow(
    expect.objectContaining({ message: expect.not.stringContaining("canary") as string }),
  );
});

/** A network on which every URL leads to the same document. */
function networkOf(server: URL, json: object): AuthNetwork {
  return new AuthNetwork({ url: server, http: { fetch: async () => Response.json(json) } }, "link-local");
}

async function readIssuer(issuer: string, json: object): Promise<object | undefined> {
  const rules = { strictIssuer: false, assumesPkce: false, needsLogin: true };
  const network = networkOf(new URL("https://mcp.example/mcp"), json);
  return findIssuerMetadata(network, issuer, rules, undefined).catch(() => undefined);
}

async function readResource(server: URL, json: object, match: "exact" | "prefix"): Promise<object | undefined> {
  const found = await findProtectedResource(networkOf(server, json), server, [], match, undefined).catch(
    () => undefined,
  );
  return found?.found;
}

function decodeBasic(headers: Headers): string[] {
  const [id = "", secret = ""] = atob(headers.get("authorization")!.replace("Basic ", "")).split(":");
  return [id, secret].map((part) => decodeURIComponent(part.replaceAll("+", "%20")));
}

function decodePart(part: string): object {
  return JSON.parse(Buffer.from(part, "base64url").toString()) as object;
}
