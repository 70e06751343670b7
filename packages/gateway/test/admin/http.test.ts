/** The parts of the admin API below its routes, each on its own: limits are met exactly, and not one beyond. */
import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { AdminError } from "../../src/admin/http/admin-error.ts";
import { createGuard } from "../../src/admin/http/guard.ts";
import { changedMeanwhile, readRevision } from "../../src/admin/http/precondition.ts";
import { readCount, readFilter, readRange, readStep } from "../../src/admin/http/query.ts";
import {
  allowMembers,
  isObject,
  readChoice,
  readOptionalText,
  readText,
  readTexts,
} from "../../src/admin/http/request.ts";
import { createRouter, type Route } from "../../src/admin/http/router.ts";
import { mergePatch } from "../../src/admin/api/servers.ts";

const DAY = 86_400_000;
const NOW = 1_000_000 * 1000;

function q(text: string): URLSearchParams {
  return new URLSearchParams(text);
}

/** Status and code of the refusal, or nothing. */
function refusal(run: () => unknown): string {
  try {
    run();
    return "";
  } catch (error) {
    if (!(error instanceof AdminError)) throw error;
    return `${error.status} ${error.code}`;
  }
}

describe("time spans of a query", () => {
  test.each([
    ["", NOW - DAY, NOW],
    ["last=1s", NOW - 1000, NOW],
    ["last=15m", NOW - 900_000, NOW],
    ["last=6h", NOW - 21_600_000, NOW],
    ["last=400d", NOW - 400 * DAY, NOW],
    ["from=1&to=2", 1, 2],
    ["from=5", 5, NOW],
    ["from=2026-07-28T12:00:00Z&to=2026-07-28T12:00:01Z", 1_785_240_000_000, 1_785_240_001_000],
    ["from=1&to=2&last=1h", 1, 2],
    [`from=0&to=${400 * DAY}`, 0, 400 * DAY],
  ])("%s is from %i to %i", (query, from, to) => {
    expect(readRange(q(query), NOW)).toEqual({ from, to });
  });

  test.each([
    "last=",
    "last=0s",
    "last=401d",
    "last=1w",
    "last=1h1m",
    "to=5",
    "from=2&to=2",
    "from=3&to=2",
    "from=x",
    "from=-1",
    `from=0&to=${400 * DAY + 1}`,
    "last=1234567s",
  ])("%s is refused", (query) => {
    expect(refusal(() => readRange(q(query), NOW))).toBe("400 invalid_request");
  });

  test.each([
    [900_000, 10_000],
    [3_600_000, 60_000],
    [6 * 3_600_000, 300_000],
    [DAY, 900_000],
    [7 * DAY, 7_200_000],
    [30 * DAY, 43_200_000],
    [100_000, 1000],
    [100_001, 5000],
    [400 * DAY, 604_800_000],
  ])("A span of %i ms has intervals of %i ms", (span, step) => {
    expect(readStep(q(""), { from: 0, to: span })).toBe(step);
  });

  test("A step that is asked for is taken up to the most intervals that the log gives", () => {
    expect(readStep(q("step=5m"), { from: 0, to: DAY })).toBe(300_000);
    expect(readStep(q("step=1s"), { from: 0, to: 999_000 })).toBe(1000);
    expect(refusal(() => readStep(q("step=1s"), { from: 0, to: 999_001 }))).toBe("400 invalid_request");
    expect(refusal(() => readStep(q("step=1"), { from: 0, to: 5000 }))).toBe("400 invalid_request");
  });

  test("Counts are whole numbers within their limits", () => {
    expect(readCount(q(""), "limit", 50, 500)).toBe(50);
    expect([readCount(q("limit=1"), "limit", 50, 500), readCount(q("limit=500"), "limit", 50, 500)]).toEqual([1, 500]);
    for (const limit of ["0", "501", "-1", "1.5", "", "x", "9999999999"]) {
      expect([limit, refusal(() => readCount(q(`limit=${limit}`), "limit", 50, 500))]).toEqual([
        limit,
        "400 invalid_request",
      ]);
    }
  });

  test("Filters are texts of a bounded length, and empty ones match everything", () => {
    const long = "x".repeat(300);
    expect(readFilter(q(`server=a&tool=&outcome=ok&principal=${long}&client=c`))).toEqual({
      server: "a",
      tool: undefined,
      outcome: "ok",
      principal: "x".repeat(256),
      client: "c",
    });
    expect(refusal(() => readFilter(q("outcome=fine")))).toBe("400 invalid_request");
  });
});

