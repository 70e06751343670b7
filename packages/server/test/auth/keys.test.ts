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

/** Tokens with key ids that no issuer has. Their signatures are not looked at. */
async function madeUp(many: number, series = 0): Promise<readonly string[]> {
  const [, payload, signature] = (await tokenOf(key)).split(".");
  return Array.from({ length: many }, (_unused, index) => {
    const header = { alg: "ES256", typ: "at+jwt", kid: `unknown-${series}-${index}` };
    return `${Buffer.from(JSON.stringify(header)).toString("base64url")}.${payload}.${signature}`;
  });
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

  test("are fetched at most every five seconds for tokens with unknown key ids, however many come", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const statuses: number[] = [];
    for (let second = 0; second < 20; second += 1) {
      const outcomes = (await madeUp(500, second)).map(
        async (token) => (await refused(auth.admit(withToken(token)))).status,
      );
      await vi.advanceTimersByTimeAsync(1000);
      void Promise.all(outcomes).then((all) => statuses.push(...all));
    }
    await vi.advanceTimersByTimeAsync(10_000);
    await vi.waitFor(() => expect(statuses).toHaveLength(10_000));
    // None of them got in. Those that were looked up got a 401, and those for which there was no room a 503.
    expect(new Set(statuses)).toEqual(new Set([401, 503]));
    expect(fetched("/jwks")).toBeGreaterThan(2);
    expect(fetched("/jwks")).toBeLessThanOrEqual(1 + 30 / 5);
  });

  test("are fetched at once for the first token with an unknown key id", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    site.pages.set("/jwks", { keys: [key.jwk, next.jwk] });
    await admitted(auth.admit(withToken(await tokenOf(next))));
    expect(fetched("/jwks")).toBe(2);
  });

  test("are fetched once for a new key whose first tokens come together", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    site.pages.set("/jwks", { keys: [key.jwk, next.jwk] });
    const tokens = await Promise.all(Array.from({ length: 8 }, () => tokenOf(next)));
    await Promise.all(tokens.map((token) => admitted(auth.admit(withToken(token)))));
    expect(fetched("/jwks")).toBe(2);
  });

  test("let in a token of a new key although a stranger has just made up a key id", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    const [stranger] = await madeUp(1);
    expect((await refused(auth.admit(withToken(stranger!)))).status).toBe(401);
    site.pages.set("/jwks", { keys: [key.jwk, next.jwk] });
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const admission = admitted(auth.admit(withToken(await tokenOf(next))));
    await vi.advanceTimersByTimeAsync(5000);
    expect((await admission).issuer).toBe(site.url);
    expect(fetched("/jwks")).toBe(3);
  });

  test("let in a token of a new key that came while keys without it were on their way", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    let answerOld: (() => void) | undefined;
    site.pages.set("/jwks", (response) => {
      answerOld = () => void response.end(JSON.stringify({ keys: [key.jwk] }));
    });
    const [stranger] = await madeUp(1);
    const refusal = refused(auth.admit(withToken(stranger!)));
    await until(() => answerOld !== undefined);
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const admission = admitted(auth.admit(withToken(await tokenOf(next))));
    site.pages.set("/jwks", { keys: [key.jwk, next.jwk] });
    answerOld!();
    expect((await refusal).status).toBe(401);
    await vi.advanceTimersByTimeAsync(5000);
    expect((await admission).issuer).toBe(site.url);
  });

  test("that a look-up for somebody else brings let a waiting token in", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    let answer: (() => void) | undefined;
    site.pages.set("/jwks", (response) => {
      answer = () => void response.end(JSON.stringify({ keys: [key.jwk, next.jwk] }));
    });
    const [stranger] = await madeUp(1);
    const refusal = refused(auth.admit(withToken(stranger!)));
    await until(() => answer !== undefined);
    const admission = admitted(auth.admit(withToken(await tokenOf(next))));
    answer!();
    await Promise.all([admission, refusal]);
    expect(fetched("/jwks")).toBe(2);
  });

  test("leave room for tokens of other networks while one network sends made-up key ids", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    const [first, ...others] = await madeUp(300);
    await refused(auth.admit(withToken(first!)));
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const strangers = others.map((token) => refused(auth.admit({ ...withToken(token), address: "203.0.113.7" })));
    // A tenth of the places is theirs. The rest get an answer at once.
    const early = await Promise.all(strangers.slice(10));
    expect(new Set(early.map(({ status, header }) => `${status} ${header("retry-after")}`))).toEqual(
      new Set(["503 5"]),
    );
    site.pages.set("/jwks", { keys: [key.jwk, next.jwk] });
    const admission = admitted(auth.admit({ ...withToken(await tokenOf(next)), address: "198.51.100.7" }));
    await vi.advanceTimersByTimeAsync(5000);
    expect((await admission).issuer).toBe(site.url);
    const waited = await Promise.all(strangers.slice(0, 10));
    expect(new Set(waited.map(({ status }) => status))).toEqual(new Set([401]));
    // The places are free again.
    const again = (await madeUp(1))[0]!;
    const late = refused(auth.admit({ ...withToken(again), address: "203.0.113.7" }));
    await vi.advanceTimersByTimeAsync(5000);
    expect((await late).status).toBe(401);
  });

  test("have room for a hundred tokens that wait for a new key", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    const [first, ...others] = await madeUp(102);
    await refused(auth.admit(withToken(first!)));
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const outcomes = others.map((token) => refused(auth.admit(withToken(token))));
    expect((await Promise.race(outcomes)).status).toBe(503);
    await vi.advanceTimersByTimeAsync(5000);
    const statuses = (await Promise.all(outcomes)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(100);
    expect(fetched("/jwks")).toBe(3);
  });

  test("do not make tokens wait for the end of the pause while the issuer is down", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    site.pages.set("/jwks", 500);
    for (const token of await madeUp(3)) {
      expect((await refused(auth.admit(withToken(token)))).status).toBe(503);
    }
    expect(fetched("/jwks")).toBe(2);
    site.pages.set("/jwks", { keys: [key.jwk, next.jwk] });
    passTime(5001);
    await admitted(auth.admit(withToken(await tokenOf(next))));
  });

  test("are looked up for the same token again: its refusal is not remembered", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    const token = await tokenOf(next);
    expect((await refused(auth.admit(withToken(token)))).status).toBe(401);
    site.pages.set("/jwks", { keys: [key.jwk, next.jwk] });
    passTime(5001);
    await admitted(auth.admit(withToken(token)));
  });

  test("are looked up also when the clock was set back", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    const [one, two] = await madeUp(2);
    await refused(auth.admit(withToken(one!)));
    // Less than the age at which keys are loaded anyway.
    passTime(-300_000);
    expect((await refused(auth.admit(withToken(two!)))).status).toBe(401);
    expect(fetched("/jwks")).toBe(3);
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

  test.each([
    ["nine", 0, 539, 541],
    ["eleven", 1 - 2 ** -53, 659, 661],
  ])(
    "are old after %s minutes, by chance, so that machines do not fetch them together",
    async (_, chance, young, old) => {
      vi.spyOn(Math, "random").mockReturnValue(chance);
      const auth = protectWith({ jwksUri: `${site.url}/jwks` });
      vi.mocked(Math.random).mockRestore();
      await admitted(auth.admit(withToken(await tokenOf(key))));
      passTime(young * 1000);
      await admitted(auth.admit(withToken(await tokenOf(key))));
      await fetch(`${site.url}/another-page`);
      expect(fetched("/jwks")).toBe(1);
      passTime((old - young) * 1000);
      await admitted(auth.admit(withToken(await tokenOf(key))));
      await until(() => fetched("/jwks") === 2);
    },
  );

  test("are fetched again half a minute after that has failed, and not before", async () => {
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    await admitted(auth.admit(withToken(await tokenOf(key))));
    site.pages.set("/jwks", 500);
    passTime(12 * 60_000);
    await admitted(auth.admit(withToken(await tokenOf(key))));
    await until(() => fetched("/jwks") === 2);
    passTime(26_000);
    await admitted(auth.admit(withToken(await tokenOf(key))));
    await fetch(`${site.url}/another-page`);
    expect(fetched("/jwks")).toBe(2);
    // The failure may have come after the clock was moved.
    await until(async () => {
      passTime(8000);
      await admitted(auth.admit(withToken(await tokenOf(key))));
      return fetched("/jwks") === 3;
    });
  });

  test("are fetched again two seconds after that has failed if there are none to go on with, and not before", async () => {
    site.pages.set("/jwks", 500);
    const auth = protectWith({ jwksUri: `${site.url}/jwks` });
    const statusOf = async (): Promise<number> => (await refused(auth.admit(withToken(await tokenOf(key))))).status;
    expect(await statusOf()).toBe(503);
    passTime(1700);
    expect(await statusOf()).toBe(503);
    expect(fetched("/jwks")).toBe(1);
    site.pages.set("/jwks", { keys: [key.jwk] });
    passTime(600);
    await admitted(auth.admit(withToken(await tokenOf(key))));
    expect(fetched("/jwks")).toBe(2);
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
