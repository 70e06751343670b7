import { beforeAll, describe, expect, test } from "vitest";
import { jwt, protect, type ProtectOptions, type TokenProtection, type VerifyToken } from "../../src/auth/index.ts";
import { createKey, headOf, RESOURCE, seconds, sign, type TestKey, withToken } from "./lab/issuer.ts";
import { admitted, fieldOf, readChallenges, refused } from "./lab/outcome.ts";

const ISSUER = "https://auth.example.com";
const METADATA = "https://api.example.com/.well-known/oauth-protected-resource/mcp";

let key: TestKey;
beforeAll(async () => {
  key = await createKey("ES256", "key-1");
});

function claims(more: object = {}): Record<string, unknown> {
  return { iss: ISSUER, sub: "ada", aud: RESOURCE, exp: seconds(300), iat: seconds(), scope: "mcp:read", ...more };
}

function protectWith(more: Partial<ProtectOptions> = {}): TokenProtection {
  const verify = jwt({ issuer: ISSUER, keys: { keys: [key.jwk] } });
  return protect({ resource: RESOURCE, verify, scopes: ["mcp:read"], onDiagnostic: () => {}, ...more });
}

/** Verifies nothing: the token is the name of the caller. */
const byName: VerifyToken = (token) => ({ issuer: ISSUER, subject: token, audience: RESOURCE, scopes: ["mcp:read"] });

