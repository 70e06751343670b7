import { once } from "node:events";
import type { ChildProcess } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runClient, SERVER, startServer } from "./built-programs.ts";

const STDIO = `"${process.execPath}" '${SERVER}' stdio`;

describe("verbs, over every transport", () => {
  let server: ChildProcess;
  const targets = { stdio: STDIO, http: "", websocket: "" };
  beforeAll(async () => {
    const { urls, child } = await startServer(["all", "--port", "0"], 2);
    server = child;
    targets.http = urls.find((url) => url.startsWith("http:")) ?? "";
    targets.websocket = urls.find((url) => url.startsWith("ws:")) ?? "";
  });
  afterAll(async () => {
    server.kill();
    await once(server, "exit");
  });
  const transports = ["stdio", "http", "websocket"] as const;

  test.each(transports)("init says what the server is (%s)", async (transport) => {
    const { code, stdout } = await runClient(["init", targets[transport]]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Toolwire example\n/);
    expect(stdout).toMatch(/^name +toolwire-example 1\.0\.0$/m);
    expect(stdout).toMatch(/^revision +2026-07-28 \(modern era\)$/m);
    expect(stdout).toMatch(/^can do +tools \(listChanged\), resources/m);
  });

  test.each(transports)("list shows everything, with the arguments of tools (%s)", async (transport) => {
    const { code, stdout } = await runClient(["list", targets[transport]]);
    expect(code).toBe(0);
    expect(stdout).toContain("  get-sum { a: number, b: number }\n      Adds two numbers.");
    expect(stdout).toContain('get_weather { city: string, units?: "metric" | "imperial" }');
    expect(stdout).toMatch(/^Resources \(3\)$/m);
    expect(stdout).toContain("demo://resource/dynamic/text/{resourceId} text/plain");
    expect(stdout).toContain("args-prompt { city, state? }");
  });

  test.each(transports)("call calls (%s)", async (transport) => {
    const { code, stdout } = await runClient(["call", targets[transport], "get-sum", '{"a":40,"b":2}']);
    expect(stdout).toBe("The sum of 40 and 2 is 42.\n");
    expect(code).toBe(0);
  });

  test("--json prints results as they came", async () => {
    const call = await runClient(["call", targets.http, "get_weather_data", '{"location":"Oslo"}', "--json"]);
    const result = JSON.parse(call.stdout);
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
    const list = await runClient(["list", targets.http, "--json"]);
    expect(Object.keys(JSON.parse(list.stdout))).toEqual(["tools", "resources", "resourceTemplates", "prompts"]);
    const init = await runClient(["init", targets.http, "--json", "--revision", "2025-06-18"]);
    expect(JSON.parse(init.stdout)).toMatchObject({
      protocolVersion: "2025-06-18",
      serverInfo: { name: "toolwire-example" },
      capabilities: { tools: {} },
    });
  });

  test("progress is shown beside the result", async () => {
    const { stdout, stderr } = await runClient([
      "call",
      targets.http,
      "trigger-long-running-operation",
      '{"duration":0.02,"steps":2}',
    ]);
    expect(stdout).toBe("Long running operation completed. Duration: 0.02 seconds, Steps: 2.\n");
    expect(stderr).toBe("… 1/2 Step 1 of 2\n… 2/2 Step 2 of 2\n");
  });

  test("control characters of a server do not reach the terminal", async () => {
    const message = "\u001B]0;title\u0007 \u009B2J";
    const { stdout } = await runClient(["call", targets.http, "echo", JSON.stringify({ message })]);
    expect(stdout).toBe("Echo: \uFFFD]0;title\uFFFD \uFFFD2J\n");
  });
});

describe("exit codes", () => {
  test("1: the tool failed, and says why", async () => {
    const { code, stdout } = await runClient(["call", STDIO, "get-sum", '{"a":"forty"}']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/The tool failed: .*"get-sum".*\n- a: .*number.*\n- b: /);
  });

  test("2: the server refused the request", async () => {
    const { code, stdout, stderr } = await runClient(["call", STDIO, "get-product"]);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain('refused tools/call (-32602). It says: "Unknown tool: get-product"');
    const json = await runClient(["call", STDIO, "get-product", "{}", "--json"]);
    expect(json.code).toBe(2);
    const error = { code: -32602, message: "Unknown tool: get-product", method: "tools/call" };
    expect(JSON.parse(json.stdout)).toEqual({ error });
  });

  test.each([
    ["nobody listens there", "http://127.0.0.1:1/mcp"],
    ["nobody listens there", "ws://127.0.0.1:1/ws"],
    ["there is no such program", "toolwire-no-such-program"],
    ["the program fails", `"${process.execPath}" -e "console.error('out of order'); process.exit(7)"`],
  ])("3: %s (%s)", async (_, target) => {
    const { code, stdout, stderr } = await runClient(["init", target]);
    expect(code).toBe(3);
    expect(stdout).toBe("");
    expect(stderr).toContain("No connection");
    if (target.includes("out of order")) expect(stderr).toContain("exited with code 7");
  });

  test("64: the command line makes no sense", async () => {
    const { code, stdout, stderr } = await runClient(["call", STDIO, "get-sum", "{a:1}"]);
    expect(code).toBe(64);
    expect(stdout).toBe("");
    expect(stderr).toContain("The arguments are no JSON");
  });

  test("0: help is no mistake, and names the codes", async () => {
    const { code, stdout } = await runClient(["--help"]);
    expect(code).toBe(0);
    for (const word of ["init TARGET", "list TARGET", "call TARGET NAME", "--json", "Exit codes:"]) {
      expect(stdout).toContain(word);
    }
  });
});
