import { describe, expect, it } from "vitest";
import { UsageError } from "../src/index.ts";
import {
  describeKind,
  expectBoolean,
  expectBytes,
  expectChoice,
  expectCount,
  expectFunction,
  expectFunctions,
  expectKnownNames,
  expectLimit,
  expectMilliseconds,
  expectOptions,
  expectPath,
  expectTexts,
  invalidDuration,
  invalidOption,
  isDuration,
  LONGEST_TIMER,
} from "../src/internal.ts";

/** Values that no number option accepts, as JavaScript without a compiler can pass them. */
const NOT_NUMBERS = [Number.NaN, -1, 1.5, "5", null, {}, 5n] as unknown as readonly number[];

describe("numbers", () => {
  it.each(NOT_NUMBERS)("%o is neither a count, a limit, a number of bytes nor a time", (value) => {
    for (const check of [
      () => expectCount("max", value),
      () => expectLimit("max", value, 10),
      () => expectBytes("max", value, 10),
      () => expectMilliseconds("max", value, 10),
    ]) {
      expect(check).toThrow(UsageError);
      expect(check).toThrow(/^`max` must be a whole number.*; got .+\.$/);
    }
  });

  it("an absent value gives the default, which may be anything", () => {
    expect(expectLimit("max", undefined, 10)).toBe(10);
    expect(expectBytes("max", undefined, Infinity)).toBe(Infinity);
    expect(expectMilliseconds("max", undefined, 10)).toBe(10);
  });

  it("Infinity switches limits off, but counts have to be finite", () => {
    expect(expectLimit("max", Infinity, 10)).toBe(Infinity);
    expect(expectBytes("max", Infinity, 10)).toBe(Infinity);
    expect(() => expectCount("max", Infinity)).toThrow("`max` must be a whole number of at least 1; got Infinity.");
  });

  it("zero is allowed only where the least value says so", () => {
    expect(expectCount("max", 0, 0)).toBe(0);
    expect(expectLimit("max", 0, 10, 0)).toBe(0);
    expect(expectMilliseconds("delay", 0, 10)).toBe(0);
    expect(() => expectLimit("max", 0, 10)).toThrow("`max` must be a whole number of at least 1, or Infinity; got 0.");
    expect(() => expectBytes("max", 0, 10)).toThrow("at least 1, or Infinity");
    expect(() => expectMilliseconds("delay", 0, 10, 1)).toThrow("at least 1, or Infinity");
  });

  it.each([Infinity, LONGEST_TIMER + 1, Number.MAX_SAFE_INTEGER])("a time of %d is one that a timer can wait", (ms) => {
    expect(expectMilliseconds("delay", ms, 10)).toBe(2 ** 31 - 1);
  });

  it("a duration is any number from zero to Infinity, and the error for others says so", () => {
    expect([0, 0.5, Infinity].map(isDuration)).toEqual([true, true, true]);
    expect([Number.NaN, -1, "5", undefined].map(isDuration)).toEqual([false, false, false, false]);
    expect(invalidDuration("timeout", Number.NaN).message).toBe(
      "`timeout` must be a number of milliseconds, at least 0, or Infinity; got NaN.",
    );
  });
});

describe("other values", () => {
  it("a choice is the first unless another is given, and the error lists all", () => {
    expect(expectChoice("mode", ["auto", "json"])).toBe("auto");
    expect(expectChoice("mode", ["auto", "json"], "json")).toBe("json");
    expect(() => expectChoice("mode", ["auto", "json"], "sse" as "json")).toThrow(
      '`mode` must be "auto" or "json"; got "sse".',
    );
  });

  it("a boolean has a default, and nothing else passes for one", () => {
    expect(expectBoolean("strict", undefined, true)).toBe(true);
    expect(() => expectBoolean("strict", "no" as unknown as boolean, true)).toThrow("must be true or false");
  });

  it("functions, texts and paths are refused by name", () => {
    expect(() => expectFunction("decide", 1)).toThrow("`decide` must be a function; got 1.");
    expect(() => expectFunctions("middleware", [() => {}, 1])).toThrow("an array of functions");
    expect(() => expectTexts({ title: 1, version: 2 }, ["title"])).toThrow("`title` must be text; got 1.");
    expect(() => expectPath("path", "mcp?x")).toThrow(
      '`path` must be a path such as "/mcp", without a query; got "mcp?x".',
    );
    expect(() => expectTexts({ title: undefined }, ["title"])).not.toThrow();
  });

  it("a limit without a default has to be given", () => {
    expect(expectLimit("max", 5)).toBe(5);
    expect(() => expectLimit("max", undefined)).toThrow(
      "`max` must be a whole number of at least 1, or Infinity; got nothing.",
    );
  });

  it("one of three choices is listed with commas", () => {
    expect(() => expectChoice<unknown>("validate", [true, false, "always"], "yes")).toThrow(
      '`validate` must be true, false or "always"; got "yes".',
    );
  });

  it.each([
    ["headers", "Bearer token", "a string"],
    ["authenticate", "token", "a string"],
    ["principal", { token: "secret" }, "an object"],
    ["principal", new Map([["token", "secret"]]), "an object (Map)"],
    ["principal", ["secret"], "an array"],
    ["principal", null, "nothing"],
    ["principal", 5n, "5"],
    ["principal", "x".repeat(1000), `"${"x".repeat(200)}…"`],
  ])("the error for `%s` shows neither secrets nor long values: %o", (name, value, shown) => {
    expect(invalidOption(name, value, "left out").message).toBe(`\`${name}\` must be left out; got ${shown}.`);
  });

  it("the kind of a value is named without its contents", () => {
    expect([undefined, null, "x", [1], { a: 1 }, Promise.resolve(), new Map()].map(describeKind)).toEqual([
      "undefined",
      "null",
      "a string",
      "an array",
      "an object",
      "a promise",
      "a Map",
    ]);
  });
});

describe("names", () => {
  const NAMES = { maxBytes: true, timeout: true } as const;

  it("a misspelt option is refused with the name that was probably meant", () => {
    expect(() => expectOptions("serve()", { maxByte: 1 } as object, NAMES)).toThrow(
      "serve() has no option `maxByte`. Did you mean `maxBytes`?",
    );
  });

  it("an option that resembles none is refused with the list of all", () => {
    expect(() => expectKnownNames("serve()", { colour: 1 }, NAMES)).toThrow(
      "serve() has no option `colour`. It has maxBytes, timeout.",
    );
  });

  it("an option of another SDK is refused with a hint", () => {
    expect(() => expectKnownNames("serve()", { wait: 1 }, NAMES, { wait: "Write `timeout`" })).toThrow(
      /^Write `timeout`\.$/,
    );
  });

  it("undefined members, internal names and class instances are not checked", () => {
    class Settings {
      readonly colour = 1;
    }
    for (const given of [{ colour: undefined }, { "~own": 1 }, new Settings()]) {
      expect(() => expectKnownNames("serve()", given, NAMES)).not.toThrow();
    }
  });

  it("options that are not an object are refused", () => {
    expect(() => expectOptions("serve()", [] as object, NAMES)).toThrow(
      "options of serve() must be an object; got an array.",
    );
  });
});
