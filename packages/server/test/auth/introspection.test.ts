import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { introspection, type IntrospectionOptions, jwt, protect, type TokenProtection } from "../../src/auth/index.ts";
import { createKey, RESOURCE, seconds, sign, startSite, type TestSite, withToken } from "./lab/issuer.ts";
import { admitted, refused } from "./lab/outcome.ts";

const ISSUER = "https://auth.example.com";

let site: TestSite;
beforeEach(async () => {
  site = await startSite();
});
afterEach(() => site.close());

const told: string[] = [];
function protectWith(more: Partial<IntrospectionOptions> = {}): TokenProtection {
  told.length = 0;
  const client = { id: "server", secret: "hush" };
  const options = { issuer: ISSUER, endpoint: `${site.url}/introspect`, client, ...more } as IntrospectionOptions;
  return protect({
    resource: RESOURCE,
    verify: introspection(options),
    onDiagnostic: ({ message, error }) => void told.push(`${message} ${error instanceof Error ? error.message : ""}`),
  });
}

function answer(more: object = {}): void {
  site.pages.set("/introspect", {
    active: true,
    sub: "ada",
    aud: RESOURCE,
    scope: "mcp:read",
    exp: seconds(300),
    ...more,
  });
}

describe("introspection", () => {
  test("lets a caller in whose token the issuer calls active, and says who it is", async () => {
    answer({ client_id: "app", iss: ISSUER });
    const principal = await admitted(protectWith().admit(withToken("opaque")));
    expect(principal).toMatchObject({ id: `["${ISSUER}","ada"]`, clientId: "app", scopes: ["mcp:read"] });
    expect(site.requests).toMatchObject([{ method: "POST", body: "token=opaque&token_type_hint=access_token" }]);
  });

  test("sends id and secret form-encoded, so that every character arrives", async () => {
    answer();
    const client = { id: "a:b c-d", secret: "p%+:é/=" };
    await admitted(protectWith({ client }).admit(withToken("opaque")));
    const sent = site.requests[0]!.headers.authorization!.slice("Basic ".length);
    const [id = "", secret = ""] = Buffer.from(sent, "base64").toString().split(":");
    const decode = (text: string): string | null => new URLSearchParams(`x=${text}`).get("x");
    expect([decode(id), decode(secret)]).toEqual([client.id, client.secret]);
  });

  test("sends id and secret in the body, if it is told so", async () => {
    answer();
    const client = { id: "server", secret: "h&sh", method: "post" } as const;
    await admitted(protectWith({ client }).admit(withToken("opaque")));
    const { body, headers } = site.requests[0]!;
    expect(headers.authorization).toBeUndefined();
    expect(Object.fromEntries(new URLSearchParams(body))).toMatchObject({ client_id: "server", client_secret: "h&sh" });
  });

  test.each([
    ["is not active", { active: false }],
    ["is for another server", { aud: "https://other.example" }],
    ["is for nobody", { aud: undefined }],
    ["is of another issuer", { iss: "https://other.example" }],
    ["has expired", { exp: seconds(-1) }],
    ["is not valid yet", { nbf: seconds(120) }],
    ["is bound to a certificate", { cnf: { "x5t#S256": "x" } }],
    ["is bound to a key, and came as a bearer token", { cnf: { jkt: "x" } }],
    ["names nobody", { sub: undefined }],
    ["is a refresh token of Hydra, which has the audience of the access token", { token_use: "refresh_token" }],
    ["is a refresh token of Keycloak", { typ: "Refresh", token_type: "Refresh" }],
    ["has the type of a refresh token", { token_type: "refresh_token" }],
    ["is an ID token", { typ: "ID" }],
  ])("refuses a token that %s", async (_, more) => {
    answer(more);
    expect(await refused(protectWith().admit(withToken("opaque")))).toMatchObject({
      status: 401,
      error: "invalid_token",
    });
  });

  test.each([{ token_use: "access_token" }, { token_use: "access" }, { typ: "Bearer", token_type: "Bearer" }])(
    "takes a token for an access token that the issuer calls %j",
    async (more) => {
      answer(more);
      expect(await admitted(protectWith().admit(withToken("opaque")))).toMatchObject({ id: `["${ISSUER}","ada"]` });
    },
  );

  test("takes the user name for the caller if there is no subject, and never the client of a user", async () => {
    answer({ sub: undefined, username: "ada", client_id: "app" });
    expect((await admitted(protectWith().admit(withToken("opaque")))).id).toBe(`["${ISSUER}","ada"]`);
  });

  test.each([
    ["answers with 500", 500],
    ["refuses our credentials", 401],
    ["forbids it", 403],
    ["does not know the path", 404],
    ["says neither yes nor no", {}],
    ["says yes as text", { active: "true" }],
    ["answers with too much", { active: true, padding: "x".repeat(70_000) }],
  ])("answers with 503, and never with 401, if the issuer %s", async (_, page) => {
    site.pages.set("/introspect", page);
    const auth = protectWith();
    for (const token of ["one", "two"]) {
      const { status, header } = await refused(auth.admit(withToken(token)));
      expect([status, header("retry-after")]).toEqual([503, "5"]);
    }
    expect(told.join()).not.toContain("hush");
    expect(told.join()).not.toMatch(/\b(?:one|two)\b/);
  });

  test("does not follow redirects, which would carry the token elsewhere", async () => {
    const elsewhere = await startSite();
    site.pages.set("/introspect", (response) =>
      response.writeHead(307, { location: `${elsewhere.url}/introspect` }).end(),
    );
    expect((await refused(protectWith().admit(withToken("opaque")))).status).toBe(503);
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });

  test("asks once for a token that many requests come with, and uses the response again", async () => {
    answer();
    const auth = protectWith();
    await Promise.all(Array.from({ length: 50 }, () => admitted(auth.admit(withToken("opaque")))));
    expect(auth.admit(withToken("opaque"))).not.toBeInstanceOf(Promise);
    expect(site.requests).toHaveLength(1);
  });

  test("asks every time if nothing may be used again, so that a revoked token ends at once", async () => {
    answer();
    const auth = protectWith({ cache: 0 });
    await admitted(auth.admit(withToken("opaque")));
    site.pages.set("/introspect", { active: false });
    expect((await refused(auth.admit(withToken("opaque")))).status).toBe(401);
  });

  test("asks about 100 tokens at the same time at most", async () => {
    let open = 0;
    let most = 0;
    const waiting: (() => void)[] = [];
    const auth = protectWith({
      fetch: async () => {
        open += 1;
        most = Math.max(most, open);
        await new Promise<void>((resolve) => waiting.push(resolve));
        open -= 1;
        return Response.json({ active: false });
      },
    });
    const outcomes = Array.from({ length: 150 }, (_, index) => refused(auth.admit(withToken(`token-${index}`))));
    const early = await Promise.all(outcomes.slice(100));
    expect(new Set(early.map(({ status }) => status))).toEqual(new Set([503]));
    for (const go of waiting) go();
    expect(new Set((await Promise.all(outcomes.slice(0, 100))).map(({ status }) => status))).toEqual(new Set([401]));
    expect(most).toBe(100);
  });

  test("shows a token that names another issuer to nobody", async () => {
    answer();
    const key = await createKey("ES256", "key-1");
    const token = await sign(key, { iss: "https://other.example", sub: "ada", aud: RESOURCE, exp: seconds(300) });
    expect((await refused(protectWith().admit(withToken(token)))).status).toBe(401);
    expect(site.requests).toEqual([]);
  });

  test("stands beside JWTs of another issuer: each token goes to its own verifier", async () => {
    answer();
    const key = await createKey("ES256", "key-1");
    const client = { id: "server", secret: "hush" };
    const auth = protect({
      resource: RESOURCE,
      onDiagnostic: () => {},
      verify: [
        jwt({ issuer: "https://jwt.example.com", keys: { keys: [key.jwk] } }),
        introspection({ issuer: ISSUER, endpoint: `${site.url}/introspect`, client }),
      ],
    });
    const token = await sign(key, { iss: "https://jwt.example.com", sub: "ada", aud: RESOURCE, exp: seconds(300) });
    expect((await admitted(auth.admit(withToken(token)))).issuer).toBe("https://jwt.example.com");
    expect(site.requests).toHaveLength(0);
    expect((await admitted(auth.admit(withToken("opaque")))).issuer).toBe(ISSUER);
  });

  test("is there once at most: a token without an issuer would be shown to servers that are not its own", () => {
    const client = { id: "server", secret: "hush" };
    const verify = ["https://a.example", "https://b.example"].map((issuer) =>
      introspection({ issuer, endpoint: `${issuer}/introspect`, client }),
    );
    expect(() => protect({ resource: RESOURCE, verify })).toThrow("several verifiers for opaque tokens");
  });

  test.each([
    [{ endpoint: "http://auth.example.com/introspect" }, "`endpoint` must be a URL"],
    [{ client: undefined }, "`client` must be an object with `id` and `secret`"],
    [{ client: { id: "server", secret: "" } }, "`client` must be an object with `id` and `secret`"],
    [{ client: { id: "server", secret: "hush", method: "jwt" } }, "`client.method` must be"],
    [{ cache: 60_001 }, "`cache` must be a number of milliseconds, at most 60000"],
  ])("refuses options that cannot be right, without their secret: %j", (options, message) => {
    expect(() => protectWith(options as never)).toThrow(message);
    expect(() => protectWith(options as never)).not.toThrow("hush");
  });
});
