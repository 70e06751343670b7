import { connect } from "@toolwire/client";
import { oauth } from "@toolwire/client/auth";
import fc from "fast-check";
import { validateAuthResponse } from "oauth4webapi";
import { afterEach, describe, expect, test } from "vitest";
import { createRecord, type LoginRecord, readCode } from "../../src/auth/login/authorization-request.ts";
import { instantLogin, protectedSite, type Site, type SiteParts, startSite } from "./lab/scripted-site.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const ISSUER = "https://as.example";

function record(namesIssuer = false, issuer = ISSUER): LoginRecord {
  return {
    ...createRecord({
      server: new URL("https://mcp.example/mcp"),
      place: {
        issuer: {
          issuer,
          token_endpoint: `${issuer}/token`,
          authorization_response_iss_parameter_supported: namesIssuer,
        },
        resource: "https://mcp.example/mcp",
        scopes: undefined,
        takesDpop: false,
        requiresDpop: false,
        isGuessed: false,
      },
      client: { id: "client", origin: "dynamic" },
      redirectUri: "http://127.0.0.1/callback",
      scopes: undefined,
      isBound: false,
      dpop: undefined,
      parameters: undefined,
    }),
  };
}

/** Reads a response, and returns the code or the code of the error. */
function read(parameters: Readonly<Record<string, string>>, of: LoginRecord = record(), now?: number): string {
  try {
    return readCode(new URLSearchParams({ state: of.state, ...parameters }), of, now).get("code")!;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe("iss", () => {
  test.each([
    [true, ISSUER, "c"],
    [true, undefined, "ISSUER_MISMATCH"],
    [true, "https://evil.example", "ISSUER_MISMATCH"],
    [false, ISSUER, "c"],
    [false, undefined, "c"],
    [false, "https://evil.example", "ISSUER_MISMATCH"],
    [true, "", "ISSUER_MISMATCH"],
    [false, "", "ISSUER_MISMATCH"],
  ])("threat 1: advertised: %s, iss: %s, outcome: %s", (namesIssuer, iss, outcome) => {
    expect(read({ code: "c", ...(iss !== undefined && { iss }) }, record(namesIssuer))).toBe(outcome);
  });

  test("threat 2: iss is compared without any normalization", () => {
    const variants = [
      `${ISSUER}/`,
      ISSUER.toUpperCase(),
      "https://AS.example",
      `${ISSUER}:443`,
      "https://as%2Eexample",
      ` ${ISSUER}`,
      `${ISSUER}#`,
      `${ISSUER}?`,
    ];
    for (const iss of variants) expect([iss, read({ code: "c", iss })]).toEqual([iss, "ISSUER_MISMATCH"]);
    fc.assert(
      fc.property(fc.webUrl(), fc.webUrl(), (one, other) => {
        expect(read({ code: "c", iss: one }, record(false, other))).toBe(one === other ? "c" : "ISSUER_MISMATCH");
      }),
    );
  });

  test("the checks agree with those of oauth4webapi, except that a parameter that is there twice or empty is refused earlier", () => {
    const value = fc.constantFrom(undefined, ISSUER, `${ISSUER}/`, "https://evil.example");
    fc.assert(
      fc.property(
        fc.boolean(),
        value,
        fc.constantFrom("right", "wrong", undefined),
        fc.boolean(),
        (namesIssuer, iss, state, isError) => {
          const of = record(namesIssuer);
          const parameters = new URLSearchParams({
            ...(isError ? { error: "access_denied" } : { code: "c" }),
            ...(iss !== undefined && { iss }),
            ...(state !== undefined && { state: state === "right" ? of.state : "other" }),
          });
          const server = { issuer: ISSUER, authorization_response_iss_parameter_supported: namesIssuer };
          const theirs = succeeds(() => validateAuthResponse(server, { client_id: "client" }, parameters, of.state));
          expect(succeeds(() => readCode(parameters, of))).toBe(theirs);
        },
      ),
    );
  });
});

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

test.each([
  ["access_denied", "LOGIN_CANCELLED"],
  ["temporarily_unavailable", "TEMPORARY"],
  ["server_error", "TEMPORARY"],
  ["invalid_scope", "LOGIN_FAILED"],
  ["unauthorized_client", "LOGIN_FAILED"],
])("a response with the error %s is %s", (error, code) => {
  expect(read({ error, code: "c" })).toBe(code);
});

test("a response counts for ten minutes, and needs a code", () => {
  const of = record();
  expect(read({ code: "c" }, of, of.since + 600_000)).toBe("c");
  expect(read({ code: "c" }, of, of.since + 600_001)).toBe("LOGIN_CANCELLED");
  expect(read({}, of)).toBe("LOGIN_FAILED");
});

test("threat 3: nothing of a response with a foreign iss is in the error", () => {
  const of = record();
  const answer = {
    iss: "https://evil.example",
    error: "canary-error",
    error_description: "canary-description",
    error_uri: "canary-uri",
  };
  expect(() => readCode(new URLSearchParams({ state: of.state, ...answer }), of)).toThrow(
    expect.objectContaining({ code: "ISSUER_MISMATCH", message: expect.not.stringMatching(/canary|evil/) as string }),
  );
});

test("threat 8: a response with an unknown, repeated or late state is not used", () => {
  const of = record();
  expect(read({ code: "c", state: "unknown" }, of)).toBe("LOGIN_FAILED");
  expect(() => readCode(new URLSearchParams({ code: "c" }), of)).toThrow(/state/);
  const twice = new URLSearchParams([
    ["code", "c"],
    ["state", of.state],
    ["state", of.state],
  ]);
  expect(() => readCode(twice, of)).toThrow(/2 times/);
  expect(read({ code: "c" }, of, Date.now() + 11 * 60_000)).toBe("LOGIN_CANCELLED");
});

test("threat 8: state and verifier are independent random values", () => {
  const records = Array.from({ length: 50 }, () => record());
  expect(new Set(records.flatMap(({ state, verifier }) => [state, verifier])).size).toBe(100);
  for (const { state } of records) expect(state.length).toBeGreaterThanOrEqual(22);
});

test("the words of an authorization server are shown cut and printable", () => {
  const of = record();
  const answer = { state: of.state, error: "server\u0007error", error_description: "x".repeat(5000) };
  const failure = (() => {
    try {
      readCode(new URLSearchParams(answer), of);
    } catch (error) {
      return error as Error;
    }
    throw new Error("It did not fail.");
  })();
  expect(failure.message).toContain("server\\u0007error");
  expect(failure.message.length).toBeLessThan(500);
});

describe("whole logins", () => {
  async function attempt(
    parts: SiteParts,
    answer: Readonly<Record<string, string>>,
  ): Promise<{ site: Site; error: unknown }> {
    const site = await startSite(protectedSite(parts));
    cleanups.push(() => site.close());
    const auth = oauth({ login: instantLogin(answer) });
    const error = await connect(`${site.origin}/mcp`, { auth, revision: "2026-07-28" }).then(
      (client) => void client.close(),
      (failure: unknown) => failure,
    );
    return { site, error };
  }

  test("threat 1: a code that came with another iss is never redeemed", async () => {
    const wrong = await attempt({}, { iss: "https://evil.example" });
    expect(wrong.error).toMatchObject({ code: "ISSUER_MISMATCH" });
    expect(wrong.site.at("/token")).toHaveLength(0);
    const missing = await attempt({ issuer: () => ({ authorization_response_iss_parameter_supported: true }) }, {});
    expect(missing.error).toMatchObject({ code: "ISSUER_MISMATCH" });
    expect(missing.site.at("/token")).toHaveLength(0);
  });

  test("threat 1: a code goes to the token endpoint of the login, even if the metadata change meanwhile", async () => {
    let isChanged = false;
    const other = await startSite(() => undefined);
    cleanups.push(() => other.close());
    const site = await startSite(
      protectedSite({ issuer: () => (isChanged ? { token_endpoint: `${other.origin}/token` } : {}) }),
    );
    cleanups.push(() => site.close());
    const login = instantLogin();
    const auth = oauth({
      login: {
        redirectUri: login.redirectUri,
        authorize(url) {
          isChanged = true;
          return login.authorize(url);
        },
      },
    });
    const client = await connect(`${site.origin}/mcp`, { auth, revision: "2026-07-28" });
    await client.close();
    expect(site.at("/token")).toHaveLength(1);
    expect(other.requests).toHaveLength(0);
  });

  test("a refusal of the user is LOGIN_CANCELLED, and no token is requested", async () => {
    const { error, site } = await attempt({}, { error: "access_denied", error_description: "No, thanks" });
    expect(error).toMatchObject({ code: "LOGIN_CANCELLED", message: expect.stringContaining("No, thanks") as string });
    expect(site.at("/token")).toHaveLength(0);
  });

  test("an ID token that comes along unasked is not looked at, and an error with status 200 is one", async () => {
    const odd = await attempt(
      {
        token: () => ({ json: { access_token: "t", token_type: "bEaReR", expires_in: "3600", id_token: "not.a.jwt" } }),
      },
      {},
    );
    expect(odd.error).toBeUndefined();
    const hidden = await attempt({ token: () => ({ json: { error: "bad_verification_code" } }) }, {});
    expect(hidden.error).toMatchObject({
      code: "LOGIN_FAILED",
      message: expect.stringContaining("bad_verification_code") as string,
    });
  });

  test("a login without a way to log in says what to do", async () => {
    const site = await startSite(protectedSite());
    cleanups.push(() => site.close());
    await expect(connect(`${site.origin}/mcp`, { auth: oauth(), revision: "2026-07-28" })).rejects.toMatchObject({
      code: "LOGIN_REQUIRED",
      message: expect.stringContaining("loopbackLogin()") as string,
    });
  });

  test("a login that takes too long is LOGIN_CANCELLED, and a registration of before is not used again", async () => {
    const site = await startSite(protectedSite());
    cleanups.push(() => site.close());
    const login = { redirectUri: "http://127.0.0.1:1/cb", authorize: () => new Promise<never>(() => {}) };
    const auth = oauth({ login, loginTimeout: 20 });
    for (let attempts = 1; attempts <= 2; attempts += 1) {
      await expect(connect(`${site.origin}/mcp`, { auth, revision: "2026-07-28" })).rejects.toMatchObject({
        code: "LOGIN_CANCELLED",
      });
      expect(site.at("/register")).toHaveLength(attempts);
    }
  });
});
