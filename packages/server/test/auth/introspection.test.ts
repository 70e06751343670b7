import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { until } from "../../../../test/eventually.ts";
import {
  type Admission,
  introspection,
  type IntrospectionOptions,
  jwt,
  protect,
  type TokenProtection,
} from "../../src/auth/index.ts";
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

  describe("under many unknown tokens", () => {
    let open: number;
    let most: number;
    let asked: string[];
    let waiting: (() => void)[];
    let auth: TokenProtection;

    beforeEach(() => {
      [open, most, asked, waiting] = [0, 0, [], []];
      auth = protectWith({
        fetch: async (_url, { body }) => {
          open += 1;
          most = Math.max(most, open);
          const token = (body as URLSearchParams).get("token") ?? "";
          asked.push(token);
          await new Promise<void>((resolve) => waiting.push(resolve));
          open -= 1;
          return Response.json({ active: token === "good", sub: "ada", aud: RESOURCE });
        },
      });
    });
    afterEach(() => void vi.useRealTimers());

    const send = (token: string, address?: string): Promise<Admission> =>
      Promise.resolve(auth.admit({ ...withToken(token), address }));
    const sendMany = (many: number, address?: string): Promise<Admission>[] =>
      Array.from({ length: many }, (_, index) => send(`token-${index}-${address}`, address));

    /** Lets the issuer answer everything, also what it is asked meanwhile. */
    async function answerAll(outcomes: readonly Promise<Admission>[]): Promise<readonly number[]> {
      let isDone = false;
      const all = Promise.all(outcomes.map(async (outcome) => (await refused(outcome)).status));
      void all.finally(() => {
        isDone = true;
      });
      await until(() => {
        waiting.splice(0).forEach((go) => go());
        return isDone;
      });
      return all;
    }

    test("asks about 100 at the same time at most, and about 1000 more in their turn", async () => {
      const outcomes = sendMany(1101);
      await until(() => open === 100);
      expect((await refused(outcomes[1100]!)).status).toBe(503);
      expect(told.join()).toContain("is asked about too many tokens already");
      expect(new Set(await answerAll(outcomes.slice(0, 1100)))).toEqual(new Set([401]));
      expect([most, asked.length]).toEqual([100, 1100]);
      expect(asked).toEqual(Array.from({ length: 1100 }, (_, index) => `token-${index}-undefined`));
      // All places are free again.
      expect(new Set(await answerAll(sendMany(1100, "10.0.0.1")))).toEqual(new Set([401]));
    });

    test("lets a good token in while a stranger sends a thousand made-up ones", async () => {
      const outcomes = sendMany(1000, "203.0.113.7");
      await until(() => open === 10);
      // A tenth of the places is the stranger's. The rest get an answer at once.
      const early = await Promise.all(outcomes.slice(110).map(async (outcome) => refused(outcome)));
      expect(new Set(early.map(({ status, header }) => `${status} ${header("retry-after")}`))).toEqual(
        new Set(["503 5"]),
      );
      const good = send("good", "198.51.100.7");
      await until(() => asked.at(-1) === "good");
      waiting.at(-1)!();
      expect((await admitted(good)).id).toBe(`["${ISSUER}","ada"]`);
      expect(new Set(await answerAll(outcomes.slice(0, 110)))).toEqual(new Set([401]));
      expect(most).toBe(11);
    });

    test("passes over a network that has its share, and takes those behind it", async () => {
      const neighbours = sendMany(95);
      await until(() => open === 95);
      const stranger = sendMany(20, "203.0.113.7");
      const others = sendMany(2, "198.51.100.7");
      await until(() => open === 100);
      expect(asked.slice(95).every((token) => token.endsWith("203.0.113.7"))).toBe(true);
      waiting.splice(0, 7).forEach((go) => go());
      await until(() => asked.length === 107);
      // Five more of the stranger, up to its share of ten, and then the others.
      expect(asked.slice(105)).toEqual(["token-0-198.51.100.7", "token-1-198.51.100.7"]);
      await answerAll([...neighbours, ...stranger, ...others]);
    });

    test("refuses for the time being what does not get its turn within four seconds", async () => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const outcomes = sendMany(101);
      await vi.advanceTimersByTimeAsync(3999);
      expect([open, told]).toEqual([100, []]);
      await vi.advanceTimersByTimeAsync(1);
      expect((await refused(outcomes[100]!)).status).toBe(503);
      expect(told.join()).toContain("answers about tokens too slowly");
      vi.useRealTimers();
      // It is not asked about later.
      expect(new Set(await answerAll(outcomes.slice(0, 100)))).toEqual(new Set([401]));
      expect(asked).toHaveLength(100);
    });

    test("lets none wait in workers of Cloudflare, where no request may wait for another", async () => {
      vi.stubGlobal("WebSocketPair", () => {});
      const outcomes = sendMany(101);
      expect((await refused(outcomes[100]!)).status).toBe(503);
      expect(new Set(await answerAll(outcomes.slice(0, 100)))).toEqual(new Set([401]));
      vi.unstubAllGlobals();
    });
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
