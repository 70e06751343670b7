import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.ts";
import type { ParamHeader } from "../../src/param-headers/annotations.ts";
import { findParamHeaderProblem, writeParamHeaders } from "../../src/param-headers/headers.ts";

const annotations: ParamHeader[] = [
  { header: "Region", path: ["region"], type: "string" },
  { header: "Priority", path: ["options", "priority"], type: "integer" },
  { header: "Verbose", path: ["options", "verbose"], type: "boolean" },
];

function check(args: Record<string, unknown> | undefined, headers: Record<string, string>): string | undefined {
  const all = new Headers(headers);
  return findParamHeaderProblem(annotations, args, (name) => all.get(name) ?? undefined);
}

describe("headersForArguments", () => {
  it("mirrors what is annotated and nothing else", () => {
    const args = { region: "us-west1", query: "SELECT 1", options: { priority: 42, verbose: false, other: 1 } };
    expect(writeParamHeaders(annotations, args)).toEqual({
      "Mcp-Param-Region": "us-west1",
      "Mcp-Param-Priority": "42",
      "Mcp-Param-Verbose": "false",
    });
  });

  it.each([
    ["no arguments", undefined],
    ["absent ones", {}],
    ["null", { region: null, options: { priority: null, verbose: undefined } }],
    ["no object on the way", { options: "none" }],
    ["null on the way", { options: null }],
    ["a list on the way", { options: [1, 2] }],
  ])("sends nothing for %s", (_, args) => {
    expect(writeParamHeaders(annotations, args)).toEqual({});
  });

  it("sends an empty header for an empty string", () => {
    expect(writeParamHeaders(annotations, { region: "" })).toEqual({ "Mcp-Param-Region": "" });
  });

  it("encodes what is not plain", () => {
    expect(writeParamHeaders(annotations, { region: "Zürich\n" })["Mcp-Param-Region"]).toBe("=?base64?WsO8cmljaAo=?=");
  });

  it("reads no inherited property", () => {
    const inherited: ParamHeader[] = [{ header: "X", path: ["constructor", "name"], type: "string" }];
    expect(writeParamHeaders(inherited, {})).toEqual({});
  });

  it.each([
    ["a list", { region: ["a"] }, /argument "region" must be of type string, because it is also sent as a header/],
    ["an object", { options: { priority: {} } }, /argument "options.priority" must be of type integer/],
    ["a fraction", { options: { priority: 1.5 } }, /1\.5 cannot be sent in a header/],
    ["an unsafe integer", { options: { priority: 2 ** 53 } }, /cannot be sent in a header/],
  ])("refuses %s", (_, args, message) => {
    expect(() => writeParamHeaders(annotations, args)).toThrow(UsageError);
    expect(() => writeParamHeaders(annotations, args)).toThrow(message);
  });
});

