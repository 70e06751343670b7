import { expect, test } from "vitest";
import { lintTools } from "../../src/index.ts";
import { found, GOOD } from "../tools.ts";

test.each([
  ["a.b", ["anthropic", "openai"]],
  ["1st", ["gemini"]],
  ["n".repeat(65), ["anthropic", "openai", "gemini"]],
  ["два", ["anthropic", "openai", "gemini"]],
  ["fine-name_1", []],
])("the name %s is refused by %j", (name, hosts) => {
  expect(found("tool-name", { ...GOOD, name }).flatMap((finding) => finding.hosts)).toEqual(hosts);
});

test("a name leaves room for the name of its server", () => {
  const name = "n".repeat(50);
  expect(found("tool-name-with-server", { ...GOOD, name }, { server: "s" })).toEqual([]);
  const findings = found("tool-name-with-server", { ...GOOD, name }, { server: "my-server" });
  expect(findings.map(({ hosts }) => hosts)).toEqual([["claude-code"]]);
});

test("two tools of one name are an error, and a tool of another server with the name is a warning", () => {
  expect(lintTools([GOOD, GOOD])).toMatchObject([{ rule: "name-clash", severity: "error", name: "get_weather" }]);
  const others = [{ server: "other", tools: [{ name: "get_weather" }] }];
  const [finding] = lintTools([GOOD], { others });
  expect(finding).toMatchObject({ rule: "name-clash", severity: "warning" });
  expect(finding!.message).toContain('"other"');
});

test.each(["Get_Weather", "get-weather", "gеt_weather", "getweather", "get_vveather"])(
  "the name %s looks like get_weather",
  (name) => {
    const findings = lintTools([GOOD, { ...GOOD, name }]).filter(({ rule }) => rule === "name-look-alike");
    expect(findings).toMatchObject([{ name }]);
    expect(findings[0]!.message).toContain('"get_weather"');
  },
);

test("a tool of another server can look like one of ours, too", () => {
  const others = [{ server: "evil", tools: [{ name: "get-weather" }] }];
  expect(lintTools([GOOD], { others })).toMatchObject([{ rule: "name-look-alike", name: "get-weather" }]);
});

test("names that differ in a word are no finding", () => {
  expect(lintTools([GOOD, { ...GOOD, name: "set_weather" }])).toEqual([]);
});
