import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { check } from "../../src/cli/check.ts";
import type { Console } from "../../src/cli/command.ts";
import { runCommandLine } from "../../src/cli/run.ts";
import { serve } from "../../src/cli/serve.ts";

/** Runs the command line in this process. */
async function run(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const console: Console = {
    print: (line) => void out.push(line),
    tell: (line) => void err.push(line),
    readInput: async () => "",
    env: { KEY: "canary-of-the-environment" },
    isTerminal: false,
  };
  const code = await runCommandLine([serve, check], argv, console);
  return { code, stdout: out.join("\n"), stderr: err.join("\n") };
}

function write(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), "check-")), "gateway.yaml");
  writeFileSync(file, text);
  return file;
}

const FINE = `version: 1
servers:
  weather:
    credentials: { key: { bearer: "\${env:KEY}" }, other: { bearer: "\${secret:unset}" } }
    tools:
      get_weather:
        description: Current weather of a city
        request: { method: GET, url: "https://wttr.in/{city}" }
        credential: key
        input: { type: object, properties: { city: { type: string } }, required: [city] }
  resting: { status: paused, tools: {} }
`;

test("check lists servers with their tools, bytes and tokens if all is fine", async () => {
  const { code, stdout, stderr } = await run("check", write(FINE));
  expect(code).toBe(0);
  expect(stdout).toMatch(/^weather \(active\): 1 tool, \d+ bytes, about \d+ tokens$/m);
  expect(stdout).toMatch(/^ {2}get_weather {2}\d+ bytes, about \d+ tokens$/m);
  expect(stdout).toMatch(/^resting \(paused\): 0 tools/m);
  expect(stderr).toContain("warning: servers.resting: This server offers nothing");
  expect(stdout + stderr).not.toContain("canary");
});

test("check prints JSON for programs", async () => {
  const { code, stdout } = await run("check", "--json", write(FINE));
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    servers: [{ slug: "weather", tools: [{ name: "get_weather" }] }, { slug: "resting" }],
  });
  const bad = await run("check", "--json", write("version: 1\nservers: []\n"));
  expect(bad.code).toBe(1);
  expect(JSON.parse(bad.stdout)).toMatchObject({ ok: false, problems: [{ line: 2, column: 10, severity: "error" }] });
});

test("check names every mistake with its place, and ends with 1", async () => {
  const file = write(FINE.replace("status: paused", "staus: paused").replace("${env:KEY}", "${env:ABSENT}"));
  const { code, stderr } = await run("check", file);
  expect(code).toBe(1);
  expect(stderr).toContain(`${file}:4:35: error: servers.weather.credentials.key.bearer: \${env:ABSENT} is not set.`);
  expect(stderr).toContain(`${file}:11:14: error: servers.resting.staus: unknown property; did you mean "status"?`);
});

test("check finds mistakes that only building shows", async () => {
  const { code, stderr } = await run("check", write(FINE.replace("{city}", "{town}")));
  expect(code).toBe(1);
  expect(stderr).toMatch(/servers\.weather\.tools\.get_weather: .*town/);
});

test("check says that there is no such file", async () => {
  const { code, stderr } = await run("check", "/nowhere/gateway.yaml");
  expect(code).toBe(1);
  expect(stderr).toBe("/nowhere/gateway.yaml: error: There is no such file.");
});

test("serve refuses a file with mistakes, and says where they are", async () => {
  const { code, stderr } = await run("serve", write("version: 1\nservers: { s: { tols: {} } }\n"), "--port", "0");
  expect(code).toBe(1);
  expect(stderr).toMatch(/gateway\.yaml:2:17: error: servers\.s\.tols: unknown property; did you mean "tools"\?/);
});

test("the command line helps, and names the nearest command", async () => {
  expect((await run()).stdout).toContain("Usage: toolwire-gateway COMMAND");
  expect((await run("--help")).stdout).toMatch(/^ {2}serve {2}serves/m);
  expect((await run("help", "check")).stdout).toContain("Usage: toolwire-gateway check FILE");
  expect((await run("check", "--help")).stdout).toContain("Usage: toolwire-gateway check FILE");
  expect((await run("--version")).stdout).toMatch(/^\d+\.\d+\.\d+/);
  const unknown = await run("chek");
  expect(unknown).toEqual({ code: 2, stdout: "", stderr: 'There is no command "chek". Did you mean "check"?' });
});

test("mistakes in arguments end with 2 and the usage", async () => {
  for (const argv of [
    ["check"],
    ["check", "a", "b"],
    ["check", "--nope", "a"],
    ["serve", write(FINE), "--port", "x"],
  ]) {
    const { code, stderr } = await run(...argv);
    expect([argv.join(" "), code]).toEqual([argv.join(" "), 2]);
    expect(stderr).toContain("Usage: toolwire-gateway");
  }
});
