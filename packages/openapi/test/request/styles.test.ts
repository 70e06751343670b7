import { describe, expect, it } from "vitest";
import type { ParameterSpec } from "../../src/request/request-spec.ts";
import { resolve, writeParameter } from "./resolve.ts";

const LIST = ["blue", "black", "brown"];
const OBJECT = { R: 100, G: 200, B: 150 };

type Cell = [
  place: ParameterSpec["in"],
  style: ParameterSpec["style"],
  explode: boolean | undefined,
  value: unknown,
  written: string,
];

/** Every cell of the table of OpenAPI 3.1.2, section "Style Examples", and those that the standard leaves out. */
const TABLE: Cell[] = [
  ["path", "simple", false, "blue", "blue"],
  ["path", "simple", true, "blue", "blue"],
  ["path", "simple", false, LIST, "blue,black,brown"],
  ["path", "simple", true, LIST, "blue,black,brown"],
  ["path", "simple", false, OBJECT, "R,100,G,200,B,150"],
  ["path", "simple", true, OBJECT, "R=100,G=200,B=150"],
  ["path", "label", false, "blue", ".blue"],
  ["path", "label", true, "blue", ".blue"],
  ["path", "label", false, LIST, ".blue,black,brown"],
  ["path", "label", true, LIST, ".blue.black.brown"],
  ["path", "label", false, OBJECT, ".R,100,G,200,B,150"],
  ["path", "label", true, OBJECT, ".R=100.G=200.B=150"],
  ["path", "matrix", false, "blue", ";color=blue"],
  ["path", "matrix", true, "blue", ";color=blue"],
  ["path", "matrix", false, "", ";color"],
  ["path", "matrix", true, "", ";color"],
  ["path", "matrix", false, LIST, ";color=blue,black,brown"],
  ["path", "matrix", true, LIST, ";color=blue;color=black;color=brown"],
  ["path", "matrix", false, OBJECT, ";color=R,100,G,200,B,150"],
  ["path", "matrix", true, OBJECT, ";R=100;G=200;B=150"],
  ["query", "form", false, "blue", "color=blue"],
  ["query", "form", true, "blue", "color=blue"],
  ["query", "form", false, "", "color="],
  ["query", "form", true, "", "color="],
  ["query", "form", false, LIST, "color=blue,black,brown"],
  ["query", "form", true, LIST, "color=blue&color=black&color=brown"],
  ["query", "form", false, OBJECT, "color=R,100,G,200,B,150"],
  ["query", "form", true, OBJECT, "R=100&G=200&B=150"],
  ["query", "spaceDelimited", false, LIST, "color=blue%20black%20brown"],
  ["query", "spaceDelimited", false, OBJECT, "color=R%20100%20G%20200%20B%20150"],
  ["query", "spaceDelimited", true, LIST, "color=blue&color=black&color=brown"],
  ["query", "spaceDelimited", true, OBJECT, "R=100&G=200&B=150"],
  ["query", "pipeDelimited", false, LIST, "color=blue%7Cblack%7Cbrown"],
  ["query", "pipeDelimited", false, OBJECT, "color=R%7C100%7CG%7C200%7CB%7C150"],
  ["query", "pipeDelimited", true, LIST, "color=blue&color=black&color=brown"],
  ["query", "tabDelimited", false, LIST, "color=blue%09black%09brown"],
  ["query", "deepObject", false, OBJECT, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
  ["query", "deepObject", true, OBJECT, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
  ["query", "deepObject", true, LIST, "color%5B%5D=blue&color%5B%5D=black&color%5B%5D=brown"],
  ["query", "deepObject", true, "blue", "color=blue"],
  ["header", "simple", false, "blue", "blue"],
  ["header", "simple", false, "", ""],
  ["header", "simple", false, LIST, "blue,black,brown"],
  ["header", "simple", true, LIST, "blue,black,brown"],
  ["header", "simple", false, OBJECT, "R,100,G,200,B,150"],
  ["header", "simple", true, OBJECT, "R=100,G=200,B=150"],
  ["cookie", "form", false, "blue", "color=blue"],
  ["cookie", "form", true, "blue", "color=blue"],
  ["cookie", "form", false, "", "color="],
  ["cookie", "form", false, LIST, "color=blue,black,brown"],
  ["cookie", "form", true, LIST, "color=blue; color=black; color=brown"],
  ["cookie", "form", false, OBJECT, "color=R,100,G,200,B,150"],
];

describe("each cell of the table of styles", () => {
  it.each(TABLE)(
    "writes a value in the %s with the style %s and explode %s: %j becomes %s",
    (place, style, explode, value, written) => {
      expect(writeParameter(place, { style, explode }, value)).toBe(written);
    },
  );
});

describe("defaults of styles", () => {
  it.each([
    ["path", "blue,black,brown"],
    ["query", "color=blue&color=black&color=brown"],
    ["header", "blue,black,brown"],
    ["cookie", "color=blue; color=black; color=brown"],
  ] as const)("writes a list in the %s as %s if nothing is said", (place, written) => {
    expect(writeParameter(place, {}, LIST)).toBe(written);
  });

  it.each(["label", "matrix", "spaceDelimited", "pipeDelimited"] as const)(
    "does not explode the style %s unless told",
    (style) => {
      const place = style === "label" || style === "matrix" ? "path" : "query";
      expect(writeParameter(place, { style }, LIST)).toBe(writeParameter(place, { style, explode: false }, LIST));
    },
  );

  it("refuses a style that its place does not have", () => {
    expect(() => writeParameter("query", { style: "matrix" }, "x")).toThrow(
      'The parameter "color" cannot have the style "matrix": in "query", use form, spaceDelimited, pipeDelimited, tabDelimited, deepObject.',
    );
    expect(() => writeParameter("path", { style: "form" }, "x")).toThrow("simple, label, matrix");
    expect(() => writeParameter("header", { style: "form" }, "x")).toThrow("use simple");
    expect(() => writeParameter("cookie", { style: "deepObject" }, "x")).toThrow("use form");
  });
});

describe("values", () => {
  it.each([undefined, null, [], {}, [null], { a: null }])("omits a parameter whose value is %j", (value) => {
    for (const place of ["query", "header", "cookie"] as const) {
      const parameter: ParameterSpec = { argument: ["color"], in: place, name: "color", explode: false };
      const request = resolve({ path: "/x", parameters: [parameter] }, { color: value });
      expect(request.path).toBe("/x");
      expect(request.headers).toEqual({ accept: "application/json, */*;q=0.8", "user-agent": "toolwire" });
    }
  });

  it.each([
    [true, "true"],
    [false, "false"],
    [0, "0"],
    [-1.5, "-1.5"],
    [1e21, "1e%2B21"],
    ["a b", "a%20b"],
    ["a+b", "a%2Bb"],
    ["100%", "100%25"],
    ["~a-b_c.d", "~a-b_c.d"],
    ["!*'()", "%21%2A%27%28%29"],
    ["café €😀", "caf%C3%A9%20%E2%82%AC%F0%9F%98%80"],
    [new Date(0), "1970-01-01T00%3A00%3A00.000Z"],
    [[1, [2, 3]], "1&color=%5B2%2C3%5D"],
    [[{ a: 1 }], "%7B%22a%22%3A1%7D"],
  ])("writes %j in a query as %s", (value, written) => {
    expect(writeParameter("query", {}, value)).toBe(`color=${written}`);
  });

  it("keeps delimiters between values apart from those inside of values", () => {
    expect(writeParameter("query", { explode: false }, ["a,b", "c"])).toBe("color=a%2Cb,c");
    expect(writeParameter("query", { style: "pipeDelimited" }, ["a|b", "c"])).toBe("color=a%7Cb%7Cc");
    expect(writeParameter("path", {}, ["a,b", "c"])).toBe("a%2Cb,c");
    expect(writeParameter("path", { style: "matrix", explode: true }, ["a;b"])).toBe(";color=a%3Bb");
  });

  it("encodes the names of parameters, and of the members of objects", () => {
    expect(writeParameter("query", { name: "page[size]" }, 5)).toBe("page%5Bsize%5D=5");
    expect(writeParameter("query", { name: "StartTime<" }, "x")).toBe("StartTime%3C=x");
    expect(writeParameter("query", {}, { "a&b": "c=d" })).toBe("a%26b=c%3Dd");
    expect(writeParameter("cookie", { name: "a b", explode: false }, "c;d")).toBe("a%20b=c%3Bd");
  });

  it("refuses a number that JSON does not have, and half of a surrogate pair", () => {
    expect(() => writeParameter("query", {}, Number.NaN)).toThrow('Invalid argument "color": NaN cannot be sent.');
    expect(() => writeParameter("query", {}, "\uD800")).toThrow(
      'Invalid argument "color": it holds half of a surrogate pair, which is no character.',
    );
  });

  it("refuses an exploded object as a cookie, because its members would become cookies", () => {
    expect(() => writeParameter("cookie", {}, OBJECT)).toThrow(
      'Invalid argument "color": an object cannot be sent as a cookie.',
    );
  });
});

describe("deepObject", () => {
  it("writes nested objects with one pair of brackets for each level", () => {
    expect(writeParameter("query", { style: "deepObject" }, { a: { b: { c: 1 } }, d: 2 })).toBe(
      "color%5Ba%5D%5Bb%5D%5Bc%5D=1&color%5Bd%5D=2",
    );
  });

  it.each([
    ["brackets", "color%5Ba%5D%5B%5D=1&color%5Ba%5D%5B%5D=2"],
    ["indices", "color%5Ba%5D%5B0%5D=1&color%5Ba%5D%5B1%5D=2"],
    ["repeat", "color%5Ba%5D=1&color%5Ba%5D=2"],
  ] as const)("writes lists with %s as %s", (deepObjectArrays, written) => {
    expect(writeParameter("query", { style: "deepObject", deepObjectArrays }, { a: [1, 2] })).toBe(written);
  });

  it("numbers the items of a list of objects, whose ends could not be seen otherwise", () => {
    expect(writeParameter("query", { style: "deepObject" }, [{ price: 1 }, { price: 2 }])).toBe(
      "color%5B0%5D%5Bprice%5D=1&color%5B1%5D%5Bprice%5D=2",
    );
  });

  it("refuses values that are nested too deeply instead of overflowing the stack", () => {
    let value: object = {};
    for (let depth = 0; depth < 10_000; depth++) value = { a: value };
    expect(() => writeParameter("query", { style: "deepObject" }, value)).toThrow("nested deeper than 64 levels");
  });
});

describe("allowReserved", () => {
  it("keeps reserved characters in a query, but not those that would begin something else", () => {
    expect(writeParameter("query", { allowReserved: true }, "a/b?c:d@e!$'()*,;")).toBe("color=a/b?c:d@e!$'()*,;");
    expect(writeParameter("query", { allowReserved: true }, "#[]&=+")).toBe("color=%23%5B%5D%26%3D%2B");
  });

  it("keeps percent-encoded triples in a query, and encodes a percent sign that begins none", () => {
    expect(writeParameter("query", { allowReserved: true }, "a%20b%zz%")).toBe("color=a%20b%25zz%25");
  });

  it("keeps what a segment may contain in a path, but no slash, question mark or fragment", () => {
    expect(writeParameter("path", { allowReserved: true }, "a:b@c!$&'()*+,;=")).toBe("a:b@c!$&'()*+,;=");
    expect(writeParameter("path", { allowReserved: true, pathSeparators: "encode" }, "a/b?c#d")).toBe("a%2Fb%3Fc%23d");
  });
});

describe("content parameters", () => {
  const JSON_TYPE = { contentType: "application/json" };

  it("writes JSON as compact text, percent-encoded in a URL", () => {
    expect(writeParameter("query", JSON_TYPE, { a: [1, "x"] })).toBe("color=%7B%22a%22%3A%5B1%2C%22x%22%5D%7D");
    expect(writeParameter("query", JSON_TYPE, "x")).toBe("color=%22x%22");
    expect(writeParameter("path", JSON_TYPE, { a: 1 })).toBe("%7B%22a%22%3A1%7D");
    expect(writeParameter("cookie", JSON_TYPE, [1])).toBe("color=%5B1%5D");
  });

  it("writes JSON in a header as it is, with characters beyond ASCII escaped", () => {
    expect(writeParameter("header", JSON_TYPE, { a: "é€", b: "\n" })).toBe('{"a":"\\u00e9\\u20ac","b":"\\n"}');
  });

  it("takes every type that ends in +json for JSON, and writes other types as text", () => {
    expect(writeParameter("query", { contentType: "application/vnd.api+json; charset=utf-8" }, [1])).toBe(
      "color=%5B1%5D",
    );
    expect(writeParameter("query", { contentType: "text/plain" }, "a b")).toBe("color=a%20b");
    expect(writeParameter("query", { contentType: "application/x-www-form-urlencoded" }, { a: 1, b: "x y" })).toBe(
      "color=a%3D1%26b%3Dx%2By",
    );
  });

  it("sends an empty list and an empty object, which have a text in JSON", () => {
    expect(writeParameter("query", JSON_TYPE, [])).toBe("color=%5B%5D");
    expect(writeParameter("query", JSON_TYPE, {})).toBe("color=%7B%7D");
  });
});
