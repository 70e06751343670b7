import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  auth0,
  clerk,
  cognito,
  entra,
  google,
  jwt,
  type JwtOptions,
  keycloak,
  okta,
  protect,
  supabase,
  type TokenProtection,
  workos,
} from "../../src/auth/index.ts";
import { createKey, RESOURCE, seconds, sign, startSite, type TestKey, type TestSite, withToken } from "./lab/issuer.ts";
import { admitted, refused } from "./lab/outcome.ts";

let key: TestKey;
beforeAll(async () => {
  key = await createKey("RS256", "key-1");
});

const TENANT = "11112222-bbbb-3333-cccc-4444dddd5555";
const APP = "99998888-0000-1111-2222-333344445555";

/** A provider: its options, a token as it issues them, what the caller must be, and tokens that must be refused. */
interface Case {
  readonly options: JwtOptions;
  readonly typ: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly caller: { readonly subject: string; readonly clientId?: string; readonly scopes: readonly string[] };
  readonly refused: readonly Readonly<Record<string, unknown>>[];
}

const CASES: Readonly<Record<string, Case>> = {
  Auth0: {
    options: auth0({ domain: "example.eu.auth0.com" }),
    typ: "JWT",
    claims: {
      iss: "https://example.eu.auth0.com/",
      sub: "auth0|123",
      aud: [RESOURCE, "https://example.eu.auth0.com/userinfo"],
      azp: "client",
      scope: "openid mcp:read",
      permissions: ["mcp:write"],
    },
    caller: { subject: "auth0|123", clientId: "client", scopes: ["openid", "mcp:read", "mcp:write"] },
    refused: [{ iss: "https://example.eu.auth0.com" }, { aud: "client" }],
  },
  Okta: {
    options: okta({ domain: "example.okta.com", audience: "api://mcp" }),
    typ: "JWT",
    claims: {
      iss: "https://example.okta.com/oauth2/default",
      aud: "api://mcp",
      sub: "ada@example.com",
      uid: "00u1",
      cid: "0oa1",
      scp: ["mcp:read", "openid"],
    },
    caller: { subject: "00u1", clientId: "0oa1", scopes: ["mcp:read", "openid"] },
    refused: [{ aud: RESOURCE }, { iss: "https://example.okta.com" }],
  },
  Entra: {
    options: entra({ tenant: TENANT, audience: [APP, `api://${APP}`] }),
    typ: "JWT",
    claims: {
      iss: `https://login.microsoftonline.com/${TENANT}/v2.0`,
      aud: APP,
      sub: "pairwise",
      oid: "object",
      tid: TENANT,
      azp: "client",
      ver: "2.0",
      scp: "mcp.read",
      roles: ["Admin"],
    },
    caller: { subject: "object", clientId: "client", scopes: ["mcp.read", "Admin"] },
    // An ID token, a token of version 1.0, one of another tenant.
    refused: [{ azp: undefined }, { ver: "1.0" }, { iss: "https://login.microsoftonline.com/other/v2.0" }],
  },
  Keycloak: {
    options: keycloak({ url: "https://id.example.com/", realm: "main" }),
    typ: "JWT",
    claims: {
      iss: "https://id.example.com/realms/main",
      aud: [RESOURCE, "account"],
      sub: "f:1",
      typ: "Bearer",
      azp: "client",
      scope: "mcp:read",
    },
    caller: { subject: "f:1", clientId: "client", scopes: ["mcp:read"] },
    refused: [{ aud: "account" }, { typ: "ID" }, { typ: "Refresh" }, { iss: "https://id.example.com/realms/other" }],
  },
  "Cognito with listed clients": {
    options: cognito({ region: "eu-central-1", userPool: "eu-central-1_Pool", clients: ["one", "two"] }),
    typ: "JWT",
    claims: {
      iss: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Pool",
      sub: "user",
      client_id: "two",
      token_use: "access",
      scope: "mcp/read",
    },
    caller: { subject: "user", clientId: "two", scopes: ["mcp/read"] },
    refused: [
      { token_use: "id", aud: "two" },
      { client_id: "three" },
      { client_id: undefined },
      { token_use: undefined },
    ],
  },
  "Cognito with audiences": {
    options: cognito({ region: "eu-central-1", userPool: "eu-central-1_Pool" }),
    typ: "JWT",
    claims: {
      iss: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Pool",
      aud: RESOURCE,
      sub: "user",
      client_id: "any",
      token_use: "access",
    },
    caller: { subject: "user", clientId: "any", scopes: [] },
    refused: [{ aud: undefined }, { aud: "any", token_use: "id" }],
  },
  WorkOS: {
    options: workos({ domain: "example.authkit.app" }),
    typ: "JWT",
    claims: { iss: "https://example.authkit.app", aud: RESOURCE, sub: "user_1", scope: "openid" },
    caller: { subject: "user_1", scopes: ["openid"] },
    refused: [{ aud: "client_01" }, { aud: undefined }],
  },
  "Clerk with audiences": {
    options: clerk({ domain: "example.clerk.accounts.dev", audience: RESOURCE }),
    typ: "at+jwt",
    claims: { iss: "https://example.clerk.accounts.dev", aud: RESOURCE, sub: "user_1", client_id: "c", scope: "email" },
    caller: { subject: "user_1", clientId: "c", scopes: ["email"] },
    refused: [{ aud: undefined }],
  },
  "Clerk without audiences": {
    options: clerk({ domain: "example.clerk.accounts.dev", boundBy: "issuer" }),
    typ: "at+jwt",
    claims: { iss: "https://example.clerk.accounts.dev", sub: "user_1", client_id: "c", scope: "email" },
    caller: { subject: "user_1", clientId: "c", scopes: ["email"] },
    refused: [{ iss: "https://other.clerk.accounts.dev" }],
  },
  Supabase: {
    options: supabase({ url: "https://abc.supabase.co", boundBy: "issuer", clients: ["c"] }),
    typ: "JWT",
    claims: {
      iss: "https://abc.supabase.co/auth/v1",
      aud: "authenticated",
      role: "authenticated",
      sub: "uuid",
      client_id: "c",
    },
    caller: { subject: "uuid", clientId: "c", scopes: [] },
    // The key for anybody, a service's key, a token of a page.
    refused: [{ role: "anon", aud: "anon" }, { role: "service_role" }, { client_id: undefined }],
  },
};

