import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { decodeHeaderValue, encodeHeaderValue } from "../../src/param-headers/headers.ts";

describe("encodeHeaderValue", () => {
  it.each<[string, string | number | boolean, string]>([
    ["plain ASCII", "us-west1", "us-west1"],
    ["spaces inside", "Seattle, WA", "Seattle, WA"],
    [
      "all printable characters",
      "!\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~",
      "!\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~",
    ],
    ["nothing", "", ""],
    ["beyond ASCII", "Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    ["spaces around", " padded ", "=?base64?IHBhZGRlZCA=?="],
    ["a space before", " a", "=?base64?IGE=?="],
    ["a space after", "a ", "=?base64?YSA=?="],
    ["only a space", " ", "=?base64?IA==?="],
    ["LF", "line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["CRLF", "a\r\nb", "=?base64?YQ0KYg==?="],
    ["tab", "a\tb", "=?base64?YQli?="],
    ["DEL", "\u007F", "=?base64?fw==?="],
    ["NUL", "\0", "=?base64?AA==?="],
    ["what looks encoded", "=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    ["what looks encoded, with nothing in it", "=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="],
    ["what only starts like that", "=?base64?literal", "=?base64?literal"],
    ["what only ends like that", "literal?=", "literal?="],
    ["another case", "=?BASE64?literal?=", "=?BASE64?literal?="],
    ["an integer", 42, "42"],
    ["a negative integer", -7, "-7"],
    ["negative zero", -0, "0"],
    ["the largest integer", 9007199254740991, "9007199254740991"],
    ["true", true, "true"],
    ["false", false, "false"],
  ])("%s", (_, value, header) => {
    expect(encodeHeaderValue(value)).toBe(header);
  });

  it.each([
    ["a fraction", 1.5],
    ["an unsafe integer", 9007199254740992],
    ["no number", Number.NaN],
    ["infinity", Infinity],
    ["half of a surrogate pair", "a\uD800"],
  ])("refuses %s", (_, value) => {
    expect(() => encodeHeaderValue(value)).toThrow(UsageError);
    expect(() => encodeHeaderValue(value)).toThrow(/cannot be sent in a header/);
  });
});

describe("decodeHeaderValue", () => {
  it.each<[string, string, string | undefined]>([
    ["plain ASCII", "us-west1", "us-west1"],
    ["nothing", "", ""],
    ["base64", "=?base64?SGVsbG8=?=", "Hello"],
    ["base64 of nothing", "=?base64??=", ""],
    ["base64 with spaces around", "  =?base64?SGVsbG8=?= ", "Hello"],
    ["white space around", " \ta b\t ", "a b"],
    ["a byte order mark", "=?base64?77u/YQ==?=", "\uFEFFa"],
    ["missing padding", "=?base64?SGVsbG8?=", undefined],
    ["too much padding", "=?base64?SGVsbG8==?=", undefined],
    ["characters that are no base64", "=?base64?SGVs!!!bG8=?=", undefined],
    ["the URL alphabet", "=?base64?_-8=?=", undefined],
    ["spaces in base64", "=?base64?SGVs bG8=?=", undefined],
    ["bits left over", "=?base64?SGVsbG9=?=", undefined],
    ["base64 of no UTF-8", "=?base64?/w==?=", undefined],
    ["no start", "SGVsbG8=?=", "SGVsbG8=?="],
    ["no end", "=?base64?SGVsbG8=", "=?base64?SGVsbG8="],
    ["another case", "=?Base64?SGVsbG8=?=", "=?Base64?SGVsbG8=?="],
    ["start and end in one", "=?base64?=", "=?base64?="],
    ["beyond ASCII", "Zürich", undefined],
    ["a line break", "a\nb", undefined],
    ["a control character", "a\u0001", undefined],
    ["DEL", "a\u007F", undefined],
    ["a tab inside", "a\tb", "a\tb"],
  ])("%s", (_, header, value) => {
    expect(decodeHeaderValue(header)).toBe(value);
  });
});

describe("properties", () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom("=?base64?", "?=", "a", " ", "\t", "\n", "é") }),
  );

  it("every text comes back, and nothing but visible ASCII and single lines goes over the wire", () => {
    fc.assert(
      fc.property(text, (value) => {
        const header = encodeHeaderValue(value);
        expect(header).toMatch(/^(?:[!-~](?:[ -~]*[!-~])?)?$/);
        expect(decodeHeaderValue(header)).toBe(value);
      }),
      { numRuns: 1000 },
    );
  });

  it("the platform accepts every encoded value as a header, unchanged", () => {
    fc.assert(
      fc.property(text, (value) => {
        const header = encodeHeaderValue(value);
        expect(new Headers({ "Mcp-Name": header }).get("mcp-name")).toBe(header);
      }),
    );
  });

  it("no two values share a header", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(encodeHeaderValue(one) === encodeHeaderValue(other)).toBe(one === other);
      }),
    );
  });

  it("any header is decoded or refused", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          text.map((inner) => `=?base64?${inner}?=`),
        ),
        (header) => {
          expect(["string", "undefined"]).toContain(typeof decodeHeaderValue(header));
        },
      ),
    );
  });
});