describe("revisions", () => {
  const read = (header: string | undefined, current: number | undefined): number =>
    readRevision(header === undefined ? {} : { "if-match": header }, current);

  test("A change names the revision that it was made of", () => {
    expect([
      read('"3"', 3),
      read('"3-abc_D"', 3),
      read(' "3" ', 3),
      read(undefined, undefined),
      read('"0"', undefined),
    ]).toEqual([3, 3, 3, 0, 0]);
  });

  test("Without it, with another one, and in another form it is refused", () => {
    expect(refusal(() => read(undefined, 3))).toBe("428 revision_required");
    expect(refusal(() => read('"2"', 3))).toBe("412 revision_changed");
    expect(refusal(() => read('"3"', undefined))).toBe("412 revision_changed");
    for (const header of ["3", "*", 'W/"3"', '"x"', '"3" "4"', '"3-"', '"1234567890123456"']) {
      expect([header, refusal(() => read(header, 3))]).toEqual([header, "400 invalid_request"]);
    }
  });

  test("The refusal says what there is now", () => {
    expect(changedMeanwhile(5).message).toContain("It has revision 5 now");
    expect(changedMeanwhile(undefined).message).toContain("It does not exist any more");
  });
});

describe("routes", () => {
  const route = (method: Route["method"], path: string): Route => ({ method, path, run: () => "empty" });
  const routes = [
    route("GET", "calls/:id"),
    route("GET", "calls/export"),
    route("PUT", "servers/:slug/tools/:name"),
    route("DELETE", "servers/:slug/tools/:name"),
  ];
  const find = createRouter(routes);

  test("Fixed parts come before named ones, and named ones are decoded", () => {
    expect(find("GET", "calls/export").route.path).toBe("calls/export");
    expect(find("GET", "calls/a%2Fb")).toMatchObject({ route: { path: "calls/:id" }, params: { id: "a/b" } });
    expect(find("HEAD", "calls/1").route.method).toBe("GET");
    expect(find("DELETE", "servers/a/tools/b")).toMatchObject({
      route: { method: "DELETE" },
      params: { slug: "a", name: "b" },
    });
  });

  test("Unknown paths, empty parts, further parts and wrong methods are told apart", () => {
    for (const path of ["", "calls", "calls/", "calls/1/2", "servers//tools/b", "Calls/1"]) {
      expect([path, refusal(() => find("GET", path))]).toEqual([path, "404 not_found"]);
    }
    expect(refusal(() => find("GET", "calls/%E0%A4%A"))).toBe("400 invalid_request");
    expect(refusal(() => find("POST", "calls/1"))).toBe("405 method_not_allowed");
    let headers: unknown;
    try {
      find("GET", "servers/a/tools/b");
    } catch (error) {
      ({ headers } = error as AdminError);
    }
    expect(headers).toEqual({ allow: "PUT, DELETE" });
  });
});

