import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { countBytes, parseDocument } from "../../src/document/parse-document.ts";

describe("reading the text of a document", () => {
  it("reads JSON, YAML, bytes and objects to the same value", () => {
    const document = { openapi: "3.1.0", paths: { "/a": { get: { tags: ["x", "ü"] } } } };
    const json = JSON.stringify(document);
    expect(parseDocument(json)).toEqual(document);
    expect(parseDocument(`\uFEFF${json}`)).toEqual(document);
    expect(parseDocument(stringify(document))).toEqual(document);
    expect(parseDocument(new TextEncoder().encode(json))).toEqual(document);
    expect(parseDocument(document)).toBe(document);
  });

  it("reads YAML 1.2, in which `no` and dates are texts, and merges `<<`", () => {
    const text = "base: &base { a: 1, b: 2 }\nmerged: { <<: *base, b: 3 }\nanswer: no\ndate: 2024-01-01\n200: ok\n";
    expect(parseDocument(text)).toEqual({
      base: { a: 1, b: 2 },
      merged: { a: 1, b: 3 },
      answer: "no",
      date: "2024-01-01",
      "200": "ok",
    });
  });

  it("takes the last of two members with the same name, in YAML as in JSON", () => {
    expect(parseDocument("a: 1\na: 2")).toEqual({ a: 2 });
    expect(parseDocument('{"a": 1, "a": 2}')).toEqual({ a: 2 });
  });

  it("reads a flow map of YAML that begins like JSON", () => {
    expect(parseDocument("{ openapi: 3.1.0, paths: {} }")).toEqual({ openapi: "3.1.0", paths: {} });
  });

  it("reads any value that YAML can write", () => {
    // A member of this name merges others in, and YAML does not write it in quotes.
    const name = fc.string({ maxLength: 8 }).filter((each) => each !== "<<");
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string({ maxLength: 20 }),
        fc.boolean(),
        fc.integer(),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(name, tie("value"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(name, value, { minKeys: 1, maxKeys: 5 }), (object) => {
        expect(parseDocument(stringify(object))).toEqual(JSON.parse(JSON.stringify(object)));
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ["a mistake in YAML", "a: [1\nb: }", /Line 2: /],
    ["several documents in one text", "a: 1\n---\nb: 2\n", /several YAML documents/],
    ["the path of a file", "./openapi.yaml", /is it the path of a file\? Read the file/],
    ["nothing", "", /This is null/],
    ["a list", [], /This is a list/],
    ["null", null, /This is null/],
    ["a number", 5, /This is a number/],
  ])("says what is wrong with %s", (_, document, message) => {
    expect(() => parseDocument(document)).toThrow(message);
  });

  it("counts the bytes that a text has in UTF-8", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(countBytes(text)).toBe(Buffer.byteLength(text));
      }),
    );
  });
});