describe("protect", () => {
  test("lets a caller with a good token in, and says who it is", async () => {
    const token = await sign(key, claims({ client_id: "app", email: "ada@example.com" }));
    const principal = await admitted(protectWith().admit(withToken(token)));
    expect(principal).toMatchObject({
      id: `["${ISSUER}","ada"]`,
      issuer: ISSUER,
      clientId: "app",
      scopes: ["mcp:read"],
    });
    expect(principal.claims).toMatchObject({ email: "ada@example.com", aud: RESOURCE });
    expect(principal.expiresAt! / 1000).toBe(principal.claims!["exp"]);
    expect(JSON.stringify(principal)).not.toContain(token);
  });

  test("answers at once, and with the same frozen principal, for a token that was verified a moment ago", async () => {
    const auth = protectWith();
    const token = await sign(key, claims({ nested: { list: [1] } }));
    const first = await admitted(auth.admit(withToken(token)));
    const second = auth.admit(withToken(token));
    expect(second).not.toBeInstanceOf(Promise);
    expect(await admitted(second)).toBe(first);
    expect(Object.isFrozen(first) && Object.isFrozen(first.scopes) && Object.isFrozen(first.claims)).toBe(true);
    expect(Object.isFrozen((first.claims!["nested"] as { list: object }).list)).toBe(true);
  });

  test("asks for a token with a challenge that has no error", async () => {
    const { status, challenges, refusal } = await refused(protectWith().admit(headOf({})));
    expect(status).toBe(401);
    expect(challenges).toEqual({ bearer: { scope: "mcp:read", resource_metadata: METADATA } });
    expect(refusal.message).toContain("needs an access token");
  });

  test("takes another scheme for no token", async () => {
    for (const authorization of ["Basic YTpi", "DPoP abc", "Negotiate", ""]) {
      const { status, error } = await refused(protectWith().admit(headOf({ authorization })));
      expect([authorization, status, error]).toEqual([authorization, 401, undefined]);
    }
  });

  test("takes the name of the scheme in any case", async () => {
    const token = await sign(key, claims());
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      const { id } = await admitted(protectWith().admit(headOf({ authorization: `${scheme} ${token}` })));
      expect(id).toContain("ada");
    }
  });

  test.each([
    ["no token", "Bearer"],
    ["an empty token", "Bearer "],
    ["two tokens", "Bearer one two"],
    ["two headers that were joined", "Bearer one, Bearer two"],
    ["two schemes that were joined", "Basic YTpi, Bearer two"],
    ["characters that no token has", "Bearer ab\u00e9c"],
    ["a quoted token", 'Bearer "abc"'],
    ["padding in the middle", "Bearer ab=c"],
    ["more than 8 KiB", `Bearer ${"a".repeat(8193)}`],
  ])("refuses an Authorization header with %s as malformed", async (_, authorization) => {
    const { status, error } = await refused(
      protectWith({ verify: byName, authorizationServers: [ISSUER] }).admit(headOf({ authorization })),
    );
    expect([status, error]).toEqual([400, "invalid_request"]);
  });

  test("refuses a token in the query, even beside a good one in the header", async () => {
    const auth = protectWith();
    const token = await sign(key, claims());
    await admitted(auth.admit(withToken(token)));
    for (const query of ["?access_token=x", "?a=b&access_token=x", "?access%5Ftoken=x"]) {
      const head = headOf({ authorization: `Bearer ${token}` }, `/mcp${query}`);
      expect((await refused(auth.admit(head))).status).toBe(400);
    }
    await admitted(auth.admit(headOf({ authorization: `Bearer ${token}` }, "/mcp?my_access_token=x")));
  });

  test("refuses two Authorization headers, of which Node shows the first only", async () => {
    const auth = protectWith();
    const authorization = `Bearer ${await sign(key, claims())}`;
    const rawHeaders = ["Host", "x", "Authorization", authorization, "authorization", "Bearer other"];
    const head = { ...headOf({ authorization }), raw: { rawHeaders } };
    expect((await refused(auth.admit(head))).status).toBe(400);
  });

  test("takes one Authorization header beside others of the same length, and platforms that list none", async () => {
    const authorization = `Bearer ${await sign(key, claims())}`;
    const raws = [
      {
        rawHeaders: ["authorization", authorization, "x-forwarded-x", "authorization", "If-None-Match", authorization],
      },
      { rawHeaders: "authorization, authorization" },
      { rawHeaders: [7, 7, "Authorization", authorization] },
      {},
      undefined,
    ];
    for (const raw of raws) {
      const { issuer } = await admitted(protectWith().admit({ ...headOf({ authorization }), raw }));
      expect(issuer).toBe(ISSUER);
    }
  });

  test("makes a principal of what the token says, and of nothing else", async () => {
    const only = { iss: ISSUER, sub: "ada", aud: RESOURCE, exp: seconds(300), scp: ["mcp:read"] };
    const { claims: found, ...principal } = await admitted(protectWith().admit(withToken(await sign(key, only))));
    expect(found).toEqual(only);
    expect(principal).toEqual({
      id: `["${ISSUER}","ada"]`,
      issuer: ISSUER,
      scopes: ["mcp:read"],
      expiresAt: only.exp * 1000,
    });
    expect(Object.keys(principal)).not.toContain("clientId");
    for (const name of ["client_id", "azp", "cid", "appid"]) {
      const named = await admitted(protectWith().admit(withToken(await sign(key, { ...only, [name]: name, zone: 1 }))));
      expect(named.clientId).toBe(name);
    }
    const several = { ...only, client_id: "", azp: "second", appid: "fourth" };
    expect((await admitted(protectWith().admit(withToken(await sign(key, several))))).clientId).toBe("second");
  });

  test("refuses a bad token with a fixed text that says nothing about it", async () => {
    const expired = await refused(protectWith().admit(withToken(await sign(key, claims({ exp: seconds(-1) })))));
    const foreign = await refused(
      protectWith().admit(withToken(await sign(key, claims({ aud: "https://other.example" })))),
    );
    expect(expired.refusal).toEqual(foreign.refusal);
    expect(expired).toMatchObject({ status: 401, error: "invalid_token" });
    expect(expired.challenges["bearer"]).toMatchObject({ resource_metadata: METADATA, scope: "mcp:read" });
  });

  test("tells the operator why a token was refused, without the token", async () => {
    const told: string[] = [];
    const token = await sign(key, claims({ aud: "https://other.example" }));
    await refused(protectWith({ onDiagnostic: ({ message }) => void told.push(message) }).admit(withToken(token)));
    expect(told).toEqual([`An access token was refused: its audience is "https://other.example", not "${RESOURCE}".`]);
  });

  test("refuses a token that lacks the scopes for any access, and names all of them", async () => {
    const auth = protectWith({ scopes: ["mcp:read", "mcp:more"] });
    const { status, error, challenges } = await refused(auth.admit(withToken(await sign(key, claims()))));
    expect([status, error]).toEqual([403, "insufficient_scope"]);
    expect(challenges["bearer"]).toMatchObject({ scope: "mcp:read mcp:more", resource_metadata: METADATA });
  });

  test("writes the challenge of an operation with its scopes and those for any access", () => {
    const challenges = readChallenges(
      fieldOf(protectWith().challenge(["files:write", "mcp:read"]), "www-authenticate"),
    );
    expect(challenges).toMatchObject({
      bearer: { error: "insufficient_scope", scope: "mcp:read files:write", resource_metadata: METADATA },
    });
  });

  test("adds implied scopes, and those that they imply, also in a circle", async () => {
    const implies = { admin: ["write", "audit"], write: ["mcp:read"], "mcp:read": ["admin"] };
    const token = await sign(key, claims({ scope: "admin" }));
    const { scopes } = await admitted(protectWith({ implies }).admit(withToken(token)));
    expect(scopes).toEqual(["admin", "write", "audit", "mcp:read"]);
  });

  test("does not take a scope for a member of every object", async () => {
    const token = await sign(key, claims({ scope: "mcp:read constructor __proto__" }));
    const { scopes } = await admitted(protectWith({ implies: { a: ["b"] } }).admit(withToken(token)));
    expect(scopes).toEqual(["mcp:read", "constructor", "__proto__"]);
  });

  test("verifies one token once, however many requests come with it at the same time", async () => {
    let calls = 0;
    const verify: VerifyToken = async (token) => {
      calls += 1;
      await Promise.resolve();
      return byName(token, headOf({}));
    };
    const auth = protectWith({ verify, authorizationServers: [ISSUER] });
    const all = await Promise.all(Array.from({ length: 50 }, () => admitted(auth.admit(withToken("ada")))));
    expect(calls).toBe(1);
    expect(new Set(all).size).toBe(1);
  });

  test("verifies a token again when the time is over that the verifier named", async () => {
    let calls = 0;
    const verify: VerifyToken = (token) => {
      calls += 1;
      return { issuer: ISSUER, subject: token, audience: RESOURCE, scopes: ["mcp:read"], maxAge: 0 };
    };
    const auth = protectWith({ verify, authorizationServers: [ISSUER] });
    await admitted(auth.admit(withToken("ada")));
    await admitted(auth.admit(withToken("ada")));
    expect(calls).toBe(2);
  });

  test("does not verify a bad token again and again", async () => {
    let calls = 0;
    const auth = protectWith({ verify: () => void (calls += 1) as undefined, authorizationServers: [ISSUER] });
    await refused(auth.admit(withToken("bad")));
    expect(auth.admit(withToken("bad"))).not.toBeInstanceOf(Promise);
    expect(calls).toBe(1);
  });

  test("refuses what a function found if it is for another audience, or says nothing about it", async () => {
    for (const audience of ["https://other.example", [], undefined, "checked"]) {
      const verify = (): never => ({ issuer: ISSUER, subject: "ada", audience }) as never;
      const auth = protectWith({ verify, authorizationServers: [ISSUER], scopes: [] });
      expect((await refused(auth.admit(withToken("token")))).status).toBe(401);
    }
    const verify: VerifyToken = () => ({ issuer: ISSUER, subject: "ada", audienceChecked: true });
    await admitted(protectWith({ verify, authorizationServers: [ISSUER], scopes: [] }).admit(withToken("token")));
  });

  test("answers with 503 if a verifier fails, and tells the operator", async () => {
    const told: unknown[] = [];
    const verify: VerifyToken = () => {
      throw new Error("The database is down.");
    };
    const auth = protectWith({
      verify,
      authorizationServers: [ISSUER],
      onDiagnostic: (event) => void told.push(event),
    });
    const { status, header, refusal } = await refused(auth.admit(withToken("token")));
    expect([status, header("retry-after"), header("www-authenticate")]).toEqual([503, "5", undefined]);
    expect(JSON.stringify(refusal)).not.toContain("database");
    expect(told).toMatchObject([{ level: "error", error: { message: "The database is down." } }]);
  });

  test("keeps the token from handlers, unless it is told not to", async () => {
    const token = await sign(key, claims());
    const secretive = protectWith();
    expect(secretive.tokenOf(await admitted(secretive.admit(withToken(token))))).toBeUndefined();
    const open = protectWith({ exposeToken: true });
    const principal = await admitted(open.admit(withToken(token)));
    expect(open.tokenOf(principal)).toBe(token);
    expect(open.tokenOf({ ...principal })).toBeUndefined();
    expect(JSON.stringify(principal)).not.toContain(token);
  });
});

