import { afterAll, describe, expect, it } from "vitest";
import { createHttpCaller } from "../../src/caller/guarded-caller.ts";
import type { HttpRequest } from "../../src/request/http-request.ts";
import type { AuthSubject } from "../../src/credentials/auth.ts";
import { clientCredentials, type ClientCredentialsOptions } from "../../src/oauth.ts";
import { answerJson, type SeenRequest, startApi } from "../test-api.ts";

const http = createHttpCaller({ network: { allow: ["localhost"] }, onDiagnostic: () => {} });
afterAll(() => http.close());

function subjectOf(principal?: string): AuthSubject {
  return { principal, signal: new AbortController().signal };
}

function newRequest(): HttpRequest {
  return { method: "GET", origin: "https://api.example.com", path: "/x", headers: {}, body: undefined };
}

/** A token endpoint whose tokens count upwards. */
function startTokens(answer?: (request: SeenRequest, count: number) => [status: number, body: object]) {
  let count = 0;
  return startApi((response, request) => {
    count += 1;
    const [status, body] = answer?.(request, count) ?? [
      200,
      { access_token: `token-${count}`, token_type: "Bearer", expires_in: 3600 },
    ];
    answerJson(response, body, status);
  });
}

function authFor(tokenUrl: string, rest: Partial<ClientCredentialsOptions> = {}) {
  return clientCredentials({ tokenUrl, clientId: "client", clientSecret: "s3cret-value", http, ...rest });
}

async function tokenOf(auth: ReturnType<typeof authFor>, subject = subjectOf()): Promise<string | undefined> {
  const request = newRequest();
  await auth.apply(request, subject);
  return request.headers["authorization"];
}

describe("clientCredentials()", () => {
  it("asks for a token with the id and the secret in the header, form-encoded first", async () => {
    await using api = await startTokens();
    const auth = authFor(`${api.origin}/token?x=1`, {
      clientId: "a:b c",
      clientSecret: "d/é",
      scope: "read write",
      audience: "https://api",
      resource: "https://r",
    });
    expect(await tokenOf(auth)).toBe("Bearer token-1");
    expect(api.seen).toHaveLength(1);
    const [seen] = api.seen;
    expect(seen).toMatchObject({ method: "POST", url: "/token?x=1" });
    expect(seen?.headers.authorization).toBe(`Basic ${btoa("a%3Ab+c:d%2F%C3%A9")}`);
    expect(Object.fromEntries(new URLSearchParams(seen?.body))).toEqual({
      grant_type: "client_credentials",
      scope: "read write",
      audience: "https://api",
      resource: "https://r",
    });
  });

  it("sends the id and the secret in the body if told", async () => {
    await using api = await startTokens();
    await tokenOf(authFor(api.origin, { authentication: "body" }));
    expect(api.seen[0]?.headers.authorization).toBeUndefined();
    expect(Object.fromEntries(new URLSearchParams(api.seen[0]?.body))).toEqual({
      grant_type: "client_credentials",
      client_id: "client",
      client_secret: "s3cret-value",
    });
  });

  it("keeps a token, and then adds it without a promise", async () => {
    await using api = await startTokens();
    const auth = authFor(api.origin);
    await tokenOf(auth);
    const request = newRequest();
    expect(auth.apply(request, subjectOf())).toBeUndefined();
    expect(request.headers["authorization"]).toBe("Bearer token-1");
    expect(request.secrets).toEqual(["token-1", "s3cret-value"]);
    expect(api.seen).toHaveLength(1);
  });

  it("asks once for calls that need a token at the same time", async () => {
    await using api = await startTokens();
    const auth = authFor(api.origin);
    const tokens = await Promise.all(Array.from({ length: 50 }, () => tokenOf(auth)));
    expect(new Set(tokens)).toEqual(new Set(["Bearer token-1"]));
    expect(api.seen).toHaveLength(1);
  });

  it("asks again when a token is about to end", async () => {
    await using api = await startTokens((_, count) => [
      200,
      { access_token: `token-${count}`, token_type: "bearer", expires_in: 0.01 },
    ]);
    const auth = authFor(api.origin);
    expect(await tokenOf(auth)).toBe("Bearer token-1");
    await expect.poll(() => tokenOf(auth)).not.toBe("Bearer token-1");
  });

  it("keeps a token for a while if the server does not say how long it lives", async () => {
    await using api = await startTokens(() => [200, { access_token: "t", token_type: "Bearer" }]);
    const auth = authFor(api.origin);
    await tokenOf(auth);
    await tokenOf(auth);
    expect(api.seen).toHaveLength(1);
  });

  it("replaces a token that the API has refused, once for all calls that used it", async () => {
    await using api = await startTokens();
    const auth = authFor(api.origin);
    const subjects = [subjectOf(), subjectOf()];
    for (const subject of subjects) await tokenOf(auth, subject);
    expect(subjects.map((subject) => auth.renew?.(subject))).toEqual([true, true]);
    expect(await Promise.all(subjects.map((subject) => tokenOf(auth, subject)))).toEqual([
      "Bearer token-2",
      "Bearer token-2",
    ]);
    expect(auth.renew?.(subjectOf())).toBe(false);
    expect(api.seen).toHaveLength(2);
  });

  it("tells the code of a refusal and nothing else, and leaves the server alone for a while", async () => {
    await using api = await startTokens(() => [
      401,
      { error: "invalid_client", error_description: "s3cret-value is wrong" },
    ]);
    const auth = authFor(api.origin);
    const text = "Error: Upstream API could not be called, because there is no access token for it (invalid_client)";
    await expect(tokenOf(auth)).rejects.toHaveProperty("message", text);
    await expect(tokenOf(auth)).rejects.toHaveProperty("message", text);
    expect(api.seen).toHaveLength(1);
  });

  it.each([
    ["no JSON", (response: Parameters<NonNullable<Parameters<typeof startApi>[0]>>[0]) => response.end("hello")],
    [
      "no token",
      (response: Parameters<NonNullable<Parameters<typeof startApi>[0]>>[0]) =>
        answerJson(response, { token_type: "Bearer" }),
    ],
    [
      "another type",
      (response: Parameters<NonNullable<Parameters<typeof startApi>[0]>>[0]) =>
        answerJson(response, { access_token: "x", token_type: "mac" }),
    ],
    [
      "too much",
      (response: Parameters<NonNullable<Parameters<typeof startApi>[0]>>[0]) =>
        answerJson(response, { access_token: "x".repeat(70_000), token_type: "Bearer" }),
    ],
    [
      "a redirect",
      (response: Parameters<NonNullable<Parameters<typeof startApi>[0]>>[0]) =>
        response.writeHead(302, { location: "/" }).end(),
    ],
  ])("fails with a text if the server sends %s", async (_, answer) => {
    await using api = await startApi(answer);
    await expect(tokenOf(authFor(api.origin))).rejects.toThrow(
      "Error: Upstream API could not be called, because there is no access token for it",
    );
  });

  it("reaches no address that the caller does not allow", async () => {
    await using api = await startTokens();
    const guarded = createHttpCaller({ onDiagnostic: () => {} });
    await expect(tokenOf(authFor(api.origin, { http: guarded }))).rejects.toThrow("there is no access token");
    expect(api.seen).toHaveLength(0);
  });

  it.each([
    [{ tokenUrl: "token" }, "`tokenUrl` must be an absolute URL"],
    [{ clientSecret: undefined }, "`clientSecret` must be text"],
    [{ authentication: "jwt" }, '`authentication` must be "basic" or "body"'],
    [{ scopes: "x" }, "clientCredentials has no option `scopes`. Did you mean `scope`?"],
    [{ scope: ["x"] }, "`scope` must be text"],
  ])("is checked at once: %j", (rest, message) => {
    expect(() => authFor("https://auth.example.com/token", rest as never)).toThrow(message);
  });
});

