import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type Ran, runVerb } from "./run-verb.ts";

const CANARY = "ghp_canary0123456789abcdef";

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hosts-verbs-"));
  file = join(folder, "gateway.yaml");
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

/** Runs `check` on the file, with these variables. */
const check = (env: object = {}): Promise<Ran> =>
  runVerb(["check", file, "--json"], { env: env as { [name: string]: string } });

const YAML = `# Kept.
version: 1 # and this
analytics: { store: memory }
servers:
  # The weather.
  weather:
    tools: { get: { description: "d", request: { method: GET, url: "https://wttr.in/{city}" }, input: { type: object, properties: { city: { type: string } } } } }
`;

const CLAUDE = JSON.stringify({
  mcpServers: {
    "My Files": {
      command: "npx",
      args: ["-y", "server-files", "--api-key", CANARY],
      env: { ROOT: "./shared", GITHUB_TOKEN: CANARY },
    },
    docs: {
      url: "http://localhost:9/mcp?key=abcdef123",
      headers: { Authorization: `Bearer ${CANARY}`, "X-Team": "blue" },
      timeout: 5,
    },
  },
});

describe("import", () => {
  test("makes a server of each entry of an application's file, without its credentials, and says what is to do", async () => {
    const { code, printed, told } = await runVerb(["import", await write("claude.json", CLAUDE)]);
    expect(code).toBe(0);
    expect(parse(printed)).toEqual({
      version: 1,
      servers: {
        "my-files": {
          upstreams: {
            "my-files": {
              command: "npx",
              args: ["-y", "server-files", "--api-key", CANARY],
              env: { ROOT: "./shared", GITHUB_TOKEN: "${env:GITHUB_TOKEN}" },
            },
          },
        },
        docs: {
          upstreams: {
            docs: {
              url: "http://localhost:9/mcp?key=${env:DOCS_KEY}",
              headers: { Authorization: "Bearer ${env:DOCS_AUTHORIZATION}", "X-Team": "blue" },
            },
          },
          network: { allow: ["localhost"] },
        },
      },
    });
    expect(told.split("\n")).toEqual([
      "docs: `timeout` was left out.",
      "My Files is at /mcp/my-files.",
      "My Files: an argument looks like a credential, and stays in the file as it is.",
      "docs is at /mcp/docs.",
      "docs: network.allow names localhost, which is private.",
      "Set the variable GITHUB_TOKEN before the gateway starts. Its value is not in the configuration.",
      "Set the variable DOCS_KEY before the gateway starts. Its value is not in the configuration.",
      "Set the variable DOCS_AUTHORIZATION before the gateway starts. Its value is not in the configuration.",
    ]);
  });

  test("writes into a configuration, which keeps its comments and works with the variables", async () => {
    await writeFile(file, YAML);
    const claude = await write("claude.json", CLAUDE);
    const { code, told } = await runVerb(["import", claude, "--into", file]);
    expect(code).toBe(0);
    expect(told).not.toContain(CANARY);
    const text = await readFile(file, "utf8");
    expect(text.startsWith(YAML)).toBe(true);
    const env = { GITHUB_TOKEN: "a", DOCS_KEY: "b", DOCS_AUTHORIZATION: "c" };
    expect(JSON.parse((await check(env)).printed)).toMatchObject({
      servers: [{ slug: "weather" }, { slug: "my-files" }, { slug: "docs" }],
    });
    // A second time would change what is there.
    const again = await runVerb(["import", claude, "--into", file]);
    expect(again).toMatchObject({ code: 1, told: expect.stringContaining("there is a server my-files already") });
    expect(await readFile(file, "utf8")).toBe(text);
    await expect(runVerb(["import", claude, "--into", file, "--force"])).resolves.toMatchObject({ code: 0 });
  });

  test("puts all entries into one server if it is told to, with names in front of their tools", async () => {
    const vscode = await write(
      "mcp.json",
      `{ // mine
        "servers": { "a": { "type": "stdio", "command": "a", "env": { "K": "\${input:my-key}" } }, "b c": { "type": "http", "url": "https://b.example.com" } },
        "inputs": [{ "id": "my-key", "type": "promptString", "password": true }] }`,
    );
    const { printed, told } = await runVerb(["import", vscode, "--server", "work"]);
    expect(parse(printed)).toMatchObject({
      servers: {
        work: {
          upstreams: {
            a: { env: { K: "${env:MY_KEY}" }, prefix: "a" },
            "b-c": { url: "https://b.example.com", prefix: "b_c" },
          },
        },
      },
    });
    expect(told).toContain("Set the variable MY_KEY");
  });

  test("still takes OpenAPI documents, and writes them into a configuration", async () => {
    await writeFile(file, YAML);
    const document = await write(
      "pets.yaml",
      'openapi: 3.1.0\ninfo: { title: Pets, version: "1" }\nservers: [{ url: https://pets.example.com }]\npaths: { /pets: { get: { operationId: list_pets, responses: { "200": { description: ok } } } } }\n',
    );
    expect((await runVerb(["import", document])).printed).toContain("pets:");
    await expect(runVerb(["import", document, "--into", file])).resolves.toMatchObject({ code: 0 });
    expect((await readFile(file, "utf8")).startsWith(YAML)).toBe(true);
    expect(JSON.parse((await check()).printed).servers.map(({ slug }: { slug: string }) => slug)).toEqual([
      "weather",
      "pets",
    ]);
    await expect(runVerb(["import", document, "--into", file])).resolves.toMatchObject({ code: 1 });
    await expect(runVerb(["import", document, "--server", "x"])).resolves.toMatchObject({ code: 2 });
  });
});