describe("the issuer of a token", () => {
  test("chooses the verifier, and makes the same subject another caller", async () => {
    const other = await createKey("ES256", "key-1");
    const auth = protectWith({
      verify: [
        jwt({ issuer: ISSUER, keys: { keys: [key.jwk] } }),
        jwt({ issuer: "https://other.example.com", keys: { keys: [other.jwk] } }),
      ],
    });
    const one = await admitted(auth.admit(withToken(await sign(key, claims()))));
    const two = await admitted(auth.admit(withToken(await sign(other, claims({ iss: "https://other.example.com" })))));
    expect(one.id).not.toBe(two.id);
    // The key of one issuer cannot sign for another one.
    const forged = await sign(other, claims());
    expect((await refused(auth.admit(withToken(forged)))).status).toBe(401);
    const unknown = await sign(key, claims({ iss: "https://third.example.com" }));
    expect((await refused(auth.admit(withToken(unknown)))).status).toBe(401);
  });

  test("is in the metadata by default", () => {
    expect(JSON.parse(protectWith().metadata.text)).toMatchObject({ authorization_servers: [ISSUER] });
  });
});

describe("the id of a principal", () => {
  const idOf = async (found: object): Promise<string> => {
    const verify = (): never => ({ ...found, audienceChecked: true }) as never;
    const auth = protectWith({ verify, authorizationServers: [ISSUER], scopes: [] });
    return (await admitted(auth.admit(withToken("token")))).id;
  };

  test("differs for every pair of issuer and subject, and for a client of the same name", async () => {
    const callers = [
      { issuer: "a|b", subject: "c" },
      { issuer: "a", subject: "b|c" },
      { issuer: 'a","b', subject: "c" },
      { issuer: "a", subject: 'b","c' },
      { issuer: "a", clientId: "c" },
      { issuer: "a", subject: "c" },
      { issuer: "a", subject: 'null,"c' },
    ];
    const ids = await Promise.all(callers.map(idOf));
    expect(new Set(ids).size).toBe(callers.length);
  });

  test("is that of the user if there is one, whatever the client", async () => {
    const one = await idOf({ issuer: "a", subject: "ada", clientId: "one" });
    expect(one).toBe(await idOf({ issuer: "a", subject: "ada", clientId: "two" }));
  });

  test("is refused to a token that names nobody", async () => {
    for (const found of [{ issuer: "a" }, { issuer: "a", subject: "" }, { issuer: "", subject: "x" }]) {
      await expect(idOf(found)).rejects.toThrow('"status":401');
    }
  });
});

