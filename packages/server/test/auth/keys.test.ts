import type { ServerResponse } from "node:http";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { until } from "../../../../test/eventually.ts";
import { jwt, type JwtOptions, protect, type TokenProtection } from "../../src/auth/index.ts";
import { createKey, RESOURCE, seconds, sign, startSite, type TestKey, type TestSite, withToken } from "./lab/issuer.ts";
import { admitted, refused } from "./lab/outcome.ts";

let key: TestKey;
let next: TestKey;
let site: TestSite;

beforeAll(async () => {
  [key, next] = await Promise.all([createKey("ES256", "key-1"), createKey("ES256", "key-2")]);
});
beforeEach(async () => {
  site = await startSite();
  site.pages.set("/jwks", { keys: [key.jwk] });
});
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  await site.close();
});

let count = 0;

/** A token that no cache knows. */
function tokenOf(by: TestKey, header: object = {}, issuer = site.url): Promise<string> {
  count += 1;
  return sign(by, { iss: issuer, sub: "ada", aud: RESOURCE, exp: seconds(90_000), jti: String(count) }, header);
}

const told: string[] = [];
function protectWith(options: Partial<JwtOptions> = {}): TokenProtection {
  told.length = 0;
  const onDiagnostic = ({ message, error }: { message: string; error?: unknown }): void =>
    void told.push(`${message} ${error instanceof Error ? error.message : ""}`);
  return protect({ resource: RESOURCE, verify: jwt({ issuer: site.url, ...options } as JwtOptions), onDiagnostic });
}

const fetched = (path: string): number => site.requests.filter((request) => request.path === path).length;

/** Moves the clock, without moving timers. */
function passTime(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
}

