import { connect, type ConnectOptions } from "@toolwire/client";
import { oauth, type OAuthOptions } from "@toolwire/client/auth";
import { describe, expect, test } from "vitest";
import { issuerMetadataUrls } from "../../src/auth/discovery/authorization-server.ts";
import {
  findProtectedResource,
  isResourceOf,
  wellKnownResourceUrls,
} from "../../src/auth/discovery/protected-resource.ts";
import { AuthNetwork } from "../../src/auth/network/network.ts";
import { zoneOfAddress, zoneOfHost } from "../../src/auth/network/zones.ts";
import { instantLogin, issuerMetadata, type Site, type SiteParts, openSite } from "./lab/scripted-site.ts";

/** Connects to a site, and returns the error if that fails. */
async function tryOut({ origin }: Site, options: OAuthOptions = {}, more: ConnectOptions = {}) {
  const login = instantLogin();
  const auth = oauth({ login, ...options });
  try {
    const client = await connect(`${origin}/mcp`, { auth, revision: "2026-07-28", ...more });
    await client.close();
    return { logins: login.urls, auth };
  } catch (error) {
    return { logins: login.urls, error: error as Error & { code?: string } };
  }
}

describe("the order of places", () => {
  test("metadata of a server are looked for below its path, then at the root", () => {
    expect(wellKnownResourceUrls(new URL("https://a.example/x/mcp"))).toEqual([
      "https://a.example/.well-known/oauth-protected-resource/x/mcp",
      "https://a.example/.well-known/oauth-protected-resource",
    ]);
    expect(wellKnownResourceUrls(new URL("https://a.example/"))).toHaveLength(1);
  });

  test("metadata of an issuer with a path are looked for in three places, and never at the root", () => {
    expect(issuerMetadataUrls("https://a.example/t1")).toEqual([
      "https://a.example/.well-known/oauth-authorization-server/t1",
      "https://a.example/.well-known/openid-configuration/t1",
      "https://a.example/t1/.well-known/openid-configuration",
    ]);
    expect(issuerMetadataUrls("https://a.example")).toEqual([
      "https://a.example/.well-known/oauth-authorization-server",
      "https://a.example/.well-known/openid-configuration",
    ]);
  });

  test("a server that names its metadata is asked at no other place", async () => {
    const started = await openSite({
      challenge: ({ origin }) => `Bearer resource_metadata="${origin}/prm"`,
      first: ({ path }, { origin }) =>
        path === "/prm" ? { json: { resource: `${origin}/mcp`, authorization_servers: [origin] } } : undefined,
    });
    expect((await tryOut(started)).error).toBeUndefined();
    expect(started.requests.some(({ path }) => path.startsWith("/.well-known/oauth-protected"))).toBe(false);
  });

  test("an authorization server that fails ends discovery, so that an outage selects no other document", async () => {
    const started = await openSite({
      first: ({ path }) => (path === "/.well-known/oauth-authorization-server" ? { status: 503 } : undefined),
    });
    expect((await tryOut(started)).error).toMatchObject({ code: "TEMPORARY" });
    expect(started.at("/.well-known/openid-configuration")).toHaveLength(0);
  });

  test("of several authorization servers, the one that credentials are for is chosen", async () => {
    const started = await openSite({
      resource: ({ origin }) => ({ authorization_servers: ["https://other.example", origin] }),
      issuer: () => ({ token_endpoint_auth_methods_supported: ["client_secret_basic"] }),
    });
    const { logins } = await tryOut(started, { client: { id: "me", secret: "s", issuer: started.origin } });
    expect(logins[0]?.origin).toBe(started.origin);
  });

  test("no metadata at all lead to the endpoints of 2025-03-26, without `resource`, unless that is turned off", async () => {
    const first: SiteParts["first"] = ({ path }) => (path.startsWith("/.well-known") ? { status: 404 } : undefined);
    const started = await openSite({ first });
    const { logins, error } = await tryOut(started);
    expect(error).toBeUndefined();
    expect(logins[0]?.pathname).toBe("/authorize");
    expect(logins[0]?.searchParams.has("resource")).toBe(false);
    const refused = await tryOut(started, { legacyDiscovery: false });
    expect(refused.error).toMatchObject({ code: "UNSUPPORTED_SERVER", message: /oauth-protected-resource\/mcp/ });
  });
});

