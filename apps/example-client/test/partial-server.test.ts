import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runClient } from "./built-programs.ts";

const PROGRAM = fileURLToPath(new URL("./fixtures/partial-server.mjs", import.meta.url));

/** A command line that starts a server which answers like this, and refuses all else. */
function serverWith(answers: object): string {
  return `"${process.execPath}" "${PROGRAM}" '${JSON.stringify(answers)}'`;
}

const TOOLS = { "tools/list": { tools: [{ name: "ping", inputSchema: { type: "object" } }] } };
const RESOURCES = { "resources/list": { resources: [{ uri: "a:b", name: "b" }] } };
const PROMPTS = { "prompts/list": { prompts: [{ name: "greet" }] } };

function refuse(message: string, code = -32603): object {
  return { error: { code, message } };
}

describe("list, with a server that does not serve all that it declares", () => {
  const withoutTemplates = serverWith({ ...TOOLS, ...RESOURCES, ...PROMPTS });

  test("shows what there is, and names the method that is missing", async () => {
    const { code, stdout, stderr } = await runClient(["list", withoutTemplates]);
    expect(stdout).toBe(
      [
        "Tools (1)",
        "  ping",
        "",
        "Resources (1)",
        "  a:b",
        "",
        "Resource templates (not listed)",
        '  The server refused resources/templates/list (-32601). It says: "Method not found"',
        "",
        "Prompts (1)",
        "  greet",
        "",
      ].join("\n"),
    );
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  test("tells programs what is missing beside the lists", async () => {
    const { code, stdout } = await runClient(["list", withoutTemplates, "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      ...TOOLS["tools/list"],
      ...RESOURCES["resources/list"],
      resourceTemplates: [],
      ...PROMPTS["prompts/list"],
      errors: {
        "resources/templates/list": {
          code: -32601,
          message: "Method not found",
          method: "resources/templates/list",
        },
      },
    });
    expect(code).toBe(0);
  });

  test("quotes the server's words in one line, so that they cannot pose as part of the list", async () => {
    const words = `no\n\nTools (1)\n  fake\u001B[31m\u009B2J\u2028${"x".repeat(5000)}`;
    const target = serverWith({ ...TOOLS, ...RESOURCES, "prompts/list": refuse(words) });
    const { code, stdout } = await runClient(["list", target]);
    const said = stdout.split("\n").find((line) => line.includes("prompts/list")) ?? "";
    expect(said).toContain(String.raw`It says: "no\n\nTools (1)\n  fake\u001b[31m\u009b2J\u2028xxx`);
    expect(said.length).toBeLessThan(400);
    expect(stdout).not.toMatch(/^ {2}fake/m);
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u2028]/u);
    expect(code).toBe(0);
  });

  test("shows the pages that came before one that was refused", async () => {
    const pages = [{ ...PROMPTS["prompts/list"], nextCursor: "1" }, refuse("The database is down")];
    const target = serverWith({ ...TOOLS, "prompts/list": pages });
    const { code, stdout } = await runClient(["list", target]);
    expect(stdout).toContain(
      'Prompts (1, the rest not listed)\n  greet\n  The server refused prompts/list (-32603). It says: "The database is down"\n',
    );
    expect(code).toBe(0);
    const json = await runClient(["list", target, "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ...PROMPTS["prompts/list"],
      errors: { "prompts/list": { code: -32603, message: "The database is down" } },
    });
  });

  test("shows the other lists where one is no list", async () => {
    const target = serverWith({ ...TOOLS, ...RESOURCES, "prompts/list": { prompts: "none" } });
    const { code, stdout } = await runClient(["list", target]);
    expect(stdout).toContain("Tools (1)\n  ping\n");
    expect(stdout).toMatch(/^Prompts \(not listed\)\n {2}The server broke the protocol \(INVALID_RESULT\): .*prompts/m);
    expect(code).toBe(0);
  });

  test("shows the other lists where one is never answered", async () => {
    const target = serverWith({ ...TOOLS, ...RESOURCES, "prompts/list": "silence" });
    const { code, stdout } = await runClient(["list", target, "--timeout", "3000"]);
    expect(stdout).toContain("Tools (1)\n  ping\n");
    expect(stdout).toMatch(/^Prompts \(not listed\)\n {2}.*\(TIMEOUT\): No answer to prompts\/list in time/m);
    expect(code).toBe(0);
  });

  test("shows what came before the connection was lost, and fails with 3", async () => {
    const target = serverWith({ ...TOOLS, ...RESOURCES, "prompts/list": "exit" });
    const { code, stdout } = await runClient(["list", target]);
    expect(stdout).toContain("Tools (1)\n  ping\n");
    expect(stdout).toMatch(/^Prompts \(not listed\)\n {2}No connection \(CONNECTION_LOST\)/m);
    expect(code).toBe(3);
  });

  test("fails with 2 if nothing could be listed, and says which method was refused first", async () => {
    const target = serverWith({ "tools/list": refuse("The database is down") });
    const { code, stdout, stderr } = await runClient(["list", target]);
    expect(stderr).toBe('The server refused tools/list (-32603). It says: "The database is down"\n');
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  test("an empty list that the server was asked for is something", async () => {
    const initialize = { capabilities: { resources: {} } };
    const target = serverWith({ initialize, "resources/list": { resources: [] } });
    const { code, stdout } = await runClient(["list", target]);
    expect(stdout).toContain("Tools (0)\n\nResources (0)\n\nResource templates (not listed)\n");
    expect(code).toBe(0);
  });
});

describe("other verbs, with a server that refuses a request", () => {
  test("call names the method, and quotes the server", async () => {
    const { code, stderr } = await runClient(["call", serverWith({}), "ping"]);
    expect(stderr).toBe('The server refused tools/call (-32601). It says: "Method not found"\n');
    expect(code).toBe(2);
    const json = await runClient(["call", serverWith({}), "ping", "{}", "--json"]);
    expect(JSON.parse(json.stdout)).toEqual({
      error: { code: -32601, message: "Method not found", method: "tools/call" },
    });
  });

  test("init names the method, and quotes the server", async () => {
    const target = serverWith({ initialize: refuse("Not today\nTools (1)") });
    const { code, stderr } = await runClient(["init", target]);
    expect(stderr).toBe('The server refused initialize (-32603). It says: "Not today\\nTools (1)"\n');
    expect(code).toBe(2);
  });
});
