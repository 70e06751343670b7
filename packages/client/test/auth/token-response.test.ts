import { connect } from "@toolwire/client";
import { type AuthStore, clientCredentials, memoryStore, oauth } from "@toolwire/client/auth";
import { afterEach, describe, expect, test } from "vitest";
import { instantLogin, type Script, type Site, openSite } from "./lab/scripted-site.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function failureOf(server: Site, options: Parameters<typeof oauth>[0] = {}): Promise<unknown> {
  const auth = oauth({ login: instantLogin(), ...options });
  return connect(`${server.origin}/mcp`, { auth, revision: "2026-07-28" }).then(
    (client) => client.close(),
    (error: unknown) => error,
  );
}

describe("tokens that would do harm", () => {
  test.each([
    ["a line break", "canary\r\nx-forged: 1"],
    ["a blank", "canary Basic abc"],
    ["a character beyond ASCII", "canary-é"],
    ["a null", "canary\0"],
    ["100 000 characters", "canary".repeat(20_000)],
  ])("threat 35: a token with %s is not used, and is in no error", async (_, token) => {
    const server = await openSite({ token: () => ({ json: { access_token: token, token_type: "Bearer" } }) });
    const error = await failureOf(server);
    expect(error).toMatchObject({ name: "AuthError", code: "UNSUPPORTED_SERVER" });
    expect(String(error)).not.toContain("canary");
    expect(server.at("/mcp").filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });

  test("a token that is bound to a key which was never proved is not sent as a bearer token", async () => {
    const server = await openSite({ token: () => ({ json: { access_token: "bound", token_type: "DPoP" } }) });
    expect(await failureOf(server)).toMatchObject({ code: "UNSUPPORTED_SERVER" });
    expect(server.at("/mcp").filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });

  test("an assertion that comes in place of an access token is not sent to the server", async () => {
    const server = await openSite({ token: () => ({ json: { access_token: "assertion", token_type: "N_A" } }) });
    expect(await failureOf(server)).toMatchObject({ name: "AuthError" });
    expect(server.at("/mcp").filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });

  test('threat 30: with dpop: "required", neither a login nor a refresh can lead to a token without a key', async () => {
    const kinds = ["Bearer", "DPoP", "Bearer"];
    let isExpired = false;
    const server = await openSite({
      token: () => ({ json: { access_token: `t-${kinds.length}`, token_type: kinds.shift(), refresh_token: "r" } }),
      accepts: (token) => !isExpired || token !== "t-2",
    });
    expect(await failureOf(server, { dpop: "required" })).toMatchObject({ code: "UNSUPPORTED_SERVER" });
    const auth = oauth({ login: instantLogin(), dpop: "required" });
    const client = await connect(`${server.origin}/mcp`, { auth, revision: "2026-07-28" });
    cleanups.push(() => client.close());
    isExpired = true;
    await expect(client.listTools({ fresh: true })).rejects.toMatchObject({ code: "UNSUPPORTED_SERVER" });
    const sent = server.at("/mcp").flatMap(({ headers }) => headers.authorization ?? []);
    expect(sent.filter((field) => !field.startsWith("DPoP "))).toEqual([]);
  });

  test("a lifetime that no date can hold is cut, and the token is used", async () => {
    const server = await openSite({
      token: () => ({ text: '{"access_token":"t","token_type":"Bearer","expires_in":1e308}' }),
    });
    const auth = clientCredentials({ id: "me", secret: "s3cret", issuer: server.origin });
    const client = await connect(`${server.origin}/mcp`, { auth, revision: "2026-07-28" });
    await client.close();
    expect(auth.status().expiresAt?.getTime()).toBeGreaterThan(Date.now());
  });
});

describe("threat 18: an authorization server repeats what it was sent", () => {
  const repeat: Script = ({ text, form, headers }) => {
    const basic = headers.authorization?.split(" ")[1] ?? "";
    const words = [...form.values(), basic, Buffer.from(basic, "base64").toString(), decodeURIComponent(text)];
    return { status: 400, json: { error: "invalid_grant", error_description: words.join(" ") } };
  };
  // A description is cut, so that each secret has to be looked for at its beginning as well.
  const short =
    (name: string): Script =>
    ({ form, headers }) => ({
      status: 400,
      json: { error: form.get(name) ?? headers.authorization, error_description: `Bad ${form.get(name)}` },
    });

  test("threat 18: neither code nor verifier are in the error of a login", async () => {
    for (const token of [repeat, short("code"), short("code_verifier")]) {
      const server = await openSite({ token });
      const error = await failureOf(server, { login: instantLogin({ code: "canary-code" }) });
      expect(error).toMatchObject({ code: "LOGIN_FAILED" });
      const verifier = server.at("/token")[0]?.form.get("code_verifier") ?? "";
      expect(String(error)).not.toMatch(/canary/);
      expect(String(error)).not.toContain(verifier.slice(0, 20));
    }
  });

  test.each(["client_secret_basic", "client_secret_post"])(
    "threat 18: no secret is in the error (%s)",
    async (method) => {
      for (const token of [repeat, short("client_secret")]) {
        const server = await openSite({ token, issuer: () => ({ token_endpoint_auth_methods_supported: [method] }) });
        const auth = clientCredentials({ id: "me", secret: "canary secret+%", issuer: server.origin });
        const error: unknown = await connect(`${server.origin}/mcp`, { auth, revision: "2026-07-28" }).catch(
          (failure: unknown) => failure,
        );
        expect(error).toMatchObject({ code: "LOGIN_FAILED" });
        expect(String(error)).not.toMatch(/canary/);
        expect(String(error)).not.toContain(btoa("me:canary").slice(0, 10));
      }
    },
  );
});

describe("values in a store that were not written by this program", () => {
  test.each([
    ["a text", "token"],
    ["no object", null],
    ["a list", []],
    ["an object without tokens", { issuer: 7 }],
    ["tokens of another kind", { issuer: "https://as.example", clientId: "c", accessToken: { a: 1 } }],
  ])("%s counts as none, and is replaced", async (_, value) => {
    const inner = memoryStore();
    const seen = new Set<string>();
    const store: AuthStore = {
      ...inner,
      async get(key) {
        if (!seen.has(key)) await inner.swap(key, undefined, value);
        seen.add(key);
        return inner.get(key);
      },
    };
    const server = await openSite({});
    const client = await connect(`${server.origin}/mcp`, {
      auth: oauth({ login: instantLogin(), store }),
      revision: "2026-07-28",
    });
    await client.close();
    expect(server.at("/mcp").at(-1)?.headers.authorization).toBe("Bearer token-1");
  });

  test("a store that never takes a value ends the login with an error", async () => {
    const store: AuthStore = { get: async () => undefined, swap: async () => false };
    const server = await openSite({});
    expect(await failureOf(server, { store })).toMatchObject({ code: "TEMPORARY" });
  });
});
