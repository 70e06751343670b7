import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UriTemplateMatchValue } from "../../src/uri-template/match.ts";
import { parseUriTemplate } from "../../src/uri-template/uri-template.ts";
import { rfcCases, rfcValues } from "./rfc6570-cases.ts";

type Values = Record<string, UriTemplateMatchValue>;

function match(template: string, uri: string): Values | undefined {
  return parseUriTemplate(template).match(uri);
}

describe("match", () => {
  it.each<[string, string, Values | undefined]>([
    ["", "", {}],
    ["", "x", undefined],
    ["plain", "plain", {}],
    ["plain", "plai", undefined],
    ["plain", "plainer", undefined],
    ["test://item/{id}/data", "test://item/123/data", { id: "123" }],
    ["test://item/{id}/data", "test://item/1/2/data", undefined],
    ["test://item/{id}/data", "test://item//data", undefined],
    ["test://item/{id}/data", "test://item/123/dat", undefined],
    ["test://item/{id}/data", "other://item/123/data", undefined],
    ["{a}/{b}", "x/y", { a: "x", b: "y" }],
    ["{a}.json", "x.json.json", { a: "x.json" }],
    ["{a}x", "xxx", { a: "xx" }],
    ["{a}{b}", "xyz", { a: "xy", b: "z" }],
    ["{x,y}", "1,2", { x: "1", y: "2" }],
    ["{x,y}", "1", undefined],
    ["{+path}/here", "/foo/here/here", { path: "/foo/here" }],
    ["file:///{+path}", "file:///a/b%20c.txt", { path: "a/b c.txt" }],
    ["file:///{+path}", "file:///", undefined],
    ["{+path}{?q}", "/a/b?q=1", { path: "/a/b", q: "1" }],
    ["{+path}{#f}", "/a/b#c", { path: "/a/b", f: "c" }],
    ["{+path}?x={q}", "/a?x=1", { path: "/a", q: "1" }],
    ["{+url}", "http://h/p?q=1#f", { url: "http://h/p?q=1#f" }],
    ["{scheme}://{+rest}", "http://h://x", { scheme: "http", rest: "h://x" }],
    ["{#x,y}", "#1,2", { x: "1", y: "2" }],
    ["{#x,y}", "#1", { x: "1" }],
    ["{#x,y}", "", {}],
    ["h{#x,y}", "h,2", undefined],
    ["foo{#x}", "foo#", { x: "" }],
    ["{#x,y}", "#1,2,3", { x: "1,2", y: "3" }],
    ["{name}{.extension}", "a.tar.gz", { name: "a.tar", extension: "gz" }],
    ["{name}{.extension}", "readme", { name: "readme" }],
    ["{+path}{.extension}", "a.b/c.txt", { path: "a.b/c", extension: "txt" }],
    ["{+path}{/name}", "a/b/c", { path: "a/b", name: "c" }],
    ["{/dirs*,name}", "/a/b/c", { dirs: ["a", "b"], name: "c" }],
    ["{/dirs*}{/name}", "/c", { dirs: ["c"] }],
    ["{+path}{?q}", "/a?q=b?c", { path: "/a", q: "b?c" }],
    ["{+path}{#f}", "/a#b#c", { path: "/a", f: "b#c" }],
    ["X{.a,b}", "X.1.2", { a: "1", b: "2" }],
    ["X{.a}", "X.1.2", { a: "1.2" }],
    ["X{.a}{.b}", "X.1.2", { a: "1", b: "2" }],
    ["X{.a}", "X", {}],
    ["X{.a}", "X.", { a: "" }],
    ["{/a,b}", "/1/2", { a: "1", b: "2" }],
    ["{/a,b}", "/1", { a: "1" }],
    ["{/a,b}", "/1/2/3", undefined],
    ["{/a}{/b}", "/1/2", { a: "1", b: "2" }],
    ["{/a}/edit", "/edit", {}],
    ["{/a}/edit", "/1/edit", { a: "1" }],
    ["{/a*}", "/1/2/3", { a: ["1", "2", "3"] }],
    ["{/a*}", "", {}],
    ["{/a*}", "/", { a: [""] }],
    ["{/a*}/edit", "/1/2/edit", { a: ["1", "2"] }],
    ["{/a*}", "/k=1/l=2", { a: { k: "1", l: "2" } }],
    ["{/a*}", "/k=1/2", { a: ["k=1", "2"] }],
    ["{/a*}", "/k=1/k=2", { a: ["k=1", "k=2"] }],
    ["{a*}", "1,2", { a: ["1", "2"] }],
    ["{;a,b}", ";b=2;a=1", { a: "1", b: "2" }],
    ["{;a,b}", ";a;b=", { a: "", b: "" }],
    ["/x{;a}/y{;a}", "/x;a=1/y;a=1", { a: "1" }],
    ["{?a,b}", "?a=1&b=2", { a: "1", b: "2" }],
    ["{?a,b}", "?b=2&a=1", { a: "1", b: "2" }],
    ["{?a,b}", "?b=2", { b: "2" }],
    ["{?a,b}", "", {}],
    ["{?a,b}", "?", {}],
    ["{?a,b}", "?a", { a: "" }],
    ["{?a,b}", "?a=", { a: "" }],
    ["{?a,b}", "?c=3", undefined],
    ["{?a,b}", "?a=1&c=3", undefined],
    ["{?a,b}", "?a=1&a=2", undefined],
    ["{?a,b}", "?a=1&&b=2", undefined],
    ["{?a}", "?a=b=c", { a: "b=c" }],
    ["{?a}{&b}", "?b=2&a=1", { a: "1", b: "2" }],
    ["?fixed=yes{&a,b}", "?fixed=yes&b=2", { b: "2" }],
    ["?fixed=yes{&a,b}", "?a=1&fixed=yes", undefined],
    ["{?a}{#f}", "?a=1#x", { a: "1", f: "x" }],
    ["{?a*}", "?a=1&a=2", { a: ["1", "2"] }],
    ["{?a*}", "?a=1", { a: ["1"] }],
    ["{?a*}", "?k=1&l=2", { a: { k: "1", l: "2" } }],
    ["{?a*}", "?k=1&k=2", undefined],
    ["{?a*}", "?a=1&k=2", undefined],
    ["{?id,rest*}", "?k=1&id=7&l=2", { id: "7", rest: { k: "1", l: "2" } }],
    ["{?list*,rest*}", "?list=1&k=2", { list: ["1"], rest: { k: "2" } }],
    ["{?first%5Fname}", "?first_name=x", { "first%5Fname": "x" }],
    ["{?%FF}", "?a=1", undefined],
    ["{var:3}", "val", { var: "val" }],
    ["{var:3}", "valu", undefined],
    ["{var:1}", "%F0%9D%84%9E", { var: "𝄞" }],
    ["{/var:1,var}", "/v/value", { var: "value" }],
    ["{/var:1,var}", "/x/value", undefined],
    ["{id}/{id}", "1/1", { id: "1" }],
    ["{id}/{id}", "1/2", undefined],
  ])("%s on %j", (template, uri, values) => {
    expect(match(template, uri)).toEqual(values);
  });

  it("gives plain objects that no name can poison", () => {
    const values = match("{__proto__}{?rest*}", "x?constructor=1&__proto__=2");
    expect(Object.entries(values ?? {})).toEqual([
      ["__proto__", "x"],
      [
        "rest",
        Object.fromEntries([
          ["constructor", "1"],
          ["__proto__", "2"],
        ]),
      ],
    ]);
    expect(Object.getPrototypeOf(values)).toBe(Object.prototype);
  });
});

