import { describe, expect, it } from "vitest";
import type { Auth, AuthSubject } from "../../src/credentials/auth.ts";
import { apiKey, basic, bearer, combineAuth, headers } from "../../src/credentials/kinds.ts";
import type { HttpRequest } from "../../src/request/http-request.ts";

const SUBJECT: AuthSubject = { principal: "alice", signal: new AbortController().signal };

function requestWith(rest: Partial<HttpRequest> = {}): HttpRequest {
  return { method: "GET", origin: "https://api.example.com", path: "/x", headers: {}, body: undefined, ...rest };
}

/** Applies a credential that needs no promise. */
function apply(auth: Auth, request = requestWith(), subject = SUBJECT): HttpRequest {
  expect(auth.apply(request, subject)).toBeUndefined();
  return request;
}

describe("bearer()", () => {
  it("sends a token, and replaces a header of the same name", () => {
    const request = apply(bearer("t0ken-12345"), requestWith({ headers: { authorization: "Bearer of-an-argument" } }));
    expect(request.headers["authorization"]).toBe("Bearer t0ken-12345");
    expect(request.secrets).toEqual(["t0ken-12345"]);
  });

  it("takes a function of the caller, with and without a promise", async () => {
    const tokens = new Map([["alice", "a-token"]]);
    expect(apply(bearer(({ principal }) => tokens.get(principal ?? ""))).headers["authorization"]).toBe(
      "Bearer a-token",
    );
    const request = requestWith();
    await bearer(({ principal }) => Promise.resolve(`${principal}-later`)).apply(request, SUBJECT);
    expect(request.headers["authorization"]).toBe("Bearer alice-later");
  });

  it("fails with a text for the model if the caller has no credential", async () => {
    const text = "Error: There is no credential of yours for this API. Ask the operator of this server to add one";
    expect(() => bearer(() => undefined).apply(requestWith(), SUBJECT)).toThrow(text);
    await expect(bearer(() => Promise.resolve(undefined)).apply(requestWith(), SUBJECT)).rejects.toThrow(text);
  });

  it("does not show a value that no header can carry", () => {
    expect(() => bearer("secret-value\n")).toThrow("`token` contains a line break");
    expect(() => bearer("secret-value\n")).not.toThrow("secret-value");
    expect(() => bearer(() => "secret\r\nx").apply(requestWith(), SUBJECT)).toThrow(
      "Error: Your credential for this API cannot be sent.",
    );
    expect(() => bearer(7 as never)).toThrow("`token` must be text, or a function that returns text");
  });
});

describe("apiKey()", () => {
  it("sends a key in a header, with a prefix", () => {
    expect(apply(apiKey({ name: "X-API-Key", value: "k" })).headers).toEqual({ "x-api-key": "k" });
    expect(apply(apiKey({ name: "Authorization", value: "k", prefix: "Token " })).headers).toEqual({
      authorization: "Token k",
    });
  });

  it("sends a key in the query, encoded, as the only one of its name", () => {
    const auth = apiKey({ in: "query", name: "api key", value: "a&b=c" });
    expect(apply(auth).path).toBe("/x?api%20key=a%26b%3Dc");
    expect(apply(auth, requestWith({ path: "/x?a=1" })).path).toBe("/x?a=1&api%20key=a%26b%3Dc");
    expect(apply(auth, requestWith({ path: "/x?api%20key=evil&a=1&api%20key=evil" })).path).toBe(
      "/x?a=1&api%20key=a%26b%3Dc",
    );
    expect(apply(auth, requestWith({ path: "/x?api%20key=evil" })).path).toBe("/x?api%20key=a%26b%3Dc");
  });

  it("sends a key in a cookie, as the only one of its name", () => {
    const auth = apiKey({ in: "cookie", name: "sid", value: "a b" });
    expect(apply(auth).headers).toEqual({ cookie: "sid=a%20b" });
    expect(apply(auth, requestWith({ headers: { cookie: "a=1; sid=evil" } })).headers).toEqual({
      cookie: "a=1; sid=a%20b",
    });
  });

  it.each([
    [{ value: "k" }, "`name` must be the name of a header, parameter or cookie"],
    [{ name: "a b", value: "k" }, '"a b" is not the name of a header'],
    [{ name: "k", value: "k", in: "body" }, '`in` must be "header", "query" or "cookie"'],
    [{ name: "k", key: "k" }, "apiKey has no option `key`"],
    [{ name: "k" }, "`value` must be text"],
  ])("is checked at once: %j", (options, message) => {
    expect(() => apiKey(options as never)).toThrow(message);
  });
});

describe("basic()", () => {
  it("sends the user name and the password in UTF-8", () => {
    const request = apply(basic({ username: "test", password: "123£" }));
    // The example of RFC 7617, section 2.1.
    expect(request.headers["authorization"]).toBe("Basic dGVzdDoxMjPCow==");
    expect(request.secrets).toEqual(["dGVzdDoxMjPCow==", "123£"]);
  });

  it("sends an empty password, and then the user name is the secret", () => {
    const request = apply(basic({ username: "sk_test_1", password: "" }));
    expect(request.headers["authorization"]).toBe(`Basic ${btoa("sk_test_1:")}`);
    expect(request.secrets).toContain("sk_test_1");
  });

  it("takes functions, with and without promises", async () => {
    const request = requestWith();
    await basic({ username: () => "u", password: () => Promise.resolve("p") }).apply(request, SUBJECT);
    expect(request.headers["authorization"]).toBe(`Basic ${btoa("u:p")}`);
    expect(apply(basic({ username: () => "u", password: () => "p" })).headers["authorization"]).toBe(
      `Basic ${btoa("u:p")}`,
    );
    const later = requestWith();
    await basic({ username: () => Promise.resolve("u"), password: "p" }).apply(later, SUBJECT);
    expect(later.headers["authorization"]).toBe(`Basic ${btoa("u:p")}`);
  });

  it("refuses a user name with a colon, which nobody could tell from the password", () => {
    expect(() => basic({ username: "a:b", password: "c" })).toThrow("must not contain a colon");
    expect(() => basic({ username: "a" } as never)).toThrow("`password` of basic() must be text");
  });
});

describe("headers()", () => {
  it("sends several headers", async () => {
    expect(apply(headers({ "X-Id": "1", "X-Secret": () => "2" })).headers).toEqual({ "x-id": "1", "x-secret": "2" });
    const request = requestWith();
    await headers({ "X-Id": "1", "X-Secret": () => Promise.resolve("2") }).apply(request, SUBJECT);
    expect(request.headers).toEqual({ "x-id": "1", "x-secret": "2" });
    expect(() => headers({ "a b": "x" })).toThrow("is not the name of a header");
  });
});

describe("combineAuth()", () => {
  it("applies all credentials, and renews those that can", async () => {
    let renewed = 0;
    const renewable: Auth = {
      kind: "renewable",
      async apply(request) {
        await Promise.resolve();
        request.headers["x-renewable"] = "1";
      },
      renew: () => (renewed += 1) > 0,
    };
    const auth = combineAuth(bearer("t"), renewable);
    const request = requestWith();
    await auth.apply(request, SUBJECT);
    expect(request.headers).toEqual({ authorization: "Bearer t", "x-renewable": "1" });
    expect(auth.kind).toBe("bearer and renewable");
    expect(auth.renew?.(SUBJECT)).toBe(true);
    expect(combineAuth(bearer("t")).renew?.(SUBJECT)).toBe(false);
  });
});