describe("documents of others", () => {
  test("threat 4: metadata of another issuer are not used", async () => {
    for (const issuer of ["https://evil.example", "", undefined, 7, "http://127.0.0.1", "HTTP://127.0.0.1:1"]) {
      const started = await openSite({ issuer: () => ({ issuer }) });
      const { error, logins } = await tryOut(started);
      expect(error).toMatchObject({ code: "ISSUER_MISMATCH" });
      expect(logins).toHaveLength(0);
      expect(started.at("/register")).toHaveLength(0);
    }
  });

  test("one slash at the end of an issuer without a path is tolerated, and the spelling of the document counts", async () => {
    const started = await openSite({ issuer: ({ origin }) => ({ issuer: `${origin}/` }) });
    const { auth, error } = await tryOut(started);
    expect(error).toBeUndefined();
    expect(auth?.status().issuer).toBe(`${started.origin}/`);
    expect((await tryOut(started, { strictIssuer: true })).error).toMatchObject({ code: "ISSUER_MISMATCH" });
  });

  test("a slash at the end of an issuer with a path is not tolerated", async () => {
    const started = await openSite({
      resource: ({ origin }) => ({ authorization_servers: [`${origin}/t1`] }),
      first: ({ path }, { origin }) =>
        path === "/.well-known/oauth-authorization-server/t1" ? { json: issuerMetadata(`${origin}/t1/`) } : undefined,
    });
    expect((await tryOut(started)).error).toMatchObject({ code: "ISSUER_MISMATCH" });
  });

  test("threat 5: a resource of another origin, a sibling path, or /apifoo for /api is refused", async () => {
    const server = new URL("https://a.example/api/mcp");
    for (const [resource, isPrefix, isExact] of [
      ["https://a.example/api/mcp", true, true],
      ["https://a.example/api", true, false],
      ["https://a.example", true, false],
      ["https://a.example/", true, false],
      ["https://a.example/api/mcp/", true, true],
      ["https://a.example/ap", false, false],
      ["https://a.example/api/mcp2", false, false],
      ["https://a.example/apifoo", false, false],
      ["https://a.example/other", false, false],
      ["https://b.example/api/mcp", false, false],
      ["http://a.example/api/mcp", false, false],
      ["https://a.example:444/api/mcp", false, false],
      ["https://a.example/api#x", false, false],
      ["https://user@a.example/api", false, false],
      ["https://a.example/api/../../api/mcp", true, true],
      ["mcp", false, false],
    ] as const) {
      expect([resource, isResourceOf(resource, server, "prefix")]).toEqual([resource, isPrefix]);
      expect([resource, isResourceOf(resource, server, "exact")]).toEqual([resource, isExact]);
    }
    const started = await openSite({ resource: () => ({ resource: "https://evil.example/mcp" }) });
    const { error, logins } = await tryOut(started);
    expect(error).toMatchObject({ code: "RESOURCE_MISMATCH" });
    expect(logins).toHaveLength(0);
  });

  test("threat 5: a resource with a query is for a server with the same one alone, and one without is for all", () => {
    const one = new URL("https://a.example/mcp?tenant=one");
    const none = new URL("https://a.example/mcp");
    for (const match of ["prefix", "exact"] as const) {
      expect(isResourceOf("https://a.example/mcp?tenant=one", one, match)).toBe(true);
      expect(isResourceOf("https://a.example/mcp?tenant=other", one, match)).toBe(false);
      expect(isResourceOf("https://a.example/mcp?tenant=one", none, match)).toBe(false);
      expect(isResourceOf("https://a.example/mcp", one, match)).toBe(true);
      expect(isResourceOf("https://:pass@a.example/mcp", none, match)).toBe(false);
    }
  });

  test("of the metadata of a server, only what can be used is read", async () => {
    const server = new URL("https://a.example/mcp");
    const read = async (document: object): Promise<unknown> => {
      const fetch = async (): Promise<Response> => Response.json({ resource: server.href, ...document });
      const network = new AuthNetwork({ url: server, http: { fetch } } as never, undefined);
      const { found } = await findProtectedResource(network, server, [], "prefix", undefined);
      return found;
    };
    const issuers = ["https://as.example"];
    const plain = { resource: server.href, issuers, scopes: undefined, takesDpop: false, requiresDpop: false };
    expect(await read({ authorization_servers: issuers })).toEqual(plain);
    expect(
      await read({
        authorization_servers: [7, ...issuers, null],
        scopes_supported: ["a", "b c", "a"],
        dpop_signing_alg_values_supported: ["RS256", "ES256"],
      }),
    ).toEqual({ ...plain, scopes: ["a", "b", "c"], takesDpop: true });
    expect(
      await read({
        authorization_servers: issuers,
        scopes_supported: "a",
        dpop_signing_alg_values_supported: "ES256",
        dpop_bound_access_tokens_required: "true",
      }),
    ).toEqual(plain);
    expect(await read({ authorization_servers: issuers, dpop_signing_alg_values_supported: ["RS256"] })).toEqual(plain);
    expect(await read({ authorization_servers: issuers, dpop_bound_access_tokens_required: true })).toEqual({
      ...plain,
      takesDpop: true,
      requiresDpop: true,
    });
    const many = Array.from({ length: 20 }, (_, index) => `https://as${index}.example`);
    expect(await read({ authorization_servers: many })).toMatchObject({ issuers: many.slice(0, 16) });
    for (const authorization_servers of [undefined, [], [7], "https://as.example"]) {
      await expect(read({ authorization_servers })).rejects.toMatchObject({ code: "UNSUPPORTED_SERVER" });
    }
    await expect(read({ resource: 7, authorization_servers: issuers })).rejects.toMatchObject({
      code: "RESOURCE_MISMATCH",
    });
  });

  test("the `resource` of a server is sent byte for byte", async () => {
    const started = await openSite({ resource: ({ origin }) => ({ resource: origin }) });
    const { logins } = await tryOut(started);
    expect(logins[0]?.searchParams.get("resource")).toBe(started.origin);
    expect(started.at("/token")[0]?.form.get("resource")).toBe(started.origin);
  });
});