describe("characters", () => {
  it.each<[string, string, string, Values | undefined]>([
    ["percent-encoded", "{a}", "x%20y%2Fz", { a: "x y/z" }],
    ["in lower case", "{a}/caf%C3%A9", "%e2%82%ac/caf%c3%a9", { a: "€" }],
    ["not encoded although they should be", "{a}/café", "€ uro/café", { a: "€ uro" }],
    ["reserved, where they delimit nothing", "mail/{address}", "mail/a+b@example.com", { address: "a+b@example.com" }],
    ["padding of base64", "blob/{id}", "blob/YWI=", { id: "YWI=" }],
    ["a list for a variable that is not exploded", "{ids}", "1,2", { ids: "1,2" }],
    ["a slash in a query", "{?path}", "?path=/a/b?c", { path: "/a/b?c" }],
    ["a plus sign is no space", "{?q}", "?q=a+b", { q: "a+b" }],
    ["what a later expression starts with", "{a}{;b}", "x@y;b=1", { a: "x@y", b: "1" }],
    ["a malformed triplet", "{a}", "x%2", undefined],
    ["triplets that are no UTF-8", "{a}", "%FF", undefined],
    ["half of a surrogate pair", "{a}", "\uD800", undefined],
    ["a triplet is never cut apart", "{a}0", "x%20", undefined],
    ["a slash is never part of a simple variable", "{a}", "x/y", undefined],
    ["nor are a query and a fragment", "{a}", "x?y", undefined],
  ])("%s", (_, template, uri, values) => {
    expect(match(template, uri)).toEqual(values);
  });
});