describe("principals-share-nothing", () => {
  it("each caller gets a token of their own client, and a wrong secret never gets another's token", async () => {
    await using api = await startTokens(({ headers }) => {
      const [id = "", secret = ""] = decodeURIComponent(
        atob((headers.authorization ?? "").slice("Basic ".length)),
      ).split(":");
      if (secret !== `${id}-secret`) return [401, { error: "invalid_client" }];
      return [200, { access_token: `token-of-${id}`, token_type: "Bearer", expires_in: 3600 }];
    });
    const secrets = new Map([
      ["alice", "alice-secret"],
      ["bob", "bob-secret"],
    ]);
    const auth = authFor(api.origin, {
      clientId: ({ principal }) => (principal === "mallory" ? "alice" : principal),
      clientSecret: ({ principal }) => (principal === "mallory" ? "guess" : secrets.get(principal ?? "")),
    });
    expect(await tokenOf(auth, subjectOf("alice"))).toBe("Bearer token-of-alice");
    expect(await tokenOf(auth, subjectOf("bob"))).toBe("Bearer token-of-bob");
    expect(await tokenOf(auth, subjectOf("alice"))).toBe("Bearer token-of-alice");
    await expect(tokenOf(auth, subjectOf("mallory"))).rejects.toThrow("(invalid_client)");
    await expect(tokenOf(auth, subjectOf())).rejects.toThrow("There is no credential of yours");
    expect(await tokenOf(auth, subjectOf("alice"))).toBe("Bearer token-of-alice");
  });

  it("a token that the API refuses for one caller stays for the others", async () => {
    await using api = await startTokens();
    const auth = authFor(api.origin, { clientId: ({ principal }) => principal });
    const alice = subjectOf("alice");
    const bob = subjectOf("bob");
    const [, bobs] = [await tokenOf(auth, alice), await tokenOf(auth, bob)];
    auth.renew?.(alice);
    expect(await tokenOf(auth, bob)).toBe(bobs);
    expect(api.seen).toHaveLength(2);
  });
});