describe("add", () => {
  test("adds a command, an address and an entry of an application's file", async () => {
    await writeFile(file, YAML);
    const claude = await write("claude.json", CLAUDE);
    const add = (...argv: string[]): Promise<Ran> => runVerb(["add", "--file", file, ...argv]);
    await expect(add("fs", "--env", `TOKEN=${CANARY}`, "--", "npx", "-y", "fs", "--help")).resolves.toMatchObject({
      code: 0,
    });
    await expect(
      add("wiki", "--url", "https://wiki.example.com/mcp", "--header", `X-Api-Key=${CANARY}`),
    ).resolves.toMatchObject({ code: 0 });
    await expect(add("docs", "--from", claude)).resolves.toMatchObject({ code: 0 });
    await expect(add("more", "--server", "wiki", "--", "more")).resolves.toMatchObject({ code: 0 });
    const text = await readFile(file, "utf8");
    expect(text.startsWith(YAML)).toBe(true);
    expect(text).not.toContain(CANARY);
    expect(parse(text).servers).toMatchObject({
      fs: { upstreams: { fs: { command: "npx", args: ["-y", "fs", "--help"], env: { TOKEN: "${env:TOKEN}" } } } },
      wiki: {
        upstreams: {
          wiki: { url: "https://wiki.example.com/mcp", headers: { "X-Api-Key": "${env:WIKI_X_API_KEY}" } },
          more: { command: "more", prefix: "more" },
        },
      },
      docs: { network: { allow: ["localhost"] } },
    });
    const env = { TOKEN: "a", WIKI_X_API_KEY: "b", DOCS_KEY: "c", DOCS_AUTHORIZATION: "d" };
    expect(await check(env)).toMatchObject({ code: 0 });
  });

  test("makes a configuration if there is none", async () => {
    await runVerb(["add", "--file", file, "fs", "--", "npx", "fs"]);
    expect(parse(await readFile(file, "utf8"))).toEqual({
      version: 1,
      servers: { fs: { upstreams: { fs: { command: "npx", args: ["fs"] } } } },
    });
    expect(await check()).toMatchObject({ code: 0 });
  });

  test.each([
    [["fs"], 2, "Say what to add"],
    [["fs", "--url", "https://a.example.com", "--", "fs"], 2, "Say what to add"],
    [["fs", "--url", "localhost:1"], 2, "--url must begin with"],
    [["fs", "--env", CANARY, "--", "fs"], 2, "--env must be NAME=VALUE"],
    [["doc", "--from", "CLAUDE"], 1, 'has no server "doc". Did you mean "docs"?'],
    [["weather", "--", "x"], 1, "there is a server weather already"],
  ])("refuses %j and changes nothing", async (argv, code, reason) => {
    await writeFile(file, YAML);
    const claude = await write("claude.json", CLAUDE);
    const ran = await runVerb(["add", "--file", file, ...argv.map((each) => (each === "CLAUDE" ? claude : each))]);
    expect(ran).toMatchObject({ code, told: expect.stringContaining(reason) });
    expect(ran.told).not.toContain(CANARY);
    expect(await readFile(file, "utf8")).toBe(YAML);
  });

  test.each(["- a\n", "servers: 1\n", "a: [\n"])("leaves a file alone that is no configuration: %j", async (text) => {
    await writeFile(file, text);
    expect(await runVerb(["add", "--file", file, "fs", "--", "x"])).toMatchObject({
      code: 1,
      told: expect.stringContaining("was not changed"),
    });
    expect(await readFile(file, "utf8")).toBe(text);
  });
});

