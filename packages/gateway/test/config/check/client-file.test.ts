import { expect, test } from "vitest";
import { readConfig } from "../../../src/config/load-config.ts";
import { describeProblem } from "../../../src/config/problem.ts";

function problemsOf(value: unknown, file: string): readonly string[] {
  return readConfig(JSON.stringify(value), { env: {}, folder: "." }, file).problems.map(describeProblem);
}

const SERVERS = {
  files: { command: "npx", args: ["server"] },
  docs: { type: "http", url: "https://docs.example/mcp" },
};

test.each<[string, object, string]>([
  ["Claude", { mcpServers: SERVERS }, "mcpServers"],
  ["Claude, with other settings", { theme: "dark", mcpServers: {} }, "mcpServers"],
  ["VS Code", { inputs: [], servers: SERVERS }, "servers"],
])("a file of %s is told from a configuration, and the command for it is named", (_, value, member) => {
  expect(problemsOf(value, "/home/ada/claude.json")).toEqual([
    expect.stringMatching(
      new RegExp(
        `^/home/ada/claude\\.json:1:\\d+: error: ${member}: .*\`toolwire-gateway import /home/ada/claude\\.json\``,
      ),
    ),
  ]);
});

test("the name of a file is quoted for a shell if it needs to be", () => {
  expect(problemsOf({ mcpServers: SERVERS }, "my file.json").join()).toContain('import "my file.json"`');
});

test.each<[string, object]>([
  ["a version", { version: 1, servers: SERVERS }],
  ["no servers", { servers: {} }],
  ["servers of a gateway", { servers: { s: { tools: {} } } }],
  ["one server of a gateway", { servers: { ...SERVERS, s: { tools: {} } } }],
  ["a list", { mcpServers: [] }],
])("a file with %s is a configuration with mistakes", (_, value) => {
  const problems = problemsOf(value, "f");
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.join()).not.toContain("import");
});
