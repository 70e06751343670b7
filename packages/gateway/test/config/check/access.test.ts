import { expect, test } from "vitest";
import { messagesOf } from "../problems-of.ts";

const TOOL = { description: "d", request: { method: "GET", url: "https://x.example/" } };
const LISTEN = { publicUrl: "https://mcp.example.com" };

/** The problems of a server with these rules. */
function problemsOfRules(access: readonly object[], auth?: unknown, listen: object = LISTEN): readonly string[] {
  return messagesOf({ version: 1, listen, servers: { s: { auth, access, tools: { t: TOOL } } } });
}

const rule = (principals?: readonly string[], more: object = {}): object => ({
  ...(principals !== undefined && { principals }),
  tools: ["t"],
  allow: true,
  ...more,
});

test("a rule for named callers of a server whose callers have no name is a warning", () => {
  const expected = [expect.stringMatching(/^warning: servers\.s\.access\[1\]\.principals\[1\]: Nobody has this name/)];
  const rules = [rule(), rule(["*", "ada"]), rule(["**"]), rule([])];
  expect(problemsOfRules(rules)).toEqual(expected);
  expect(problemsOfRules(rules, "none")).toEqual(expected);
  expect(problemsOfRules(rules, { apiKeys: true })).toEqual([]);
  expect(problemsOfRules(rules, undefined, { ...LISTEN, host: "10.0.0.1" })).toEqual([]);
});

test("a rule for callers with tokens alone names them as tokens do", () => {
  const oauth = { issuer: "https://i.example" };
  const rules = [
    rule(["ada"]),
    rule(["*"]),
    rule(['["https://i.example","ada"]']),
    rule(['["https://i.example",*']),
    rule(['["http*']),
    rule(['["https://other.example","ada"]']),
    rule(["a*"]),
    rule(["["]),
  ];
  const warned = (auth: object): readonly string[] =>
    problemsOfRules(rules, auth).map((line) => /access\[(\d)\]\.principals\[0\]: No token/.exec(line)?.[1] ?? line);
  expect(warned({ oauth })).toEqual(["0", "5", "6", "7"]);
  expect(warned({ oauth: { preset: { auth0: { domain: "i.example.com" } } } })).toEqual(["0", "6", "7"]);
  expect(problemsOfRules(rules, { oauth, apiKeys: true })).toEqual([]);
});

test("a rule behind one that decides everything is a warning", () => {
  const all = { tools: ["x", "*"], allow: false };
  const expected = [expect.stringMatching(/^warning: servers\.s\.access\[2\]: This rule decides nothing.*access\[1\]/)];
  expect(problemsOfRules([rule(), all, rule(), rule()])).toEqual(expected);
  expect(problemsOfRules([rule(), { ...all, principals: ["*"] }, rule()])).toEqual(expected);
  expect(problemsOfRules([rule(), all])).toEqual([]);
  expect(problemsOfRules([{ ...all, tools: ["*t"] }, rule()])).toEqual([]);
  expect(problemsOfRules([{ ...all, principals: ["a"] }, rule()], { apiKeys: true })).toEqual([]);
  expect(problemsOfRules([{ ...all, scopes: ["a"] }, rule()], { oauth: { issuer: "https://i.example" } })).toEqual([]);
});