describe("hostile input", () => {
  it("is too long", () => {
    expect(match("{a}", "x".repeat(8192))).toEqual({ a: "x".repeat(8192) });
    expect(match("{a}", "x".repeat(8193))).toBeUndefined();
    expect(match("{a}", "€".repeat(8192 / 9))).toEqual({ a: "€".repeat(8192 / 9) });
    expect(match("{a}", "€".repeat(8192 / 9 + 1))).toBeUndefined();
  });

  // With backtracking each of these would outlive the test run.
  it.each([
    ["exploded variables", "{/a*}{/b*}{/c*}{/d*}{/e*}!", "/a".repeat(4000)],
    ["exploded variables in a row", "{a*}{b*}{c*}{d*}{e*}{f*}{g*}!", ",".repeat(8000)],
    ["reserved variables", `${"{+a}".repeat(60)}!`, "x".repeat(8000)],
    ["nested repetition", "{?a*}{&b*}{&c*}#!", "?a=1&".repeat(1600)],
    ["literals that nearly match", "{a}xxxxxxxxxxxxxxxx!{b}", "x".repeat(8000)],
    ["optional parts", `${"{.a}{/b}".repeat(30)}!`, "./".repeat(4000)],
  ])("%s", (_, template, uri) => {
    expect(match(template, uri)).toBeUndefined();
  });
});

