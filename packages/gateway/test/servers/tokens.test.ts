import { connect } from "@toolwire/client";
import { clientCredentials, oauth } from "@toolwire/client/auth";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type IdentityProvider,
  type IdentityProviderOptions,
  startProvider,
} from "../../../client/test/auth/lab/identity-provider.ts";
import type { OAuthConfig, ServerConfig } from "../../src/config/config.ts";
import { describeProblem } from "../../src/config/problem.ts";
import { readConfig } from "../../src/config/load-config.ts";
import { findPort } from "../logins/find-port.ts";
import { getTool, type LocalGateway, startLocal } from "../local-gateway.ts";
import { type SimulatedApi, simulateApi } from "../simulated-api.ts";

const SECRET = "secret-of-a-machine-client-0123456789";
const MACHINE = {
  client_id: "machine",
  client_secret: SECRET,
  grant_types: ["client_credentials"],
  redirect_uris: [],
  response_types: [] as never[],
};

interface Lab {
  readonly provider: IdentityProvider;
  readonly api: SimulatedApi;
  readonly local: LocalGateway;
  /** A token for a server. */
  token(slug?: string, scope?: string): Promise<string>;
}

/** A gateway with servers that take tokens of a real authorization server. */
async function start(
  options: {
    readonly oauth?: Partial<OAuthConfig>;
    readonly server?: Partial<ServerConfig>;
    readonly apiKeys?: true;
    readonly provider?: IdentityProviderOptions;
    readonly listen?: object;
  } = {},
): Promise<Lab> {
  const provider = await startProvider({ clients: [MACHINE], ...options.provider });
  const api = await simulateApi(({ headers }) => ({ body: JSON.stringify(headers) }));
  const port = await findPort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const auth = {
    oauth: { issuer: provider.issuer, ...options.oauth },
    ...(options.apiKeys && { apiKeys: options.apiKeys }),
  };
  const tools = {
    read: getTool(`${api.url}/read`),
    write: getTool(`${api.url}/write`, { scopes: ["mcp:write"] }),
  };
  const local = await startLocal(
    { work: { auth, tools, ...options.server }, other: { auth, tools }, open: { tools: { read: tools.read } } },
    { config: { listen: { publicUrl, ...options.listen } }, options: { port } },
  );
  onTestFinished(async () => {
    await local[Symbol.asyncDispose]();
    await api[Symbol.asyncDispose]();
    await provider.close();
  });
  return {
    provider,
    api,
    local,
    async token(slug = "work", scope = "mcp:read") {
      const response = await fetch(`${provider.issuer}/token`, {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from(`machine:${SECRET}`).toString("base64")}` },
        body: new URLSearchParams({ grant_type: "client_credentials", resource: `${publicUrl}/mcp/${slug}`, scope }),
      });
      return ((await response.json()) as { readonly access_token: string }).access_token;
    },
  };
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

describe("A server that takes tokens", () => {
  test("is a resource of its own: its metadata say where to get a token, and a token for another server is refused", async () => {
    const { local, provider, token } = await start({ oauth: { scopes: ["mcp:read"] } });
    const { url } = local.gateway;
    const metadata = await fetch(`${url}/.well-known/oauth-protected-resource/mcp/work`);
    expect(metadata.status).toBe(200);
    expect(await metadata.json()).toMatchObject({
      resource: `${url}/mcp/work`,
      authorization_servers: [provider.issuer],
      scopes_supported: ["mcp:read"],
    });
    for (const slug of ["open", "absent", "work/x", "WORK", ""]) {
      expect((await fetch(`${url}/.well-known/oauth-protected-resource/mcp/${slug}`)).status, slug).toBe(404);
    }
    const refused = await local.post("work", { jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toContain(
      `resource_metadata="${url}/.well-known/oauth-protected-resource/mcp/work"`,
    );
    expect(await local.call("work", "read", {}, bearer(await token("work")))).toMatchObject({ status: 200 });
    expect((await local.call("work", "read", {}, bearer(await token("other")))).status).toBe(401);
    expect((await local.call("other", "read", {}, bearer(await token("other")))).status).toBe(200);
  });

  test("says the same about itself whatever host a request names", async () => {
    const { local } = await start();
    const { url } = local.gateway;
    const response = await fetch(`${url}/.well-known/oauth-protected-resource/mcp/work`, {
      headers: { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https", forwarded: "host=evil.example" },
    });
    expect(await response.text()).not.toContain("evil.example");
  });

  test("lets the SDK's client log in by itself, and calls have the issuer and the subject as their principal", async () => {
    const { local, provider, api } = await start({ oauth: { scopes: ["mcp:read"] } });
    const client = await connect(`${local.gateway.url}/mcp/work`, {
      auth: oauth({ login: { redirectUri: "http://127.0.0.1/cb", authorize: (url) => provider.logIn(url, "ada") } }),
    });
    onTestFinished(() => client.close());
    const result = await client.callTool("read");
    // The token stays at the gateway.
    expect(JSON.stringify(result)).not.toMatch(/authorization|bearer/i);
    expect(JSON.stringify(api.requests)).not.toMatch(/authorization/i);
    expect(local.records.at(-1)?.principal).toBe(JSON.stringify([provider.issuer, "ada"]));
  });

  test("asks for more scopes by a 403, which clients answer by another token", async () => {
    const { local, provider, token } = await start();
    const refused = await local.post(
      "work",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "write", arguments: {} } },
      bearer(await token()),
    );
    expect(refused.status).toBe(403);
    expect(refused.headers.get("www-authenticate")).toMatch(
      /error="insufficient_scope".*scope="mcp:write"|scope="mcp:write".*error="insufficient_scope"/,
    );
    expect(local.records.at(-1)).toMatchObject({ tool: "write", outcome: "denied" });
    const wide = bearer(await token("work", "mcp:read mcp:write"));
    expect(await local.call("work", "write", {}, wide)).toMatchObject({ status: 200, isError: undefined });
    const client = await connect(`${local.gateway.url}/mcp/work`, {
      auth: clientCredentials({ id: "machine", secret: SECRET, issuer: provider.issuer, scopes: ["mcp:read"] }),
    });
    onTestFinished(() => client.close());
    expect((await client.callTool("write")).isError ?? false).toBe(false);
  });

  test("checks scopes of tools in search mode, of overrides, and of scopes that stand for others", async () => {
    const { local, token } = await start({
      server: { mode: "search", overrides: { read: { scopes: ["mcp:write"] } } },
      oauth: { implies: { "mcp:write": ["mcp:read"] } },
    });
    const narrow = bearer(await token());
    const meant = { name: "read", arguments: {} };
    expect((await local.call("work", "call_tool", meant, narrow)).status).toBe(403);
    expect((await local.call("work", "read", {}, narrow)).status).toBe(403);
    const wide = bearer(await token("work", "mcp:write"));
    expect(await local.call("work", "call_tool", meant, wide)).toMatchObject({ status: 200, isError: undefined });
    // An admin tries every tool.
    const tried = await local.gateway.server("work")?.call("read", {});
    expect(tried?.result.isError ?? false).toBe(false);
  });

  test("takes API keys beside tokens if the configuration says so: a key is looked up, everything else is a token", async () => {
    const { local, token } = await start({ apiKeys: true });
    const key = await local.key({ principal: "ada" });
    expect(await local.call("work", "write", {}, key)).toMatchObject({ status: 200, isError: undefined });
    expect(local.records.at(-1)?.principal).toBe("ada");
    const asHeader = { "x-api-key": key["authorization"]?.replace("Bearer ", "") ?? "" };
    expect(await local.call("work", "read", {}, asHeader)).toMatchObject({ status: 200 });
    expect(await local.call("work", "read", {}, bearer(await token()))).toMatchObject({ status: 200 });
    const foreign = await local.key({ servers: ["other"] });
    expect((await local.call("work", "read", {}, foreign)).status).toBe(403);
    const wrong = await local.post("work", { jsonrpc: "2.0", id: 1, method: "tools/list" }, bearer("twk_wrong"));
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get("www-authenticate")).toContain("resource_metadata=");
    expect((await local.call("work", "read", {}, bearer("not-a-key-and-no-token"))).status).toBe(401);
  });

  test("takes no API key otherwise", async () => {
    const { local } = await start();
    expect((await local.call("work", "read", {}, await local.key())).status).toBe(401);
  });

  test("asks the issuer about opaque tokens, and says so by a 503 if it is away", async () => {
    const { local, provider, token } = await start({
      provider: { format: "opaque" },
      oauth: {},
    });
    const { issuer } = provider;
    const introspection = {
      endpoint: `${issuer}/token/introspection`,
      client: { id: "machine", secret: "${secret:introspection}" },
    };
    const { tools } = local.gateway.server("work")?.config ?? {};
    await local.gateway.storage.secrets.set("introspection", SECRET);
    await local.gateway.putServer("opaque", { auth: { oauth: { issuer, introspection } }, tools }, 0);
    const opaque = await token("opaque");
    expect(opaque.split(".")).toHaveLength(1);
    provider.outage = ({ path }) => (path === "/token/introspection" ? 503 : undefined);
    expect((await local.call("opaque", "read", {}, bearer(opaque))).status).toBe(503);
    provider.outage = undefined;
    expect(await local.call("opaque", "read", {}, bearer(opaque))).toMatchObject({ status: 200 });
    expect((await local.call("opaque", "read", {}, bearer("some-other-text"))).status).toBe(401);
    expect(JSON.stringify(local.events)).not.toContain(opaque);
    expect(JSON.stringify(local.events)).not.toContain(SECRET);
  });

  test("refuses tokens of other keys and issuers, and reaches an issuer at allowed addresses only", async () => {
    const { local, provider } = await start();
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const forge = (issuer: string): Promise<string> =>
      new SignJWT({ sub: "ada", scope: "mcp:read" })
        .setProtectedHeader({ alg: "ES256", kid: "key-1", typ: "at+jwt" })
        .setIssuer(issuer)
        .setAudience(`${local.gateway.url}/mcp/work`)
        .setIssuedAt()
        .setExpirationTime("5m")
        .sign(privateKey);
    expect(await exportJWK(privateKey)).toHaveProperty("d");
    expect((await local.call("work", "read", {}, bearer(await forge(provider.issuer)))).status).toBe(401);
    expect((await local.call("work", "read", {}, bearer(await forge("https://evil.example")))).status).toBe(401);
    const { tools } = local.gateway.server("work")?.config ?? {};
    const before = provider.requests.length;
    await local.gateway.putServer(
      "inside",
      { auth: { oauth: { issuer: provider.issuer } }, tools, network: { allow: [] } },
      0,
    );
    expect((await local.call("inside", "read", {}, bearer(await forge(provider.issuer)))).status).toBe(503);
    expect(provider.requests).toHaveLength(before);
  });

  test("has access rules by scope and by principal, for lists and calls alike", async () => {
    const { local, provider, token } = await start({
      server: {
        access: [
          { scopes: ["mcp:write"], tools: ["*"], allow: true },
          { tools: ["read"], allow: true },
        ],
      },
    });
    const [narrow, wide] = [bearer(await token()), bearer(await token("work", "mcp:read mcp:write"))];
    expect(await local.list("work", narrow)).toEqual(["read"]);
    expect(await local.list("work", wide)).toEqual(["read", "write"]);
    expect((await local.call("work", "write", {}, narrow)).error?.code).toBe(-32_602);
    expect(local.records.at(-1)).toMatchObject({
      outcome: "denied",
      principal: JSON.stringify([provider.issuer, "machine"]),
    });
  });
});

test("A preset is part of the metadata that clients read", async () => {
  const port = await findPort();
  await using local = await startLocal(
    {
      work: {
        auth: { oauth: { preset: { keycloak: { url: "https://id.example.com", realm: "staff" } } } },
        tools: { read: getTool("https://api.example.com/") },
      },
    },
    { config: { listen: { publicUrl: `http://127.0.0.1:${port}` } }, options: { port } },
  );
  const response = await fetch(`${local.gateway.url}/.well-known/oauth-protected-resource/mcp/work`);
  expect(await response.json()).toMatchObject({ authorization_servers: ["https://id.example.com/realms/staff"] });
});

describe("The configuration of tokens", () => {
  const problemsOf = (auth: string, top = "listen: { publicUrl: https://mcp.example.com }", more = ""): string[] =>
    readConfig(
      `version: 1
${top}
servers:
  s:
    auth: ${auth}
    tools: { t: { description: d, request: { method: GET, url: https://x.example }${more} } }
`,
      { env: { S: "s" }, folder: "." },
    ).problems.map((problem) => describeProblem(problem));
  const issuer = "issuer: https://login.example";

  test("needs the public URL of the gateway, and says so with a line", () => {
    expect(problemsOf(`{ oauth: { ${issuer} } }`)).toEqual([]);
    expect(problemsOf(`{ oauth: { ${issuer} }, apiKeys: true }`)).toEqual([]);
    expect(problemsOf(`{ oauth: { ${issuer} } }`, "")).toEqual([
      expect.stringMatching(/^5:\d+: error: servers\.s\.auth\.oauth: .*listen\.publicUrl/) as string,
    ]);
  });

  test.each([
    [`{ oauth: { issuer: http://login.example } }`, /https:\/\//],
    [`{ oauth: { ${issuer}, boundBy: issuer, audience: a, requiredClaims: { a: b } } }`, /no audience/],
    [`{ oauth: { ${issuer}, boundBy: issuer } }`, /warning: .*requiredClaims/],
    [
      `{ oauth: { ${issuer}, jwksUri: https://login.example/k, introspection: { endpoint: https://login.example/i, client: { id: c, secret: "\${env:S}" } } } }`,
      /leave out `jwksUri`/,
    ],
  ])("%s is refused, or warned of", (auth, expected) => {
    expect(problemsOf(auth)).toEqual([expect.stringMatching(expected) as string]);
  });

  test("takes presets of well-known providers, whose options are checked", () => {
    expect(problemsOf("{ oauth: { preset: { auth0: { domain: example.eu.auth0.com } }, scopes: [a] } }")).toEqual([]);
    expect(problemsOf("{ oauth: { preset: { google: { clientIds: [c] } } } }")).toEqual([]);
    expect(problemsOf("{ oauth: { preset: { entra: { tenant: common, audience: a } } } }")).toEqual([
      expect.stringMatching(/auth\.oauth\.preset: .*GUID/) as string,
    ]);
    expect(problemsOf(`{ oauth: { preset: { okta: { domain: a.example, audience: a } }, ${issuer} } }`)).toEqual([
      expect.stringMatching(/auth\.oauth\.issuer: A `preset` says this/) as string,
    ]);
    expect(problemsOf("{ oauth: { scopes: [a] } }")).toEqual([expect.stringContaining("or use a `preset`") as string]);
    expect(problemsOf("{ oauth: { preset: { nobody: {} } } }").join()).toContain("nobody");
  });

  test("has scopes only where there are tokens", () => {
    expect(problemsOf("{ apiKeys: true }", "", ", scopes: [a]")).toEqual([
      expect.stringMatching(/^6:\d+: error: servers\.s\.tools\.t\.scopes: Only tokens have scopes/) as string,
    ]);
  });
});