function protectWith(options: JwtOptions): TokenProtection {
  const verify = jwt({ ...options, keys: { keys: [key.jwk] } });
  return protect({ resource: RESOURCE, verify, onDiagnostic: () => {} });
}

describe.each(Object.entries(CASES))("the preset of %s", (_, { options, typ, claims, caller, refused: bad }) => {
  const issue = (more: object = {}): Promise<string> => sign(key, { exp: seconds(300), ...claims, ...more }, { typ });

  test("reads a token as the provider issues it", async () => {
    const principal = await admitted(protectWith(options).admit(withToken(await issue())));
    expect(principal.id).toBe(JSON.stringify([claims["iss"], caller.subject]));
    expect([principal.clientId, principal.scopes]).toEqual([caller.clientId, caller.scopes]);
  });

  test.each(bad)("refuses a token with %j", async (more) => {
    expect((await refused(protectWith(options).admit(withToken(await issue(more))))).status).toBe(401);
  });
});

describe("the preset of Clerk", () => {
  test("refuses session tokens, which have the same issuer and another type", async () => {
    const { options, claims } = CASES["Clerk without audiences"]!;
    const token = await sign(key, { exp: seconds(300), ...claims }, { typ: "JWT" });
    expect((await refused(protectWith(options).admit(withToken(token)))).status).toBe(401);
  });
});

describe("the preset of Google", () => {
  let site: TestSite;
  beforeEach(async () => {
    site = await startSite();
  });
  afterEach(() => site.close());

  const info = (more: object = {}): object => ({
    azp: "client-1",
    aud: "client-1",
    sub: "1234567890",
    scope: "openid https://www.googleapis.com/auth/userinfo.email",
    exp: String(seconds(300)),
    expires_in: "300",
    email: "ada@example.com",
    ...more,
  });
  const create = (): TokenProtection =>
    protect({
      resource: RESOURCE,
      verify: google({ clientIds: ["client-1"], endpoint: `${site.url}/tokeninfo` }),
      onDiagnostic: () => {},
    });

  test("looks a token up, in the body of a request and not in its URL", async () => {
    site.pages.set("/tokeninfo", info());
    const principal = await admitted(create().admit(withToken("ya29.token")));
    expect(principal).toMatchObject({ id: '["https://accounts.google.com","1234567890"]', clientId: "client-1" });
    expect(principal.scopes).toEqual(["openid", "https://www.googleapis.com/auth/userinfo.email"]);
    expect(site.requests).toMatchObject([{ method: "POST", path: "/tokeninfo", body: "access_token=ya29.token" }]);
  });

  test.each([
    { aud: "client-2" },
    { aud: undefined },
    { sub: undefined },
    { exp: "0" },
    { exp: undefined },
    { exp: String(seconds(-1)) },
  ])("refuses a token about which Google says %j", async (more) => {
    site.pages.set("/tokeninfo", info(more));
    expect((await refused(create().admit(withToken("ya29.token")))).status).toBe(401);
  });

  test("refuses a token that Google does not know, and says nothing while Google is down", async () => {
    site.pages.set("/tokeninfo", 400);
    expect((await refused(create().admit(withToken("ya29.token")))).status).toBe(401);
    for (const status of [403, 404, 429, 500]) {
      site.pages.set("/tokeninfo", status);
      expect((await refused(create().admit(withToken("ya29.token")))).status).toBe(503);
    }
  });
});

describe("options of presets", () => {
  test.each([
    [() => auth0({ domain: "https://example.auth0.com" }), "`domain` must be a host name"],
    [() => auth0({ domain: "example.auth0.com/" }), "`domain` must be a host name"],
    [() => okta({ domain: "example.okta.com" } as never), "`audience` must be a text"],
    [
      () => okta({ domain: "example.okta.com", audience: "a", authorizationServer: "a/b" }),
      "`authorizationServer` must be",
    ],
    [() => entra({ tenant: "common", audience: "a" }), '"common" and "organizations" are no issuers'],
    [() => entra({ tenant: TENANT } as never), "`audience` must be a text"],
    [() => keycloak({ url: "http://id.example.com", realm: "main" }), "`url` must be a URL"],
    [() => keycloak({ url: "https://id.example.com", realm: "a/b" }), "`realm` must be"],
    [() => cognito({ region: "eu.evil/", userPool: "p" }), "`region` must be"],
    [() => cognito({ region: "eu-central-1", userPool: "p", clients: [] }), "`clients` must be"],
    [() => clerk({ domain: "example.clerk.accounts.dev" } as never), 'say `boundBy: "issuer"`'],
    [() => supabase({ url: "https://abc.supabase.co" } as never), "tokens of Supabase do not say whom they are for"],
    [() => google({ clientIds: [] }), "`clientIds` must be"],
    [() => workos({ domian: "x" } as never), "Did you mean `domain`?"],
  ])("are refused with what to do: %s", (create, message) => {
    expect(create).toThrow(message);
  });
});
