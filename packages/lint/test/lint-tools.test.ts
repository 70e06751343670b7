import { createServer, tool, type ServerDiagnostic } from "@toolwire/server";
import { expect, test } from "vitest";
import { defaultRules, describeFindings, groupFindings, lintTools, type Rule } from "../src/index.ts";
import { GOOD, withInput } from "./tools.ts";

const UNION = withInput({ type: "object", properties: { a: { type: ["string", "null"] } }, anyOf: [{}] });

test("errors come first, then warnings", () => {
  const { description: _, ...bare } = GOOD;
  expect(lintTools([bare, UNION]).map(({ severity }) => severity)).toEqual(["error", "error", "error", "warning"]);
});

test("only the demands of the hosts that are named count", () => {
  expect(lintTools([UNION], { hosts: ["anthropic"] })).toMatchObject([{ rule: "root-union", hosts: ["anthropic"] }]);
  expect(lintTools([UNION], { hosts: ["cursor"] }).filter(({ rule }) => rule === "root-union")).toEqual([]);
});

test("a rule can be turned off, and made more or less severe", () => {
  const findings = lintTools([UNION], { severities: { "root-union": "off", "type-list": "info" } });
  expect(findings).toMatchObject([{ rule: "type-list", severity: "info" }]);
});

test("rules of others are plain objects beside ours", () => {
  const noVerb: Rule = {
    id: "acme/verbs",
    severity: "warning",
    summary: "names begin with a verb",
    hosts: [],
    sources: [],
    *tool({ tool: { name } }) {
      if (!/^(?:get|list)_/.test(name)) yield { path: ["name"], message: "Begin the name with get or list." };
    },
  };
  const findings = lintTools([GOOD, { ...GOOD, name: "weather" }], { rules: [...defaultRules, noVerb] });
  expect(findings).toMatchObject([{ rule: "acme/verbs", name: "weather", kind: "tool", hosts: [] }]);
});

test("wrong options are refused with what there is", () => {
  expect(() => lintTools([], { hosts: ["gpt" as never] })).toThrow(/There is no host "gpt".*anthropic/);
  expect(() => lintTools([], { severities: { nope: "off" } })).toThrow(/names "nope"/);
  expect(() => lintTools([], { severities: { format: "fatal" as never } })).toThrow(/must be "error"/);
  expect(() => lintTools([], { rules: [defaultRules[0]!, defaultRules[0]!] })).toThrow(/Two rules have the id/);
});

test("every rule has an id of its own, a summary, and a source or a reason of ours", () => {
  for (const { id, summary, sources } of defaultRules) {
    expect(id).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
    expect(summary).not.toBe("");
    for (const source of sources) expect(() => new URL(source)).not.toThrow();
  }
  expect(defaultRules.filter(({ sources }) => sources.length === 0).map(({ id }) => id)).toEqual(["schema-unreadable"]);
});

test("findings of one rule become one line, with the names that they concern", () => {
  const tools = Array.from({ length: 7 }, (_, index) => ({ ...UNION, name: `tool_${"abcdefg"[index]}` }));
  const text = describeFindings(lintTools(tools));
  expect(text.split("\n")).toHaveLength(2);
  expect(text).toContain(
    'error root-union (anthropic, openai, gemini): "tool_a", "tool_b", "tool_c", "tool_d", "tool_e" and 2 more: ',
  );
  expect(groupFindings(lintTools(tools))[0]).toMatchObject({ count: 7, severity: "error" });
});

async function diagnosticsOf(options: object): Promise<readonly ServerDiagnostic[]> {
  const events: ServerDiagnostic[] = [];
  const input = { type: "object", properties: { a: { type: ["string", "null"] } }, anyOf: [{}] } as const;
  createServer({
    name: "s",
    version: "1.0.0",
    tools: { one: tool({ input, run: () => "" }), two: tool({ input, run: () => "" }) },
    onDiagnostic: (event) => events.push(event),
    ...options,
  });
  await Promise.resolve();
  return events;
}

test("a server with `lint` reports one diagnostic for each rule that finds something, after it was made", async () => {
  const { lint } = await import("../src/index.ts");
  const events = await diagnosticsOf({ lint: lint() });
  expect(events.map(({ level, message }) => [level, message.split(/[ :]+/)[2]])).toEqual([
    ["warning", "root-union"],
    ["warning", "type-list"],
    ["warning", "description-missing"],
  ]);
  expect(events[0]!.message).toContain('"one", "two":');
});

test("a server without `lint` says nothing", async () => {
  expect(await diagnosticsOf({})).toEqual([]);
});

test("a server sees tools that are added in the same turn, and can ask for errors alone", async () => {
  const { lint } = await import("../src/index.ts");
  const events: ServerDiagnostic[] = [];
  const server = createServer({
    name: "s",
    version: "1.0.0",
    lint: lint({ from: "error" }),
    onDiagnostic: (event) => events.push(event),
  });
  server.tools.add("late", tool({ description: "Tells a\u200bbout it.", run: () => "" }));
  server.tools.add("bare", tool({ run: () => "" }));
  await Promise.resolve();
  expect(events.map(({ message }) => message)).toEqual([expect.stringMatching(/^lint: error hidden-text: "late":/)]);
});

test("a linter that fails does not keep a server from running", async () => {
  const events = await diagnosticsOf({
    lint: () => {
      throw new Error("no");
    },
  });
  expect(events).toMatchObject([{ level: "warning", message: expect.stringContaining("`lint`") as unknown }]);
});