describe("the reverse of expansion", () => {
  // Out of scope: empty or missing values of `{a}` and `{+a}`, lists and objects that are not exploded, and readings
  // that are as good as another.
  const ambiguous = new Set(
    "O{empty}X O{undef}X ?{x,empty} ?{x,undef} ?{undef,y} O{+empty}X O{+undef}X up{+path}{var}/here X{.keys*} {+keys*} {#keys*}".split(
      " ",
    ),
  );
  const composite = /^(count|list|keys|dom)$/;

  it.each(rfcCases.filter(([, template]) => !ambiguous.has(template)))(
    "RFC 6570, section %s: %s",
    (_, template, uri) => {
      const parsed = parseUriTemplate(template);
      const expected = parsed.variables.flatMap((name) => {
        const value = rfcValues[name];
        const isPrefix = new RegExp(`\\b${name}:`).test(template) && !new RegExp(`\\b${name}[,}]`).test(template);
        const isFlat = composite.test(name) && !template.includes(`${name}*`);
        const isDefined = typeof value === "object" ? Object.keys(value ?? {}).length > 0 : value !== undefined;
        if (!isDefined) return [];
        return isPrefix || isFlat ? [[name, expect.any(String)] as const] : [[name, value] as const];
      });
      expect(parsed.match(uri)).toEqual(Object.fromEntries(expected));
    },
  );

  const text = fc.oneof(
    fc.string({ minLength: 1, maxLength: 6 }),
    fc.string({ unit: "binary", minLength: 1, maxLength: 4 }),
    fc.string({
      unit: fc.constantFrom("a", "/", "?", "#", "&", ";", "=", ",", ".", "%2F", "%", "+", " "),
      minLength: 1,
      maxLength: 6,
    }),
  );
  const noPercent = text.filter((value) => !value.includes("%"));
  const list = fc.array(text, { minLength: 1, maxLength: 4 });
  const key = text.filter((each) => !["list", "keys", "id", "q"].includes(each));
  const object = fc.dictionary(key, text, { minKeys: 1, maxKeys: 3 });

  /** Templates and the values for which the documentation promises that nothing gets lost. */
  const cases: [template: string, values: fc.Arbitrary<Values>][] = [
    ["x://{a}/{b}", fc.record({ a: text, b: text })],
    ["{a,b}{/c,d}", fc.record({ a: text, b: text, c: text, d: text })],
    ["{a}{/c}", fc.record({ a: text, c: fc.oneof(text, fc.constant("")) }, { requiredKeys: ["a"] })],
    ["x/{+path}", fc.record({ path: noPercent })],
    [
      "x/{+path}{?q}{#f}",
      fc.record({ path: noPercent.filter((v) => !/[?#]/.test(v)), q: text, f: noPercent }, { requiredKeys: ["path"] }),
    ],
    [
      "{+a,b}",
      fc.record({ a: noPercent.filter((v) => !v.includes(",")), b: noPercent.filter((v) => !v.includes(",")) }),
    ],
    ["{#f}", fc.record({ f: fc.oneof(noPercent, fc.constant("")) }, { requiredKeys: [] })],
    [
      "{id}{.format}",
      fc.record({ id: text.filter((v) => !v.includes(".")), format: text.filter((v) => !v.includes(".")) }),
    ],
    ["x{/list*}", fc.record({ list }, { requiredKeys: [] })],
    ["x{/keys*}/y", fc.record({ keys: object }, { requiredKeys: [] })],
    ["{list*}", fc.record({ list })],
    ["{keys*}", fc.record({ keys: object })],
    ["x{;a,b}{?c,d}", fc.record({ a: text, b: text, c: text, d: text }, { requiredKeys: [] })],
    ["x{?id,list*}", fc.record({ id: fc.oneof(text, fc.constant("")), list }, { requiredKeys: [] })],
    ["x{?id,keys*}", fc.record({ id: text, keys: object }, { requiredKeys: [] })],
    ["x{;list*}{&q}", fc.record({ list, q: text }, { requiredKeys: [] })],
    ["{a:4}/{a}", fc.record({ a: text })],
  ];

  it.each(cases)("%s", (template, values) => {
    const parsed = parseUriTemplate(template);
    fc.assert(
      fc.property(values, (given) => {
        expect(parsed.match(parsed.expand(given))).toEqual(given);
      }),
      { numRuns: 300 },
    );
  });

  it("whatever matches expands to the same URI again, but for the spelling", () => {
    const expression = fc
      .tuple(
        fc.constantFrom("", "+", "#", ".", "/"),
        fc.array(fc.constantFrom("", "*"), { minLength: 1, maxLength: 3 }),
      )
      .map(([operator, modifiers]) => ({ operator, modifiers }));
    const template = fc
      .array(fc.oneof(expression, fc.constantFrom("/", "x", "?", "%20", "-")), { maxLength: 5 })
      .map((parts) => parts.map((part, at) => (typeof part === "string" ? part : expressionText(part, at))).join(""));
    const piece = fc.constantFrom("/", "x", "a=1", "?", "&", ";", ",", ".", "#", "%20", "-", "y");
    const uri = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(template, uri, (written, given) => {
        const parsed = parseUriTemplate(written);
        const found = parsed.match(given);
        const again = found === undefined ? given : parsed.expand(found);
        expect(decodeURIComponent(again)).toBe(decodeURIComponent(given));
      }),
      { numRuns: 3000 },
    );
  });

  function expressionText({ operator, modifiers }: { operator: string; modifiers: string[] }, at: number): string {
    return `{${operator}${modifiers.map((modifier, index) => `v${at}_${index}${modifier}`).join(",")}}`;
  }
});