test("threat 11: without S256 nobody logs in, unless that is assumed for a pinned issuer", async () => {
  for (const methods of [undefined, [], ["plain"], "S256"]) {
    const started = await openSite({ issuer: () => ({ code_challenge_methods_supported: methods }) });
    const { error, logins } = await tryOut(started);
    expect(error).toMatchObject({ code: "UNSUPPORTED_SERVER", message: /pkce: "assume"/ });
    expect(logins).toHaveLength(0);
    expect(
      (await tryOut(started, { pkce: "assume", authorizationServer: { issuer: started.origin } })).error,
    ).toBeUndefined();
  }
  expect(() => oauth({ pkce: "assume" })).toThrow(/authorizationServer/);
});

describe("zones", () => {
  test.each([
    ["8.8.8.8", "public"],
    ["10.1.2.3", "private"],
    ["172.16.0.1", "private"],
    ["172.32.0.1", "public"],
    ["192.168.1.1", "private"],
    ["100.64.0.1", "private"],
    ["127.0.0.1", "loopback"],
    ["127.255.255.255", "loopback"],
    ["0.0.0.0", "loopback"],
    ["169.254.169.254", "link-local"],
    ["::1", "loopback"],
    ["::", "loopback"],
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:169.254.169.254", "link-local"],
    ["64:ff9b::a00:1", "private"],
    ["2002:7f00:1::", "loopback"],
    ["fe80::1", "link-local"],
    ["fc00::1", "private"],
    ["2606:4700::1111", "public"],
    ["nonsense", "link-local"],
  ])("%s is %s", (address, zone) => {
    expect(zoneOfAddress(address)).toBe(zone);
  });

  test("every spelling of an address in a URL has its zone", () => {
    for (const host of [
      "2130706433",
      "0x7f.1",
      "0177.0.0.1",
      "127.1",
      "localhost",
      "LOCALHOST.",
      "a.localhost",
      "[::1]",
    ]) {
      expect([host, zoneOfHost(new URL(`http://${host}/`).hostname)]).toEqual([host, "loopback"]);
    }
  });

  test("threat 14: a public server cannot name a private target in any of its 7 URLs", async () => {
    const reached: string[] = [];
    const answers = new Map<string, unknown>();
    const send = async (url: URL): Promise<Response> => {
      reached.push(url.href);
      const json = answers.get(url.href);
      if (url.href === "https://mcp.example/mcp") {
        return new Response("", { status: 401, headers: { "www-authenticate": challenge } });
      }
      return json === undefined ? new Response("", { status: 404 }) : Response.json(json);
    };
    let challenge = "Bearer";
    const attempt = async (set: () => void): Promise<unknown> => {
      answers.clear();
      reached.length = 0;
      challenge = "Bearer";
      answers.set("https://mcp.example/.well-known/oauth-protected-resource/mcp", {
        resource: "https://mcp.example/mcp",
        authorization_servers: ["https://as.example"],
      });
      answers.set("https://as.example/.well-known/oauth-authorization-server", issuerMetadata("https://as.example"));
      answers.set("https://as.example/register", { client_id: "client-1" });
      set();
      const auth = oauth({ client: { metadataUrl: "https://app.example/client.json" }, login: instantLogin() });
      return connect("https://mcp.example/mcp", { auth, revision: "2026-07-28", http: { fetch: send } }).catch(
        (error: unknown) => error,
      );
    };
    const endpoint = (name: string, url: string) => () =>
      void answers.set("https://as.example/.well-known/oauth-authorization-server", {
        ...issuerMetadata("https://as.example"),
        [name]: url,
      });
    const cases: (() => void)[] = [
      () => void (challenge = 'Bearer resource_metadata="https://127.0.0.1/prm"'),
      () => void (challenge = 'Bearer resource_metadata="https://169.254.169.254/latest"'),
      () =>
        void answers.set("https://mcp.example/.well-known/oauth-protected-resource/mcp", {
          resource: "https://mcp.example/mcp",
          authorization_servers: ["https://10.0.0.1"],
        }),
      endpoint("token_endpoint", "https://192.168.0.1/token"),
      endpoint("registration_endpoint", "https://[::1]/register"),
      endpoint("registration_endpoint", "http://localhost:9/register"),
      () => {
        answers.set("https://as.example/.well-known/oauth-authorization-server", {
          ...issuerMetadata("https://as.example"),
          registration_endpoint: undefined,
          client_id_metadata_document_supported: true,
          require_pushed_authorization_requests: true,
          pushed_authorization_request_endpoint: "https://[fe80::1]/par",
        });
      },
    ];
    for (const set of cases) {
      const error = await attempt(set);
      expect(error).toMatchObject({ name: "AuthError" });
      expect(error).toMatchObject({ code: "INSECURE_URL" });
      expect(reached.every((url) => /^https:\/\/(mcp|as)\.example\//.test(url))).toBe(true);
    }
  });
});

describe("transport of secrets", () => {
  test("threat 15: endpoints without encryption are refused", async () => {
    for (const name of ["authorization_endpoint", "token_endpoint", "registration_endpoint"]) {
      for (const url of [
        "http://as.example/x",
        "ftp://127.0.0.1/x",
        "https://user:pass@as.example/x",
        "javascript:alert(1)",
        7,
      ]) {
        const started = await openSite({ issuer: () => ({ [name]: url }) });
        const { error, logins } = await tryOut(started);
        expect([name, url, error?.code]).toEqual([name, url, "INSECURE_URL"]);
        expect(logins).toHaveLength(0);
      }
    }
  });

  test("threat 15: a redirect of the token endpoint is not followed", async () => {
    const other = await openSite();
    const started = await openSite({ token: () => ({ status: 307, headers: { location: `${other.origin}/token` } }) });
    expect((await tryOut(started)).error).toMatchObject({ name: "AuthError" });
    expect(other.requests).toHaveLength(0);
  });

  test("threat 15: metadata behind a redirect are not read", async () => {
    const other = await openSite();
    const started = await openSite({
      first: ({ path }) =>
        path.includes("oauth-authorization-server") || path.includes("openid")
          ? { status: 302, headers: { location: `${other.origin}/x` } }
          : undefined,
    });
    expect((await tryOut(started)).error).toMatchObject({ code: "UNSUPPORTED_SERVER" });
    expect(other.requests).toHaveLength(0);
  });
});

test("threat 16: metadata that are huge, slow, nested or endless are given up", async () => {
  const nested = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
  const bombs = [
    { endless: true },
    { text: nested },
    { text: "[".repeat(500_000) },
    { text: `{"issuer": "${"x".repeat(2_000_000)}"}` },
    { text: "null" },
    { text: "" },
  ];
  for (const bomb of bombs) {
    for (const place of ["oauth-protected-resource", "oauth-authorization-server"]) {
      const started = await openSite({ first: ({ path }) => (path.includes(place) ? bomb : undefined) });
      const { error, logins } = await tryOut(started, { legacyDiscovery: false });
      expect(error).toMatchObject({ code: "UNSUPPORTED_SERVER" });
      expect(logins).toHaveLength(0);
    }
  }
  const many = Array.from({ length: 10_000 }, (_, index) => `https://as${index}.example`);
  const started = await openSite({
    resource: ({ origin }) => ({ authorization_servers: [origin, ...many], scopes_supported: many }),
  });
  expect((await tryOut(started)).error).toBeUndefined();
});

test("registration: a refused redirect URI is tried once more with the other name of this machine", async () => {
  const started = await openSite({
    first: ({ path, text }) => {
      if (path !== "/register") return undefined;
      const { redirect_uris: uris } = JSON.parse(text) as { redirect_uris: string[] };
      if (uris[0]?.includes("localhost")) return { status: 201, json: { client_id: "client-1" } };
      return { status: 400, json: { error: "invalid_redirect_uri", error_description: "only localhost\u001b[31m" } };
    },
  });
  const { logins, error } = await tryOut(started);
  expect(error).toBeUndefined();
  expect(new URL(logins[0]!.searchParams.get("redirect_uri")!).hostname).toBe("localhost");
  expect(JSON.parse(started.at("/register")[0]!.text)).toMatchObject({
    application_type: "native",
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "none",
  });
});

test("registration: other refusals are told in the words of the authorization server, cut and printable", async () => {
  const words = `no\u001b[31m${"x".repeat(1000)}`;
  const started = await openSite({
    first: ({ path }) =>
      path === "/register" ? { status: 403, json: { error: "access_denied", error_description: words } } : undefined,
  });
  const { error } = await tryOut(started);
  expect(error).toMatchObject({ code: "REGISTRATION_FAILED" });
  expect(error!.message).toContain("access_denied");
  expect(error!.message).not.toContain("\u001b");
  expect(error!.message.length).toBeLessThan(900);
});