describe("the keys of an issuer", () => {
  test("are found by its metadata of RFC 8414", async () => {
    site.pages.set("/.well-known/oauth-authorization-server", { issuer: site.url, jwks_uri: `${site.url}/jwks` });
    await admitted(protectWith().admit(withToken(await tokenOf(key))));
    expect(site.requests.map(({ path }) => path)).toEqual(["/.well-known/oauth-authorization-server", "/jwks"]);
  });

  test("are found by its metadata of OpenID Connect, below and above its path", async () => {
    const issuer = `${site.url}/realms/one`;
    site.pages.set("/realms/one/.well-known/openid-configuration", { issuer, jwks_uri: `${site.url}/jwks` });
    await admitted(protectWith({ issuer }).admit(withToken(await tokenOf(key, {}, issuer))));
    expect(site.requests.map(({ path }) => path)).toEqual([
      "/.well-known/oauth-authorization-server/realms/one",
      "/.well-known/openid-configuration/realms/one",
      "/realms/one/.well-known/openid-configuration",
      "/jwks",
    ]);
  });

  test("are not taken from metadata of another issuer", async () => {
    site.pages.set("/.well-known/oauth-authorization-server", { issuer: `${site.url}/`, jwks_uri: `${site.url}/jwks` });
    const { status } = await refused(protectWith().admit(withToken(await tokenOf(key))));
    expect(status).toBe(503);
    expect(told.join()).toContain("is about another issuer");
    expect(fetched("/jwks")).toBe(0);
  });

  test("are not fetched without encryption", async () => {
    const jwks_uri = "http://keys.example.com/jwks";
    site.pages.set("/.well-known/oauth-authorization-server", { issuer: site.url, jwks_uri });
    expect((await refused(protectWith().admit(withToken(await tokenOf(key))))).status).toBe(503);
    expect(told.join()).toContain("no `jwks_uri` with https");
  });

  test("are fetched once for many tokens at the same time", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    const tokens = await Promise.all(Array.from({ length: 50 }, () => tokenOf(key)));
    await Promise.all(tokens.map((token) => admitted(auth.admit(withToken(token)))));
    expect(fetched("/jwks")).toBe(1);
  });

  test("are not fetched for tokens that cannot be good", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    const tokens = [tokenOf(key, {}, "https://other.example"), tokenOf(key, { typ: "dpop+jwt" }), "opaque", "a.b.c"];
    for (const token of tokens) expect((await refused(auth.admit(withToken(await token)))).status).toBe(401);
    expect(site.requests).toEqual([]);
  });

  test("are fetched once for 10 000 tokens with unknown key ids", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    const [, payload, signature] = (await tokenOf(key)).split(".");
    for (let index = 0; index < 10_000; index += 1) {
      const header = { alg: "ES256", typ: "at+jwt", kid: `unknown-${index}` };
      const token = `${Buffer.from(JSON.stringify(header)).toString("base64url")}.${payload}.${signature}`;
      expect((await refused(auth.admit(withToken(token)))).status).toBe(401);
    }
    expect(fetched("/jwks")).toBe(1);
  });

  test("are fetched again for an unknown key id when half a minute has passed", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    site.pages.set("/jwks", { keys: [key.jwk, next.jwk] });
    const token = await tokenOf(next);
    expect((await refused(auth.admit(withToken(token)))).status).toBe(401);
    passTime(40_000);
    // The refusal was not remembered: the same token is good now.
    await admitted(auth.admit(withToken(token)));
    expect(fetched("/jwks")).toBe(2);
  });

  test("are fetched again in the background when they are old, and used meanwhile", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    passTime(12 * 60_000);
    site.pages.set("/jwks", { keys: [next.jwk] });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    await until(() => fetched("/jwks") === 2);
    await until(async () => "principal" in (await auth.admit(withToken(await tokenOf(next)))));
    expect((await refused(auth.admit(withToken(await tokenOf(key))))).status).toBe(401);
  });

  test("are used for a day while the issuer is down, and then no longer", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    site.pages.set("/jwks", 500);
    passTime(23 * 60 * 60_000);
    await admitted(auth.admit(withToken(await tokenOf(key))));
    passTime(2 * 60 * 60_000);
    const { status, header } = await refused(auth.admit(withToken(await tokenOf(key))));
    expect([status, header("retry-after")]).toEqual([503, "5"]);
  });

  test.each([
    ["answers with 500", 500],
    ["answers with 404", 404],
    ["answers with 429", 429],
    ["answers with something else", { no: "keys" }],
    ["answers with a list", []],
    ["answers without end", "endless"],
    ["redirects", "redirect"],
    ["breaks off", "reset"],
  ])("lead to 503 with Retry-After, and never to 401, if their server %s", async (_, page) => {
    const elsewhere = await startSite();
    elsewhere.pages.set("/jwks", { keys: [key.jwk] });
    site.pages.set(
      "/jwks",
      typeof page !== "string"
        ? page
        : (response) => {
            if (page === "reset") response.destroy();
            else if (page === "redirect") response.writeHead(302, { location: `${elsewhere.url}/jwks` }).end();
            else response.writeHead(200).end(`{"keys":[${" ".repeat(300_000)}]}`);
          },
    );
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    for (const token of [await tokenOf(key), await tokenOf(key), await tokenOf(next)]) {
      const { status, header } = await refused(auth.admit(withToken(token)));
      expect([status, header("retry-after"), header("www-authenticate")]).toEqual([503, "5", undefined]);
    }
    expect(elsewhere.requests).toEqual([]);
    // The failure is remembered for a moment: a server that is down is not asked by every request.
    expect(fetched("/jwks")).toBe(1);
    await elsewhere.close();
  });

  test("lead to 503 for an unknown key id if they cannot be fetched again: the token may be good", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    passTime(40_000);
    site.pages.set("/jwks", 503);
    expect((await refused(auth.admit(withToken(await tokenOf(next))))).status).toBe(503);
    await admitted(auth.admit(withToken(await tokenOf(key))));
  });

  test("are fetched by every request for itself in workers of Cloudflare, where none may wait for another", async () => {
    vi.stubGlobal("WebSocketPair", () => {});
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    passTime(40_000);
    const held: (() => void)[] = [];
    const answer = (response: ServerResponse): void => void response.end(JSON.stringify({ keys: [key.jwk, next.jwk] }));
    site.pages.set("/jwks", (response) => void held.push(() => answer(response)));
    const first = auth.admit(withToken(await tokenOf(next)));
    await until(() => held.length === 1);
    site.pages.set("/jwks", answer);
    // The first request may be cancelled now. Its key is good, whatever becomes of it.
    await admitted(auth.admit(withToken(await tokenOf(next))));
    held[0]!();
    await admitted(first);
    expect(fetched("/jwks")).toBe(3);
  });

  test("are fetched by the function of the application", async () => {
    const urls: string[] = [];
    const send: JwtOptions["fetch"] = (url, init) => {
      urls.push(url);
      expect(init).toMatchObject({ method: "GET", redirect: "manual" });
      return Promise.resolve(Response.json({ keys: [key.jwk] }));
    };
    const auth = protectWith({ jwksUri: "https://keys.example.com/jwks", fetch: send });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    expect(urls).toEqual(["https://keys.example.com/jwks"]);
  });
});
