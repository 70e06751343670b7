import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { parseUriTemplate } from "../../src/uri-template/uri-template.ts";
import { rfcCases, rfcValues } from "./rfc6570-cases.ts";

function expand(template: string, values: Parameters<ReturnType<typeof parseUriTemplate>["expand"]>[0]): string {
  return parseUriTemplate(template).expand(values);
}

describe("the examples of RFC 6570", () => {
  it.each(rfcCases)("section %s: %s", (_, template, uri) => {
    expect(expand(template, rfcValues)).toBe(uri);
  });
});

describe("values", () => {
  it.each([
    ["numbers", "{?n,lat}", { n: 6, lat: -122.427 }, "?n=6&lat=-122.427"],
    ["booleans", "{?a,b}", { a: true, b: false }, "?a=true&b=false"],
    ["undefined members of a list", "{list*}", { list: ["a", null, undefined, "b"] }, "a,b"],
    ["undefined members of an object", "{?keys*}", { keys: { a: 1, b: null, c: undefined } }, "?a=1"],
    ["a list without defined members", "x{?list}", { list: [null] }, "x"],
    ["an object without defined members", "x{?keys*}", { keys: { a: undefined } }, "x"],
    ["an empty list", "x{/list*}", { list: [] }, "x"],
    ["empty members", "{;list*}", { list: ["", "a"] }, ";list;list=a"],
    ["empty members of a query", "{?list*}", { list: ["", "a"] }, "?list=&list=a"],
    ["an empty value in an exploded object", "{;keys*}", { keys: { a: "", b: "1" } }, ";a;b=1"],
    ["an empty value without names", "{/keys*}", { keys: { a: "" } }, "/a="],
    ["names of variables with dots and triplets", "{?a.b,c%20d}", { "a.b": 1, "c%20d": 2 }, "?a.b=1&c%20d=2"],
    ["names that are digits", "{42}", { 42: "x" }, "x"],
    ["keys with special characters", "{?keys*}", { keys: { "a b": "c&d" } }, "?a%20b=c%26d"],
    ["what is inherited is not a value", "{toString}{__proto__}{constructor}", {}, ""],
  ])("%s", (_, template, values, uri) => {
    expect(expand(template, values)).toBe(uri);
  });
});

describe("encoding", () => {
  it.each([
    ["all reserved characters", "{v}", ":/?#[]@!$&'()*+,;=", "%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"],
    ["reserved characters kept", "{+v}", ":/?#[]@!$&'()*+,;=", ":/?#[]@!$&'()*+,;="],
    ["unreserved characters", "{v}", "aZ09-._~", "aZ09-._~"],
    ["others", "{+v}", 'a b"<>\\^`{|}', "a%20b%22%3C%3E%5C%5E%60%7B%7C%7D"],
    ["beyond ASCII", "{v}", "ü€𝄞", "%C3%BC%E2%82%AC%F0%9D%84%9E"],
    ["beyond ASCII, reserved", "{+v}", "ü€𝄞", "%C3%BC%E2%82%AC%F0%9D%84%9E"],
    ["a triplet", "{v}", "a%2Fb", "a%252Fb"],
    ["a triplet kept", "{+v}", "a%2fb", "a%2fb"],
    ["a percent sign that starts no triplet", "{+v}", "%foo %2", "%25foo%20%252"],
    ["a prefix counts characters", "{v:1}", "€uro", "%E2%82%AC"],
    ["a prefix never cuts a surrogate pair", "{v:1}", "𝄞stave", "%F0%9D%84%9E"],
    ["a prefix counts a triplet that stays as one", "{+v:2}", "%2Fab", "%2Fa"],
    ["a prefix never cuts a character in triplets", "{#v:2}", "%C3%A9%F0%9D%84%9Ex", "#%C3%A9%F0%9D%84%9E"],
    ["a prefix counts what gets encoded as it is", "{v:2}", "%2Fab", "%252"],
    ["a prefix across lines", "{+v:3}", "a\nb", "a%0Ab"],
    ["a prefix of a number", "{v:2}", 1234, "12"],
  ])("%s", (_, template, v, uri) => {
    expect(expand(template, { v })).toBe(uri);
  });

  it("literals are encoded", () => {
    expect(expand("café/x%20y/it's/{v}", { v: 1 })).toBe("caf%C3%A9/x%20y/it's/1");
  });
});

describe("values that a variable cannot take", () => {
  it.each([
    ["a list with a length", "{v:3}", ["abc"], /"v" has the length 3.*must be a string/],
    ["an object with a length", "{+v:3}", { a: "b" }, /"v" has the length 3/],
    ["half of a surrogate pair", "{v}", "\uD800", /"v" holds half of a surrogate pair/],
    ["half of a surrogate pair, reserved", "{+v}", "a\uDC00", /"v" holds half/],
  ])("%s", (_, template, v, message) => {
    expect(() => expand(template, { v })).toThrow(UsageError);
    expect(() => expand(template, { v })).toThrow(message);
  });

  it("values that the types forbid are refused", () => {
    const nested: unknown = { v: [["a"]] };
    expect(() => expand("{v*}", nested as { v: string[] })).toThrow(/"v" holds a nested list or object/);
    const symbol: unknown = { v: Symbol("x") };
    expect(() => expand("{v}", symbol as { v: string })).toThrow(/"v" holds a symbol/);
  });
});