describe("export", () => {
  const MORE = `${YAML}  work: { auth: { apiKeys: true }, upstreams: { a: { command: a } } }\n`;

  test("prints what an application has in its file, and refers to keys", async () => {
    await writeFile(file, MORE);
    const { code, printed } = await runVerb(["export", "--for", "claude-code", "--file", file]);
    expect(code).toBe(0);
    expect(JSON.parse(printed)).toEqual({
      mcpServers: {
        weather: { type: "http", url: "http://127.0.0.1:8080/mcp/weather" },
        work: {
          type: "http",
          url: "http://127.0.0.1:8080/mcp/work",
          headers: { Authorization: "Bearer ${TOOLWIRE_KEY}" },
        },
      },
    });
    const one = await runVerb([
      "export",
      "weather",
      "--for",
      "vscode",
      "--file",
      file,
      "--url",
      "https://mcp.example.com/",
    ]);
    expect(JSON.parse(one.printed)).toEqual({
      servers: { weather: { type: "http", url: "https://mcp.example.com/mcp/weather" } },
    });
  });

  test("writes to the file of the user, keeps what is in it, its mode, and the old one", async () => {
    await writeFile(file, MORE);
    const cursor = join(folder, ".cursor", "mcp.json");
    const argv = ["export", "--for", "cursor", "--file", file, "--write", "--user"];
    const env = { HOME: folder };
    await expect(runVerb(argv, { env })).resolves.toMatchObject({ code: 0 });
    const before = '{\n  // mine\n  "mcpServers": { "weather": { "url": "https://old.example.com" } }\n}\n';
    await writeFile(cursor, before);
    const { told } = await runVerb(argv, { env });
    expect(told).toContain(`Replaced: weather. The old file is ${cursor}.bak.`);
    const text = await readFile(cursor, "utf8");
    expect(text).toContain("// mine");
    expect(text).toContain("${env:TOOLWIRE_KEY}");
    expect(await readFile(`${cursor}.bak`, "utf8")).toBe(before);
    if (process.platform !== "win32") expect((await stat(cursor)).mode & 0o777).toBe(0o600);
  });

  test.each([
    [[], 2, "--for claude-desktop"],
    [["--for", "emacs"], 2, "--for must be one of"],
    [["--for", "cursor", "wether"], 1, 'There is no server "wether". Did you mean "weather"?'],
    [["--for", "cursor", "--url", "x"], 2, "--url must begin with"],
    [["--for", "cursor", "--key-env", "a b"], 2, "--key-env must be"],
  ])("refuses %j", async (argv, code, reason) => {
    await writeFile(file, MORE);
    expect(await runVerb(["export", "--file", file, ...argv])).toMatchObject({
      code,
      told: expect.stringContaining(reason),
    });
  });

  test("what was exported for an application is imported as the upstreams that it is", async () => {
    await writeFile(file, MORE);
    for (const application of ["claude-code", "cursor", "vscode", "windsurf"]) {
      const exported = await write(
        "exported.json",
        (await runVerb(["export", "--for", application, "--file", file])).printed,
      );
      const { printed } = await runVerb(["import", exported]);
      expect(parse(printed).servers.work.upstreams.work).toEqual({
        url: "http://127.0.0.1:8080/mcp/work",
        headers: { Authorization: "Bearer ${env:TOOLWIRE_KEY}" },
      });
    }
  });
});
