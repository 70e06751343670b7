import { connect } from "@toolwire/client";
import { memoryStore, oauth, type OAuthOptions } from "@toolwire/client/auth";
import { describe, expect, test } from "vitest";
import { instantLogin, type Site, openSite } from "../../auth/lab/scripted-site.ts";

/** Logs in, and returns the authorization request. */
async function logIn({ origin }: Site, options: OAuthOptions = {}): Promise<URLSearchParams> {
  const login = instantLogin();
  const client = await connect(`${origin}/mcp`, { auth: oauth({ login, ...options }), revision: "2026-07-28" });
  await client.listTools();
  await client.close();
  return login.urls[0]!.searchParams;
}

const registrationOf = (server: Site): Record<string, unknown> =>
  JSON.parse(server.at("/register")[0]?.text ?? "{}") as Record<string, unknown>;

describe("scopes", () => {
  const listed = () => ({ scopes_supported: ["listed:a", "listed:b"] });

  test("those of the challenge MUST be authoritative, whatever the metadata list", async () => {
    const server = await openSite({ challenge: () => 'Bearer scope="challenged"', resource: listed });
    expect((await logIn(server)).get("scope")).toBe("challenged");
  });

  test("without them, all that the metadata list SHOULD be asked for", async () => {
    expect((await logIn(await openSite({ resource: listed }))).get("scope")).toBe("listed:a listed:b");
  });

  test("without either, the parameter SHOULD be left out", async () => {
    expect((await logIn(await openSite())).has("scope")).toBe(false);
  });

  test("offline_access is asked for only where the authorization server lists it", async () => {
    const offers = { issuer: () => ({ scopes_supported: ["offline_access"] }) };
    const server = await openSite({ ...offers, resource: listed });
    expect((await logIn(server)).get("scope")).toBe("listed:a listed:b offline_access");
    // Alone, it would take the place of scopes that the server grants by default.
    expect((await logIn(await openSite(offers))).has("scope")).toBe(false);
  });
});

describe("registration", () => {
  const documents = () => ({ client_id_metadata_document_supported: true });
  const metadataUrl = "https://app.example/client.json";

  test("the order SHOULD be: configured, by document, dynamic", async () => {
    const server = await openSite({ issuer: documents });
    const configured = { id: "configured", issuer: server.origin };
    expect((await logIn(server, { client: configured })).get("client_id")).toBe("configured");
    expect((await logIn(server, { client: { metadataUrl } })).get("client_id")).toBe(metadataUrl);
    expect(server.at("/register")).toHaveLength(0);
    expect((await logIn(server, { client: { name: "x" } })).get("client_id")).toBe("client-1");
  });

  test("a document is used only if the authorization server says that it takes one", async () => {
    const server = await openSite();
    expect((await logIn(server, { client: { metadataUrl } })).get("client_id")).toBe("client-1");
  });

  test.each(["http://app.example/client.json", "https://app.example/", "https://u@app.example/c", "client.json"])(
    "the id of a document MUST be an https URL with a path, not %s",
    (url) => {
      expect(() => oauth({ client: { metadataUrl: url } })).toThrow(/https URL with a path/);
    },
  );

  test.each([
    ["http://127.0.0.1:1234/callback", "native"],
    ["http://localhost:1234/callback", "native"],
    ["com.example.app:/callback", "native"],
    ["https://app.example/callback", "web"],
  ])("MUST have the application_type of its redirect URI: %s is %s", async (redirectUri, type) => {
    const server = await openSite();
    const { authorize } = instantLogin();
    await logInBy(server, { redirectUri, authorize });
    expect(registrationOf(server)).toMatchObject({ application_type: type, redirect_uris: [redirectUri] });
  });

  test("SHOULD name refresh_token, and a response without one MUST NOT be missed", async () => {
    const server = await openSite({
      token: () => ({ json: { access_token: "t", token_type: "Bearer", expires_in: 1 } }),
    });
    await logIn(server);
    expect(registrationOf(server)["grant_types"]).toEqual(["authorization_code", "refresh_token"]);
  });

  test("MUST NOT be used at another authorization server, which the client MUST register with anew", async () => {
    const store = memoryStore();
    const [one, other] = [await openSite(), await openSite()];
    expect((await logIn(one, { store })).get("client_id")).toBe("client-1");
    await logIn(other, { store });
    expect([one.at("/register").length, other.at("/register").length]).toEqual([1, 1]);
  });

  async function logInBy(server: Site, login: NonNullable<OAuthOptions["login"]>): Promise<void> {
    const client = await connect(`${server.origin}/mcp`, { auth: oauth({ login }), revision: "2026-07-28" });
    await client.close();
  }
});

describe("tokens", () => {
  test("MUST be in the Authorization header of every request, and MUST NOT be in a URL", async () => {
    const server = await openSite();
    await logIn(server);
    const [refused, ...others] = server.at("/mcp");
    expect(refused?.headers.authorization).toBeUndefined();
    expect(others.length).toBeGreaterThan(1);
    for (const { headers } of others) expect(headers.authorization).toBe("Bearer token-1");
    for (const { query, path } of server.requests) expect(`${path}?${query.toString()}`).not.toContain("token-1");
  });

  test("`resource` MUST be in authorization and token requests, for the server that the token is for", async () => {
    const server = await openSite();
    expect((await logIn(server)).get("resource")).toBe(`${server.origin}/mcp`);
    expect(server.at("/token").map(({ form }) => form.get("resource"))).toEqual([`${server.origin}/mcp`]);
  });

  test("PKCE MUST be used with S256, with another verifier for every login", async () => {
    const server = await openSite();
    const requests = [await logIn(server), await logIn(server)];
    expect(requests.map((request) => request.get("code_challenge_method"))).toEqual(["S256", "S256"]);
    const verifiers = server.at("/token").map(({ form }) => form.get("code_verifier"));
    expect(new Set(verifiers).size).toBe(2);
  });
});