describe("the guard", () => {
  const guard = createGuard(["Admin.Example"]);
  const check = (headers: IncomingMessage["headers"], request: { method?: string; url?: string } = {}): string =>
    refusal(() => guard.check({ method: "GET", url: "/", ...request, headers } as IncomingMessage));

  test.each([
    "127.0.0.1",
    "127.0.0.1:8081",
    "[::1]:8081",
    "localhost",
    "LOCALHOST:1",
    "a.localhost",
    "admin.example",
    "ADMIN.EXAMPLE:443",
  ])("The host %s is one of ours", (host) => {
    expect(check({ host })).toBe("");
  });

  test.each([
    undefined,
    "",
    "evil.example",
    "localhost.evil.example",
    "xadmin.example",
    "127.0.0.1.evil.example",
    "admin.example:123456",
    "[::1",
    "a b",
    "admin.example/x",
  ])("The host %s is not", (host) => {
    expect(check({ host })).toBe("421 host_not_allowed");
  });

  test("A page of another origin is refused, and one of ours behind a proxy that ends TLS is not", () => {
    const host = "admin.example";
    expect(check({ host, origin: "https://admin.example" })).toBe("");
    expect(check({ host, origin: "http://ADMIN.example" })).toBe("");
    for (const origin of [
      "null",
      "https://evil.example",
      "https://admin.example:444",
      "ftp://admin.example",
      "https://admin.example/x",
    ]) {
      expect([origin, check({ host, origin })]).toEqual([origin, "403 foreign_origin"]);
    }
  });

  test("A browser that says cross-site may follow a link to the page, and nothing else", () => {
    const host = "localhost";
    const navigate = { host, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect([check({ host, "sec-fetch-site": "same-origin" }), check({ host, "sec-fetch-site": "none" })]).toEqual([
      "",
      "",
    ]);
    expect([check(navigate), check(navigate, { url: "/apiary" }), check(navigate, { method: "HEAD" })]).toEqual([
      "",
      "",
      "",
    ]);
    expect(check({ host, "sec-fetch-site": "cross-site" })).toBe("403 foreign_origin");
    expect(check({ ...navigate, "sec-fetch-mode": "cors" })).toBe("403 foreign_origin");
    expect(check(navigate, { method: "POST" })).toBe("403 foreign_origin");
    for (const url of ["/api", "/api/v1/keys", "//api/v1/keys", "/API/v1/keys"]) {
      expect([url, check(navigate, { url })]).toEqual([url, "403 foreign_origin"]);
    }
  });

  test("A change with a cookie says which page sent it; reading need not", () => {
    const checkCookie = (method: string, origin?: string): string =>
      refusal(() =>
        guard.checkCookieRequest({ method, headers: origin === undefined ? {} : { origin } } as IncomingMessage),
      );
    expect([checkCookie("GET"), checkCookie("HEAD"), checkCookie("POST", "http://localhost")]).toEqual(["", "", ""]);
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      expect([method, checkCookie(method)]).toEqual([method, "403 foreign_origin"]);
    }
  });
});

describe("members of a body", () => {
  test("Texts have at least one character and at most as many as the route takes", () => {
    expect(readText({ a: "xy" }, "a", 2)).toBe("xy");
    expect(readOptionalText({}, "a", 2)).toBeUndefined();
    for (const a of [undefined, "", "xyz", 5, null, ["x"]]) {
      expect([a, refusal(() => readText({ a }, "a", 2))]).toEqual([a, "400 invalid_request"]);
    }
    // A member of every object is none of the body.
    expect(readOptionalText({}, "toString", 99)).toBeUndefined();
  });

  test("Choices, lists and names are those that the route knows", () => {
    expect([readChoice({ a: "x" }, "a", ["x", "y"]), readChoice({}, "a", ["x"])]).toEqual(["x", undefined]);
    expect(refusal(() => readChoice({ a: "z" }, "a", ["x", "y"]))).toBe("400 invalid_request");
    expect([readTexts({ a: ["x", "y"] }, "a", 2), readTexts({}, "a", 2), readTexts({ a: [] }, "a", 2)]).toEqual([
      ["x", "y"],
      undefined,
      [],
    ]);
    for (const a of ["x", ["x", ""], [1], ["x", "y", "z"], { 0: "x" }]) {
      expect([a, refusal(() => readTexts({ a }, "a", 2))]).toEqual([a, "400 invalid_request"]);
    }
    expect(refusal(() => allowMembers({ a: 1, b: 2 }, ["a", "b"]))).toBe("");
    expect(refusal(() => allowMembers({ a: 1, c: 2 }, ["a", "b"]))).toBe("400 invalid_request");
    expect([isObject({}), isObject([]), isObject(null), isObject("x")]).toEqual([true, false, false, false]);
  });

  test("A patch replaces members, merges objects, and removes what is null, whatever it is called", () => {
    expect(
      mergePatch({ a: 1, b: { c: 1, d: 2 }, e: [1] }, { a: null, b: { c: 3 }, e: [2], f: { g: null, h: 1 } }),
    ).toEqual({
      b: { c: 3, d: 2 },
      e: [2],
      f: { h: 1 },
    });
    expect([mergePatch("x", { a: 1 }), mergePatch({ a: 1 }, "x"), mergePatch([1], { a: 1 })]).toEqual([
      { a: 1 },
      "x",
      { a: 1 },
    ]);
    const patched = mergePatch({}, JSON.parse('{"__proto__":{"polluted":1}}')) as object;
    expect([Object.keys(patched), ({} as { polluted?: unknown }).polluted]).toEqual([["__proto__"], undefined]);
  });
});
