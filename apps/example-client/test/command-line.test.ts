import { describe, expect, test } from "vitest";
import { readCommandLine } from "../src/command-line.ts";
import { CommandLineError } from "../src/command-line-error.ts";

describe("readCommandLine", () => {
  test("runs the show without a verb", () => {
    expect(readCommandLine([])).toEqual({ verb: "show", revision: undefined });
    expect(readCommandLine(["--revision", "2025-06-18"])).toEqual({ verb: "show", revision: "2025-06-18" });
    expect(readCommandLine(["list", "--help"])).toEqual({ verb: "help" });
  });

  test("verbs take a target, and options in any place", () => {
    const args = [
      "call",
      "--json",
      "http://127.0.0.1/mcp",
      "sum",
      '{"a":1}',
      "--timeout",
      "5",
      "--header",
      "X-A: b: c",
    ];
    expect(readCommandLine(args)).toEqual({
      verb: "call",
      target: new URL("http://127.0.0.1/mcp"),
      tool: "sum",
      args: { a: 1 },
      json: true,
      revision: undefined,
      timeoutMs: 5,
      headers: { "X-A": "b: c" },
      stderr: false,
    });
    expect(readCommandLine(["call", "node x.js", "sum"])).toMatchObject({
      args: {},
      target: { command: "node", args: ["x.js"] },
    });
  });

  test.each([
    [["frobnicate"], "There is no verb"],
    [["init"], "needs a target"],
    [["init", "http://"], "no valid URL"],
    [["init", 'node "x'], "without its counterpart"],
    [["init", ""], "The target is empty"],
    [["init", "node", "x.js"], "one argument too many"],
    [["call", "node x"], "needs the name of a tool"],
    [["call", "node x", "get-sum", "{a:1}"], "no JSON"],
    [["call", "node x", "get-sum", "[1]"], "must be an object"],
    [["call", "node x", "get-sum", '{"a":', "1}"], "one argument too many"],
    [["list", "node x", "--revision", "1999-01-01"], "--revision must be one of"],
    [["list", "node x", "--timeout", "soon"], "--timeout must be"],
    [["list", "node x", "--header", "nonsense"], "--header must look like"],
    [["list", "node x", "--header", "X-A: b"], "--header is for URLs"],
    [["list", "node x", "--colour"], "--colour"],
  ])("%j makes no sense", (args, words) => {
    expect(() => readCommandLine(args)).toThrow(CommandLineError);
    expect(() => readCommandLine(args)).toThrow(words);
  });
});
