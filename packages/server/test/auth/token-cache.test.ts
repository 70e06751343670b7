import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { jwt, protect } from "../../src/auth/index.ts";
import { TokenCache } from "../../src/auth/tokens/token-cache.ts";
import { createKey, RESOURCE, seconds, sign, withToken } from "./lab/issuer.ts";
import { admitted, refused } from "./lab/outcome.ts";

describe("the cache of tokens", () => {
  test("stays within both of its bounds for a million tokens", () => {
    const cache = new TokenCache<number>(1000, 20_000);
    for (let index = 0; index < 1_000_000; index += 1) cache.set(`token-${index}`, index, 10, 8, 0);
    expect(cache.size).toBeLessThanOrEqual(1000);
    expect(cache.weight).toBeLessThanOrEqual(20_000);
    expect(cache.get("token-999999", 0)).toBe(999_999);
    expect(cache.get("token-0", 0)).toBeUndefined();
  });

  test("keeps nothing that is heavier than everything may be", () => {
    const cache = new TokenCache<number>(10, 100);
    cache.set("small", 1, 10, 1, 0);
    cache.set("large", 2, 10, 1000, 0);
    expect([cache.get("small", 0), cache.get("large", 0)]).toEqual([1, undefined]);
  });

  test("lets go of tokens that have expired as soon as another one comes", () => {
    const cache = new TokenCache<number>(10, 1000);
    cache.set("old", 1, 10, 0, 0);
    cache.set("new", 2, 30, 0, 20);
    expect(cache.size).toBe(1);
  });

  test("behaves like a map whose entries end, and counts its weight right", () => {
    const step = fc.record({
      key: fc.constantFrom("a", "bb", "ccc"),
      weight: fc.nat(5),
      time: fc.nat(20),
      life: fc.nat(10),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const cache = new TokenCache<number>(100, 1000);
        const model = new Map<string, { value: number; until: number; weight: number }>();
        let now = 0;
        for (const [value, { key, weight, time, life }] of steps.entries()) {
          now += time;
          cache.set(key, value, now + life, weight, now);
          model.set(key, { value, until: now + life, weight: weight + key.length });
          for (const [name, { value: expected, until }] of model) {
            expect(cache.get(name, now)).toBe(until > now ? expected : undefined);
          }
          const live = [...model.values()].filter(({ until }) => until > now);
          expect(cache.weight).toBe(live.reduce((sum, { weight: each }) => sum + each, 0));
        }
      }),
    );
  });
});

describe("a token that was verified", () => {
  test("is refused from the moment on at which it expires, although it is remembered", async () => {
    const key = await createKey("ES256", "key-1");
    const verify = jwt({ issuer: "https://auth.example.com", keys: { keys: [key.jwk] } });
    const auth = protect({ resource: RESOURCE, verify, onDiagnostic: () => {} });
    const exp = seconds(10);
    const head = withToken(await sign(key, { iss: "https://auth.example.com", sub: "ada", aud: RESOURCE, exp }));
    try {
      await admitted(auth.admit(head));
      vi.useFakeTimers({ toFake: ["Date"], now: exp * 1000 - 1 });
      expect(auth.admit(head)).not.toBeInstanceOf(Promise);
      await admitted(auth.admit(head));
      vi.useFakeTimers({ toFake: ["Date"], now: exp * 1000 });
      expect((await refused(auth.admit(head))).error).toBe("invalid_token");
    } finally {
      vi.useRealTimers();
    }
  });

  test.each(["nbf", "iat"])(
    "may be good a moment after it was refused, if only its `%s` had not come",
    async (name) => {
      const key = await createKey("ES256", "key-1");
      const verify = jwt({ issuer: "https://auth.example.com", keys: { keys: [key.jwk] } });
      const auth = protect({ resource: RESOURCE, verify, onDiagnostic: () => {} });
      const claims = {
        iss: "https://auth.example.com",
        sub: "ada",
        aud: RESOURCE,
        exp: seconds(300),
        [name]: seconds(32),
      };
      const head = withToken(await sign(key, claims));
      try {
        expect((await refused(auth.admit(head))).status).toBe(401);
        vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3000 });
        expect((await admitted(auth.admit(head))).issuer).toBe("https://auth.example.com");
      } finally {
        vi.useRealTimers();
      }
    },
  );

  test("is verified again after a minute, so that keys that were taken back no longer count", async () => {
    let calls = 0;
    const verify = () => {
      calls += 1;
      return { issuer: "https://auth.example.com", subject: "ada", audience: RESOURCE };
    };
    const auth = protect({ resource: RESOURCE, verify, authorizationServers: ["https://auth.example.com"] });
    try {
      await admitted(auth.admit(withToken("token")));
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 59_000 });
      await admitted(auth.admit(withToken("token")));
      expect(calls).toBe(1);
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2000 });
      await admitted(auth.admit(withToken("token")));
      expect(calls).toBe(2);
    } finally {
      vi.useRealTimers();
    }
  });
});
