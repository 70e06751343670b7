import { describe, expect, test } from "vitest";
import { readTarget, splitWords } from "../../src/verbs/target.ts";

describe("splitWords", () => {
  test.each([
    ["node server.js", ["node", "server.js"]],
    ["  node\tserver.js  ", ["node", "server.js"]],
    [`node "my server.js" 'a b'`, ["node", "my server.js", "a b"]],
    [String.raw`node my\ server.js \"x\"`, ["node", "my server.js", '"x"']],
    [String.raw`'\ stays' "\" escaped"`, [String.raw`\ stays`, '" escaped']],
    [String.raw`C:\tools\server.exe`, [String.raw`C:\tools\server.exe`]],
    [`a"b"'c'`, ["abc"]],
    [`""`, [""]],
    ["$HOME `ls` ; x", ["$HOME", "`ls`", ";", "x"]],
    ["", []],
  ])("%s", (line, words) => expect(splitWords(line)).toEqual(words));
});

describe("readTarget", () => {
  test("tells URLs from command lines", () => {
    expect(readTarget("https://example.com/mcp")).toEqual(new URL("https://example.com/mcp"));
    expect(readTarget("WS://localhost/ws")).toEqual(new URL("ws://localhost/ws"));
    expect(readTarget("npx some-server --flag")).toEqual({ command: "npx", args: ["some-server", "--flag"] });
  });
});
