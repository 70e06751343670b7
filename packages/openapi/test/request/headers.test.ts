import { describe, expect, it } from "vitest";
import { isProtectedHeader } from "../../src/request/headers.ts";
import { resolve, writeParameter } from "./resolve.ts";

describe("headers of requests", () => {
  it("are sent under lower-case names, with fixed ones that replace the defaults", () => {
    const { headers } = resolve({ headers: { Accept: "text/csv", "X-Version": "2" } }, {});
    expect(headers).toEqual({ accept: "text/csv", "user-agent": "toolwire", "x-version": "2" });
  });

  it("are made anew for each request, so that credentials of one call do not stay for the next", () => {
    const first = resolve({}, {});
    first.headers["authorization"] = "x";
    expect(resolve({}, {}).headers["authorization"]).toBeUndefined();
  });

  it.each(["Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "TE"])(
    "cannot fix the header %s of the connection",
    (name) => {
      expect(() => resolve({ headers: { [name]: "x" } }, {})).toThrow(
        `The header "${name}" belongs to the connection and cannot be set.`,
      );
    },
  );

  it("say that the type of a body is set with the body", () => {
    expect(() => resolve({ headers: { "Content-Type": "text/csv" } }, {})).toThrow("set `body: { type }`");
  });

  it.each(["a b", "", "a:b", "é", "__proto__", "a\r\nb"])("refuse the name %j", (name) => {
    expect(() => writeParameter("header", { name }, "x")).toThrow("is not the name of a header");
    expect(() => resolve({ headers: { [name === "__proto__" ? "a b" : name]: "x" } }, {})).toThrow(
      "is not the name of a header",
    );
  });

  it.each(["a\nb", "a\rb", "a\0b", "€"])("refuse the fixed value %j", (value) => {
    expect(() => resolve({ headers: { "x-a": value } }, {})).toThrow("without line breaks");
  });

  it("join fixed cookies and cookies of arguments", () => {
    const cookie = { argument: ["theme"], in: "cookie", name: "theme" } as const;
    expect(resolve({ headers: { cookie: "a=1" }, parameters: [cookie] }, { theme: "dark" }).headers["cookie"]).toBe(
      "a=1; theme=dark",
    );
    expect(resolve({ headers: { cookie: "a=1" }, parameters: [cookie] }, {}).headers["cookie"]).toBe("a=1");
  });

  it("know which names arguments may not set", () => {
    expect(
      ["X-Forwarded-For", "sec-fetch-site", "Proxy-Authorization", "cookie", "HOST"].map(isProtectedHeader),
    ).toEqual(Array.from({ length: 5 }, () => true));
    expect(["X-Api-Version", "If-Match", "Idempotency-Key", "Prefer"].some(isProtectedHeader)).toBe(false);
  });
});