describe("options of protect", () => {
  test.each([
    "api.example.com/mcp",
    "http://api.example.com/mcp",
    "https://api.example.com/mcp#part",
    "https://api.example.com/mcp?key=value",
    "https://user:secret@api.example.com/mcp",
    " https://api.example.com/mcp",
    "ftp://api.example.com",
    "",
    undefined,
  ])("have no resource %j", (resource) => {
    expect(() => protectWith({ resource: resource as string })).toThrow(
      "`resource` must be the URL by which clients reach",
    );
  });

  test.each([
    [{ scopes: ["a b"] }, "`scopes` must be a list of scopes"],
    [{ scopes: "mcp:read" as never }, "`scopes` must be a list of scopes"],
    [{ scopes: ["mcp:read", "offline_access"] }, '`scopes` must not have "offline_access"'],
    [{ implies: { admin: "read" as never } }, 'implies["admin"] must be a list of scopes'],
    [{ verify: byName }, "`authorizationServers` must name at least one issuer"],
    [{ authorizationServers: ["http://auth.example.com"] }, "`authorizationServers[0]` must be a URL"],
    [{ verify: [] }, "`verify` must be"],
    [{ verify: {} as never }, "`verify` must be"],
    [{ dpop: "optional" as never }, '`dpop` must be "accepted", "required"'],
    [{ dpop: { mode: "accepted", algorithms: ["HS256" as never] } }, "`dpop.algorithms` must be a list of ES256"],
    [{ dpop: { mode: "accepted", key: "short" } }, "`dpop.key` is too short"],
    [{ resources: RESOURCE } as never, "Did you mean `resource`?"],
  ] as [Partial<ProtectOptions>, string][])("are refused with what to do: %j", (options, message) => {
    expect(() => protectWith(options)).toThrow(message);
  });

  test("have one verifier for each issuer", () => {
    const verify = jwt({ issuer: ISSUER, keys: { keys: [key.jwk] } });
    expect(() => protectWith({ verify: [verify, verify] })).toThrow(`two verifiers for "${ISSUER}"`);
  });

  test.each([
    "http://alocalhost/mcp",
    "http://localhost.evil.example/mcp",
    "ws://localhost/mcp",
    "http://10.0.0.1/mcp",
  ])("have no resource %s, which others could read", (resource) => {
    expect(() => protectWith({ resource })).toThrow("`resource` must be the URL");
  });

  test.each([
    "http://localhost:3000/mcp",
    "http://mcp.localhost/mcp",
    "http://127.0.0.1/mcp",
    "http://[::1]:8080",
    "https://api.example.com",
  ])("have the resource %s as it is written", (resource) => {
    expect(JSON.parse(protectWith({ resource }).metadata.text)).toMatchObject({ resource });
  });
});