describe("checkHeaders", () => {
  it.each<[string, Record<string, unknown> | undefined, Record<string, string>]>([
    ["a plain value", { region: "Hello" }, { "Mcp-Param-Region": "Hello" }],
    ["a name in another case", { region: "Hello" }, { "MCP-PARAM-REGION": "Hello" }],
    ["base64 that was not necessary", { region: "Hello" }, { "Mcp-Param-Region": "=?base64?SGVsbG8=?=" }],
    ["spaces around", { region: "Hello" }, { "Mcp-Param-Region": "  Hello " }],
    ["an empty value", { region: "" }, { "Mcp-Param-Region": "" }],
    ["half a sentinel", { region: "=?base64?SGVsbG8=" }, { "Mcp-Param-Region": "=?base64?SGVsbG8=" }],
    ["an integer", { options: { priority: 42 } }, { "Mcp-Param-Priority": "42" }],
    ["an integer with decimals", { options: { priority: 42 } }, { "Mcp-Param-Priority": "42.0" }],
    ["an encoded integer", { options: { priority: 42 } }, { "Mcp-Param-Priority": "=?base64?NDI=?=" }],
    ["a boolean", { options: { verbose: true } }, { "Mcp-Param-Verbose": "true" }],
    ["no arguments", undefined, {}],
    ["null", { region: null }, {}],
    ["an argument of a wrong type, to be refused with the arguments", { region: ["a"] }, {}],
    ["headers of nobody", {}, { "Mcp-Param-Other": "x" }],
  ])("accepts %s", (_, args, headers) => {
    expect(check(args, headers)).toBeUndefined();
  });

  it.each<[string, Record<string, unknown>, Record<string, string>, RegExp]>([
    [
      "a missing header",
      { region: "a" },
      {},
      /Mcp-Param-Region is missing; it must repeat the value "a" of the argument "region"/,
    ],
    ["a missing header for an empty value", { region: "" }, {}, /is missing/],
    [
      "a missing header for false",
      { options: { verbose: false } },
      {},
      /Mcp-Param-Verbose is missing.*"options.verbose"/,
    ],
    [
      "another value",
      { region: "a" },
      { "Mcp-Param-Region": "b" },
      /Mcp-Param-Region is "b", not the value "a" of the argument "region"/,
    ],
    ["another case", { region: "a" }, { "Mcp-Param-Region": "A" }, /is "A", not the value "a"/],
    [
      "bad padding",
      { region: "Hello" },
      { "Mcp-Param-Region": "=?base64?SGVsbG8?=" },
      /malformed value "=\?base64\?SGVsbG8\?="/,
    ],
    ["a bad alphabet", { region: "Hello" }, { "Mcp-Param-Region": "=?base64?SGVs!!!bG8=?=" }, /malformed value/],
    ["bytes beyond ASCII", { region: "é" }, { "Mcp-Param-Region": "é" }, /malformed value/],
    [
      "a header for an absent argument",
      {},
      { "Mcp-Param-Region": "a" },
      /is "a", which contradicts the absence of the argument "region"/,
    ],
    ["a header for null", { region: null }, { "Mcp-Param-Region": "null" }, /contradicts the absence/],
    ["a header for a list", { region: ["a"] }, { "Mcp-Param-Region": "a" }, /is "a", not the value \["a"\]/],
    ["another integer", { options: { priority: 42 } }, { "Mcp-Param-Priority": "43" }, /is "43", not the value 42/],
    [
      "a nearly equal number",
      { options: { priority: 42 } },
      { "Mcp-Param-Priority": "42.00000000000000000001" },
      /not the value 42/,
    ],
    ["a number in hexadecimal", { options: { priority: 42 } }, { "Mcp-Param-Priority": "0x2A" }, /not the value 42/],
    ["nothing for zero", { options: { priority: 0 } }, { "Mcp-Param-Priority": "" }, /is "", not the value 0/],
    [
      "an unsafe integer",
      { options: { priority: 2 ** 53 } },
      { "Mcp-Param-Priority": "9007199254740992" },
      /unsafe integer/,
    ],
    ["a number for a string", { region: "42" }, { "Mcp-Param-Region": "42.0" }, /is "42.0", not the value "42"/],
    [
      "a boolean in another case",
      { options: { verbose: true } },
      { "Mcp-Param-Verbose": "TRUE" },
      /is "TRUE", not the value true/,
    ],
    ["two headers of one name", { region: "a" }, { "Mcp-Param-Region": "a, a" }, /is "a, a"/],
  ])("reports %s", (_, args, headers, message) => {
    expect(check(args, headers)).toMatch(/^Header mismatch: /);
    expect(check(args, headers)).toMatch(message);
  });

  it("repeats only the beginning of values that are deeper than any stack", () => {
    const deep: unknown = JSON.parse("[".repeat(400_000) + "]".repeat(400_000));
    expect(check({ region: deep }, { "Mcp-Param-Region": "a" })).toMatch(/is "a", not the value \[+… of the argument/);
    const unnamed: unknown = JSON.parse(`${'{"":'.repeat(400_000)}0${"}".repeat(400_000)}`);
    expect(check({ region: unnamed }, { "Mcp-Param-Region": "a" })).toMatch(/not the value (\{"":)+… of the argument/);
  });

  it("does not repeat long values in full", () => {
    expect(check({ region: "x".repeat(10_000) }, { "Mcp-Param-Region": "y".repeat(10_000) })?.length).toBeLessThan(400);
  });
});

describe("properties", () => {
  // No numbers as strings: "1.0" is another header than "1", but rightly accepted for the number 1.
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string()).filter((each) => !/^-?\d/.test(each));
  const value = fc.oneof(text, fc.maxSafeInteger(), fc.boolean());
  const args = fc.record(
    {
      region: fc.option(value),
      options: fc.record({ priority: value, verbose: fc.option(value) }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  );

  it("the server accepts the headers that the client mirrors", () => {
    fc.assert(
      fc.property(args, (given) => {
        expect(check(given, writeParamHeaders(annotations, given))).toBeUndefined();
      }),
    );
  });

  it("headers made for other arguments are reported", () => {
    fc.assert(
      fc.property(args, args, (given, other) => {
        const [mine, theirs] = [writeParamHeaders(annotations, given), writeParamHeaders(annotations, other)];
        fc.pre(JSON.stringify(mine) !== JSON.stringify(theirs));
        expect(check(given, theirs)).toMatch(/^Header mismatch: /);
      }),
    );
  });
});
