/** Every number of the authorization, at its bound and one beyond. */
import { randomUUID } from "node:crypto";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { readCredentials } from "../../src/auth/credentials.ts";
import { Nonces } from "../../src/auth/dpop/nonces.ts";
import {
  google,
  introspection,
  jwt,
  type JwtOptions,
  protect,
  type ProtectOptions,
  type TokenProtection,
  type VerifyToken,
} from "../../src/auth/index.ts";
import { fetchDocument } from "../../src/auth/issuer/fetch-document.ts";
import { until } from "../../../../test/eventually.ts";
import { createKey, RESOURCE, seconds, sign, startSite, type TestKey, type TestSite, withToken } from "./lab/issuer.ts";
import { admitted, fieldOf, refused } from "./lab/outcome.ts";
import { DpopLab } from "./lab/proofs.ts";

const ISSUER = "https://auth.example.com";

let key: TestKey;
beforeAll(async () => {
  key = await createKey("ES256", "key-1");
});
beforeEach(() => {
  // A whole second, so that times in claims are exact.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-07-28T12:00:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const pass = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

function protectBy(verify: VerifyToken, more: Partial<ProtectOptions> = {}): TokenProtection {
  return protect({ resource: RESOURCE, authorizationServers: [ISSUER], verify, onDiagnostic: () => {}, ...more });
}

function claims(more: object = {}): Record<string, unknown> {
  return { iss: ISSUER, sub: "ada", aud: RESOURCE, exp: seconds(300), ...more };
}

describe("a token that was verified", () => {
  const verify: VerifyToken = (token) => ({ issuer: ISSUER, subject: token, audienceChecked: true });
  const isKnown = (auth: TokenProtection, token = "ada"): boolean => !(auth.admit(withToken(token)) instanceof Promise);

  test.each([
    ["for a minute", {}, 60_000],
    ["for no longer than a minute, whatever its verifier says", { maxAge: 90_000 }, 60_000],
    ["for as long as its verifier says", { maxAge: 20_000 }, 20_000],
    ["until it expires", { expiresAt: Date.parse("2026-07-28T12:00:10Z") }, 10_000],
  ])("is known %s", async (_, more, ms) => {
    const auth = protectBy((...given) => ({
      ...(verify(...given) as { issuer: string; audienceChecked: true }),
      ...more,
    }));
    await admitted(auth.admit(withToken("ada")));
    pass(ms - 1);
    expect(isKnown(auth)).toBe(true);
    pass(1);
    expect(isKnown(auth)).toBe(false);
  });

  test("is refused if it expires at this very moment", async () => {
    const found = { issuer: ISSUER, subject: "ada", audienceChecked: true } as const;
    const outcomes = [0, 1].map((ms) => protectBy(() => ({ ...found, expiresAt: Date.now() + ms })));
    expect((await refused(outcomes[0]!.admit(withToken("ada")))).status).toBe(401);
    expect((await admitted(outcomes[1]!.admit(withToken("ada")))).expiresAt).toBe(Date.now() + 1);
  });

  test("is one of 10 000 that are known", async () => {
    const auth = protectBy(verify);
    for (let index = 0; index < 10_000; index += 1) await auth.admit(withToken(`token-${index}`));
    expect(isKnown(auth, "token-0")).toBe(true);
    await auth.admit(withToken("one-more"));
    expect(isKnown(auth, "token-0")).toBe(false);
    expect(isKnown(auth, "token-1")).toBe(true);
  });

  test("is known if it and its claims have 16 Mi characters, and not if there is one more", async () => {
    const max = 16 * 1024 * 1024;
    let text = "";
    const auth = protectBy((...given) => ({
      ...(verify(...given) as { issuer: string; audienceChecked: true }),
      claims: { text },
    }));
    const empty = JSON.stringify(await admitted(auth.admit(withToken("a")))).length + "Bearer a".length;
    text = "x".repeat(max - empty);
    await admitted(auth.admit(withToken("b")));
    expect(isKnown(auth, "b")).toBe(true);
    text += "x";
    await admitted(auth.admit(withToken("c")));
    expect(isKnown(auth, "c")).toBe(false);
  });
});

describe("a token that was refused", () => {
  const isRemembered = (auth: TokenProtection, token: string): boolean =>
    !(auth.admit(withToken(token)) instanceof Promise);

  test("is remembered for five seconds", async () => {
    const auth = protectBy(() => undefined);
    await refused(auth.admit(withToken("bad")));
    pass(4999);
    expect(isRemembered(auth, "bad")).toBe(true);
    pass(1);
    expect(isRemembered(auth, "bad")).toBe(false);
  });

  test("is one of 1000 that are remembered", async () => {
    const auth = protectBy(() => undefined);
    for (let index = 0; index < 1000; index += 1) await auth.admit(withToken(`bad-${index}`));
    expect(isRemembered(auth, "bad-0")).toBe(true);
    await auth.admit(withToken("one-more"));
    expect(isRemembered(auth, "bad-0")).toBe(false);
    expect(isRemembered(auth, "bad-1")).toBe(true);
  });

  test("shares 1 Mi characters with the others", async () => {
    const auth = protectBy(() => undefined);
    const tokens = Array.from({ length: 128 }, (_, index) => String(index).padStart(8192 - "Bearer ".length, "x"));
    for (const token of tokens) await auth.admit(withToken(token));
    expect(isRemembered(auth, tokens[0]!)).toBe(true);
    await auth.admit(withToken("x"));
    expect(isRemembered(auth, tokens[0]!)).toBe(false);
    expect(isRemembered(auth, tokens[1]!)).toBe(true);
  });
});

describe("an Authorization header", () => {
  test("has a token of 8192 characters at most, and 16 blanks before it", () => {
    const token = "a".repeat(8192);
    expect(readCredentials(`Bearer ${token}`)).toEqual({ scheme: "Bearer", token });
    expect(readCredentials(`Bearer ${token}a`)).toBe("malformed");
    expect(readCredentials(`DPoP${" ".repeat(16)}${token}`)).toEqual({ scheme: "DPoP", token });
    expect(readCredentials(`DPoP${" ".repeat(17)}${token}`)).toBe("malformed");
    expect(readCredentials(`bearer${" ".repeat(17)}${token}`)).toBe("malformed");
  });
});

describe("the times of a token", () => {
  const admit = async (more: object, options: Partial<JwtOptions> = {}): Promise<boolean> => {
    const verify = jwt({ issuer: ISSUER, keys: { keys: [key.jwk] }, ...options } as JwtOptions);
    const auth = protect({ resource: RESOURCE, verify, onDiagnostic: () => {} });
    return "principal" in (await auth.admit(withToken(await sign(key, claims(more)))));
  };

  test("may be off by 30 seconds, but not its end", async () => {
    for (const name of ["nbf", "iat"]) {
      expect([name, await admit({ [name]: seconds(30) })]).toEqual([name, true]);
      expect([name, await admit({ [name]: seconds(30) + 0.001 })]).toEqual([name, false]);
    }
    expect(await admit({ exp: seconds() })).toBe(false);
    expect(await admit({ exp: seconds() + 0.001 })).toBe(true);
  });

  test("may be off by as much as is set, from nothing to a minute", async () => {
    for (const clockTolerance of [0, 60_000]) {
      const iat = seconds(clockTolerance / 1000);
      expect(await admit({ iat }, { clockTolerance })).toBe(true);
      expect(await admit({ iat: iat + 1 }, { clockTolerance })).toBe(false);
    }
    for (const clockTolerance of [-1, 60_001, "1", NaN]) {
      const options = { issuer: ISSUER, clockTolerance } as JwtOptions;
      expect(() => jwt(options)).toThrow("`clockTolerance` must be a number of milliseconds, at most 60000");
    }
  });

  test("lead to a refusal that is not remembered if only the clocks differ", async () => {
    const verify = jwt({ issuer: ISSUER, keys: { keys: [key.jwk] } });
    for (const name of ["nbf", "iat"]) {
      const auth = protect({ resource: RESOURCE, verify, onDiagnostic: () => {} });
      const token = await sign(key, claims({ [name]: seconds(31) }));
      await refused(auth.admit(withToken(token)));
      pass(1000);
      expect((await admitted(auth.admit(withToken(token)))).issuer).toBe(ISSUER);
    }
  });

  test("are bounded, so that they are safe to compute with", async () => {
    const verify = jwt({ issuer: ISSUER, keys: { keys: [key.jwk] } });
    const auth = protect({ resource: RESOURCE, verify });
    const { expiresAt } = await admitted(auth.admit(withToken(await sign(key, claims({ exp: 1e300 })))));
    expect(expiresAt).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe("the claims of a token", () => {
  const nest = (levels: number): unknown => (levels === 0 ? 1 : [nest(levels - 1)]);

  test("are nested 32 levels deep at most, themselves included", async () => {
    const verify = jwt({ issuer: ISSUER, keys: { keys: [key.jwk] } });
    const auth = protect({ resource: RESOURCE, verify, onDiagnostic: () => {} });
    await admitted(auth.admit(withToken(await sign(key, claims({ nested: nest(31) })))));
    expect((await refused(auth.admit(withToken(await sign(key, claims({ nested: nest(32) })))))).status).toBe(401);
  });

  test("are shown to the operator with 200 characters at most", async () => {
    const told: string[] = [];
    const verify = jwt({ issuer: ISSUER, keys: { keys: [key.jwk] } });
    const auth = protect({ resource: RESOURCE, verify, onDiagnostic: ({ message }) => void told.push(message) });
    await refused(auth.admit(withToken(await sign(key, claims({ aud: "a".repeat(300) })))));
    expect(told[0]).toContain(`its audience is "${"a".repeat(199)}, not`);
  });
});

describe("a token that names no key", () => {
  test("is verified with the first four that fit", async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, (_, index) => createKey("ES256", `key-${index}`)));
    const verify = jwt({ issuer: ISSUER, keys: { keys: keys.map(({ jwk }) => jwk) } });
    const auth = protect({ resource: RESOURCE, verify, onDiagnostic: () => {} });
    const signed = (by: TestKey): Promise<string> => sign({ ...by, jwk: {} }, claims());
    expect((await admitted(auth.admit(withToken(await signed(keys[3]!))))).issuer).toBe(ISSUER);
    expect((await refused(auth.admit(withToken(await signed(keys[4]!))))).status).toBe(401);
  });
});

describe("the responses of an issuer", () => {
  let site: TestSite;
  beforeEach(async () => {
    site = await startSite();
  });
  afterEach(() => site.close());

  /** An object as JSON text of so many bytes. */
  function padded(value: object, bytes: number): string {
    const text = JSON.stringify(value);
    return text + " ".repeat(bytes - Buffer.byteLength(text));
  }

  const statusesOf = async (
    path: string,
    value: object,
    max: number,
    create: (url: string) => TokenProtection,
    token: () => Promise<string> | string,
  ): Promise<readonly number[]> => {
    const statuses: number[] = [];
    for (const bytes of [max, max + 1]) {
      site.pages.set(path, (response) => void response.end(padded(value, bytes)));
      const admission = await create(`${site.url}${path}`).admit(withToken(await token()));
      statuses.push("refusal" in admission ? admission.refusal.status : 200);
    }
    return statuses;
  };

  test("have 256 KiB at most if they are keys", async () => {
    const create = (jwksUri: string): TokenProtection =>
      protect({ resource: RESOURCE, verify: jwt({ issuer: ISSUER, jwksUri }), onDiagnostic: () => {} });
    const keys = { keys: [key.jwk] };
    expect(await statusesOf("/jwks", keys, 256 * 1024, create, () => sign(key, claims()))).toEqual([200, 503]);
  });

  test("have 64 KiB at most if they are about a token", async () => {
    const client = { id: "server", secret: "hush" };
    const asked = (endpoint: string): TokenProtection =>
      protect({
        resource: RESOURCE,
        verify: introspection({ issuer: ISSUER, endpoint, client }),
        onDiagnostic: () => {},
      });
    const answer = { active: true, sub: "ada", aud: RESOURCE };
    expect(await statusesOf("/introspect", answer, 64 * 1024, asked, () => "opaque")).toEqual([200, 503]);
    const byGoogle = (endpoint: string): TokenProtection =>
      protect({ resource: RESOURCE, verify: google({ clientIds: "app", endpoint }), onDiagnostic: () => {} });
    const info = { aud: "app", sub: "ada", exp: String(seconds(60)) };
    expect(await statusesOf("/tokeninfo", info, 64 * 1024, byGoogle, () => "ya29.token")).toEqual([200, 503]);
  });

  test.each([
    [200, "document"],
    [299, "document"],
    [300, "redirects"],
    [399, "redirects"],
    [400, "document"],
    [407, "document"],
    [408, "answered with HTTP status 408"],
    [409, "document"],
    [428, "document"],
    [429, "answered with HTTP status 429"],
    [430, "document"],
    [499, "document"],
    [500, "answered with HTTP status 500"],
    [599, "answered with HTTP status 599"],
  ])("with the status %d say: %s", async (status, outcome) => {
    const send = (): Promise<Response> => Promise.resolve(new Response('{"a":1}', { status }));
    const read = fetchDocument(send, "https://auth.example.com/x?secret=1", {}, 7);
    if (outcome === "document") expect(await read).toEqual({ status, document: { a: 1 } });
    else await expect(read).rejects.toThrow(new Error(`https://auth.example.com/x ${outcome}`));
  });

  test("may come in parts that end in the middle of a character", async () => {
    const bytes = new TextEncoder().encode('{"name":"Zoë 😀"}');
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const send = (): Promise<Response> => Promise.resolve(new Response(body));
    const { document } = await fetchDocument(send, "https://auth.example.com/", {}, 1000);
    expect(document).toEqual({ name: "Zoë 😀" });
  });

  test("that are no objects, or nested too deep, are none", async () => {
    for (const text of ["[1]", "null", "{", '"x"', `{"a":${"[".repeat(32)}${"]".repeat(32)}}`]) {
      const send = (): Promise<Response> => Promise.resolve(new Response(text));
      expect(await fetchDocument(send, "https://auth.example.com/", {}, 1000)).toEqual({
        status: 200,
        document: undefined,
      });
    }
    const opaque = (): Promise<Response> => Promise.resolve(Response.error());
    await expect(fetchDocument(opaque, "https://auth.example.com/", {}, 9)).rejects.toThrow("redirects");
  });

  test("come within five seconds, or their request is given up", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let signal: AbortSignal | null | undefined;
    const send = (_url: string, init: RequestInit): Promise<Response> => {
      ({ signal } = init);
      expect(init.redirect).toBe("manual");
      return new Promise(() => {});
    };
    const outcome = fetchDocument(send, "https://auth.example.com/keys", {}, 9).catch(String);
    await vi.advanceTimersByTimeAsync(4999);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toBe("Error: https://auth.example.com/keys has not answered within 5000 ms");
    expect(signal?.aborted).toBe(true);
  });

  test("that fail are told by their code or name, without what else the error holds", async () => {
    const fail = (error: unknown): Promise<string> =>
      fetchDocument(() => Promise.reject(error as Error), `https://a.example/${"p".repeat(300)}?q`, {}, 9).then(
        () => "",
        (thrown: Error) => thrown.message,
      );
    const where = `https://a.example/${"p".repeat(182)} cannot be reached: `;
    expect(await fail(Object.assign(new Error("hush"), { code: "ECONNRESET" }))).toBe(`${where}ECONNRESET`);
    const cause = Object.assign(new Error("hush"), { code: "ENOTFOUND" });
    expect(await fail(new TypeError("hush", { cause }))).toBe(`${where}ENOTFOUND`);
    expect(await fail(new TypeError("hush", { cause: "hush" }))).toBe(`${where}TypeError`);
    expect(await fail(Object.assign(new Error("hush"), { name: "n".repeat(200) }))).toBe(where + "n".repeat(100));
  });
});

describe("keys of an issuer", () => {
  let site: TestSite;
  beforeEach(async () => {
    site = await startSite();
    site.pages.set("/jwks", { keys: [key.jwk] });
    site.pages.set("/.well-known/oauth-authorization-server", { issuer: site.url, jwks_uri: `${site.url}/jwks` });
  });
  afterEach(() => site.close());

  /** Machines that were started together do not ask together: `random` is between 0 and 1. */
  function protectAt(random: number, options: Partial<JwtOptions> = {}): TokenProtection {
    vi.spyOn(Math, "random").mockReturnValue(random);
    const verify = jwt({ issuer: site.url, jwksUri: `${site.url}/jwks`, ...options } as JwtOptions);
    return protect({ resource: RESOURCE, verify, onDiagnostic: () => {} });
  }
  const token = (): Promise<string> =>
    sign(key, { iss: site.url, sub: "ada", aud: RESOURCE, exp: seconds(200_000), jti: randomUUID() });
  const send = async (auth: TokenProtection): Promise<number> => {
    const admission = await auth.admit(withToken(await token()));
    return "refusal" in admission ? admission.refusal.status : 200;
  };
  const fetched = (path = "/jwks"): number => site.requests.filter((request) => request.path === path).length;

  test.each([
    [0, 540_000],
    [0.5, 600_000],
    [1, 660_000],
  ])("are loaded again after ten minutes, more or less: %d", async (random, ms) => {
    const auth = protectAt(random);
    await send(auth);
    pass(ms - 1);
    await send(auth);
    expect(fetched()).toBe(1);
    pass(2);
    expect(await send(auth)).toBe(200);
    await until(() => fetched() === 2);
  });

  test("are used for a day while the issuer is down", async () => {
    const auth = protectAt(0.5);
    await send(auth);
    site.pages.set("/jwks", 500);
    pass(24 * 60 * 60_000 - 1);
    expect(await send(auth)).toBe(200);
    await until(() => fetched() === 2);
    pass(1);
    expect(await send(auth)).toBe(503);
  });

  test("are asked for again 30 seconds after a failure, while there are old ones", async () => {
    let count = 0;
    let isDown = false;
    const respond = (): Promise<Response> => {
      count += 1;
      return Promise.resolve(isDown ? new Response(null, { status: 500 }) : Response.json({ keys: [key.jwk] }));
    };
    const auth = protectAt(0.5, { fetch: respond });
    /** The number of loads after a request, when the last one is over: it takes no further turn of the event loop. */
    const loads = async (): Promise<number> => {
      await send(auth);
      await new Promise((resolve) => setImmediate(resolve));
      return count;
    };
    expect(await loads()).toBe(1);
    isDown = true;
    pass(700_000);
    expect(await loads()).toBe(2);
    pass(29_999);
    expect(await loads()).toBe(2);
    pass(1);
    expect(await loads()).toBe(3);
  });

  test("are asked for again two seconds after a failure, if there are none", async () => {
    const auth = protectAt(0.5);
    site.pages.set("/jwks", 500);
    expect(await send(auth)).toBe(503);
    pass(1999);
    expect([await send(auth), fetched()]).toEqual([503, 1]);
    site.pages.set("/jwks", { keys: [key.jwk] });
    pass(1);
    expect([await send(auth), fetched()]).toEqual([200, 2]);
  });

  test("are looked for once a day, and after a failure", async () => {
    const metadata = "/.well-known/oauth-authorization-server";
    let ended = 0;
    const follow = async (url: string, init: RequestInit): Promise<Response> => {
      const { status, headers, ...response } = await fetch(url, init).then(async (each) => ({
        status: each.status,
        headers: each.headers,
        body: await each.arrayBuffer(),
      }));
      if (url.endsWith("/jwks")) ended += 1;
      return new Response(response.body, { status, headers });
    };
    const auth = protectAt(0.5, { jwksUri: undefined, fetch: follow });
    /** Sends a request, and waits until the keys have been loaded so many times: the time may go on then. */
    const load = async (count: number): Promise<void> => {
      await send(auth);
      await until(() => ended === count);
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    await load(1);
    pass(24 * 60 * 60_000 - 10_000);
    await load(2);
    expect(fetched(metadata)).toBe(1);
    pass(700_000);
    await load(3);
    expect(fetched(metadata)).toBe(2);
    site.pages.set("/jwks", 500);
    pass(700_000);
    await load(4);
    expect(fetched(metadata)).toBe(2);
    site.pages.set("/jwks", { keys: [key.jwk] });
    pass(700_000);
    await load(5);
    expect(fetched(metadata)).toBe(3);
  });
});

describe("a DPoP proof", () => {
  let lab: DpopLab;
  let token: string;
  beforeAll(async () => {
    lab = await DpopLab.create();
  });
  beforeEach(async () => {
    token = await lab.token();
  });

  const replay = { add: () => true };

  test("may be from five minutes before to five minutes after, to the millisecond", async () => {
    const auth = lab.protect({ mode: "accepted", replay });
    for (const offset of [-300, 300]) {
      const iat = seconds(offset);
      const beyond = iat + Math.sign(offset) * 0.001;
      expect((await admitted(auth.admit(lab.head(token, await lab.proof(token, { iat }))))).issuer).toBe(ISSUER);
      const proof = await lab.proof(token, { iat: beyond });
      expect((await refused(auth.admit(lab.head(token, proof)))).error).toBe("invalid_dpop_proof");
    }
  });

  test("is kept in a store until it has expired", async () => {
    const kept: number[] = [];
    const auth = lab.protect({ mode: "accepted", replay: { add: (_, end) => kept.push(end) > 0 } });
    await admitted(auth.admit(lab.head(token, await lab.proof(token, { iat: seconds(-7) }))));
    expect(kept).toEqual([Date.now() + 293_000]);
  });

  test("gets a newer nonce with the response when its own is older than half of its life", async () => {
    const auth = lab.protect({ mode: "accepted", nonces: true, replay });
    const { header } = await refused(auth.admit(lab.head(token, await lab.proof(token))));
    const nonce = header("dpop-nonce");
    const next = async (): Promise<string | undefined> => {
      const outcome = await auth.admit(lab.head(token, await lab.proof(token, { nonce })));
      return fieldOf((outcome as { headers?: readonly string[] }).headers ?? [], "dpop-nonce");
    };
    pass(150_000);
    expect(await next()).toBeUndefined();
    pass(1);
    expect(await next()).toMatch(/^[\w-]{40,}$/);
    pass(149_998);
    expect(await next()).toBeDefined();
    pass(1);
    expect((await refused(auth.admit(lab.head(token, await lab.proof(token, { nonce }))))).error).toBe(
      "use_dpop_nonce",
    );
  });

  test("has a nonce that all callers get for ten seconds", async () => {
    const nonces = new Nonces([]);
    const first = await nonces.issue(-Infinity, 1000);
    expect(await nonces.issue(-Infinity, 1000)).toBe(first);
    expect(await nonces.issue(-Infinity, 10_999)).toBe(first);
    expect(await nonces.issue(1000, 10_999)).toBe(first);
    expect(await nonces.read(first, 1000)).toBe(1000);
    const later = await nonces.issue(-Infinity, 11_000);
    expect(later).not.toBe(first);
    const newer = await nonces.issue(11_001, 11_001);
    expect(newer).not.toBe(later);
    // A clock that was set back must not give out nonces of the future.
    expect(await nonces.issue(-Infinity, 5000)).not.toBe(newer);
    expect(await nonces.read(first, 300_999)).toBe(1000);
    expect(await nonces.read(first, 301_000)).toBeUndefined();
  });

  test("has parts of 8192 characters at most", async () => {
    const told = async (proof: string): Promise<string | undefined> => {
      lab.told.length = 0;
      await refused(lab.protect({ mode: "accepted", replay }).admit(lab.head(token, proof)));
      return lab.told[0];
    };
    const long = "a".repeat(8192);
    expect(await told(`${long}.${long}.${long}`)).toBe("A DPoP proof was refused: it is no JWT.");
    for (const proof of [`${long}a.a.a`, `a.${long}a.a`, `a.a.${long}a`, "a..a", ".a.a", "a.a."]) {
      expect(await told(proof)).toBe("A DPoP proof was refused: it is not one JWT; there may be several.");
    }
  });
});
