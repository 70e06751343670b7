import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HostEntry } from "../../src/hosts/host-entry.ts";
import { findHost, type Host, HOSTS } from "../../src/hosts/hosts.ts";
import { isHostFile, readHostFile } from "../../src/hosts/read-host-file.ts";
import { writeHostFile } from "../../src/hosts/write-host-file.ts";

function host(id: string): Host {
  const found = findHost(id);
  if (found === undefined) throw new Error(id);
  return found;
}

test("the files of each application are where its documentation says", () => {
  const home = (file: string): object => ({ linux: file, macos: file, windows: file });
  const folders = (linux: string, rest: string): object => ({
    linux: `~/.config/${linux}`,
    macos: `~/Library/Application Support/${rest}`,
    windows: `%APPDATA%/${rest}`,
  });
  const places = HOSTS.map(({ id, title, member, projectFile, userFile }) => [
    [id, title, member],
    [projectFile, userFile],
  ]);
  expect(places).toEqual([
    [
      ["claude-desktop", "Claude Desktop", "mcpServers"],
      [undefined, folders("Claude/claude_desktop_config.json", "Claude/claude_desktop_config.json")],
    ],
    [
      ["claude-code", "Claude Code", "mcpServers"],
      [".mcp.json", home("~/.claude.json")],
    ],
    [
      ["cursor", "Cursor", "mcpServers"],
      [".cursor/mcp.json", home("~/.cursor/mcp.json")],
    ],
    [
      ["vscode", "VS Code", "servers"],
      [".vscode/mcp.json", folders("Code/User/mcp.json", "Code/User/mcp.json")],
    ],
    [
      ["windsurf", "Windsurf", "mcpServers"],
      [undefined, home("~/.codeium/windsurf/mcp_config.json")],
    ],
  ]);
});

test.each([
  ["claude-desktop", "none", false, "none"],
  ["claude-code", "url", true, "plain"],
  ["cursor", "url", false, "env"],
  ["vscode", "url", true, "input"],
  ["windsurf", "serverUrl", false, "env"],
])(
  "an entry of %s writes addresses as %s, with a type: %s, and variables as %s",
  (id, address, namesType, variables) => {
    expect(findHost(id)).toMatchObject({ address, namesType, variables });
  },
);

describe("reading an application's file", () => {
  test("reads programs and addresses of Claude, with variables in either spelling", () => {
    const { entries, notes } = readHostFile(`{
      "mcpServers": {
        "files": { "command": "npx", "args": ["-y", "server-files", "\${ROOT}"], "env": { "TOKEN": "\${TOKEN}", "PORT": 1 } },
        "docs": { "type": "http", "url": "https://docs.example.com/mcp", "headers": { "Authorization": "Bearer \${env:DOCS}" } }
      }
    }`);
    expect(notes).toEqual([]);
    expect(entries).toEqual([
      {
        name: "files",
        command: "npx",
        args: ["-y", "server-files", "${env:ROOT}"],
        env: { TOKEN: "${env:TOKEN}", PORT: "1" },
      },
      { name: "docs", url: "https://docs.example.com/mcp", headers: { Authorization: "Bearer ${env:DOCS}" } },
    ]);
  });

  test("reads VS Code's file with comments, commas at ends and inputs", () => {
    const { entries, inputs, notes } = readHostFile(`\uFEFF{
      // Servers of this project.
      "servers": { "api": { "type": "stdio", "command": "node", "args": ["s.js"], "env": { "KEY": "\${input:api-key}" }, } },
      "inputs": [{ "type": "promptString", "id": "api-key", "description": "Key", "password": true }, {}],
    }`);
    expect(entries).toEqual([{ name: "api", command: "node", args: ["s.js"], env: { KEY: "${input:api-key}" } }]);
    expect(inputs).toEqual({ "api-key": { isSecret: true, description: "Key" } });
    expect(notes).toEqual(["`inputs` has an entry without an id, which was left out."]);
  });

  test("reads the addresses of Windsurf", () => {
    expect(readHostFile('{"mcpServers":{"a":{"serverUrl":"https://a.example.com/mcp"}}}').entries).toEqual([
      { name: "a", url: "https://a.example.com/mcp", headers: {} },
    ]);
  });

  test.each(["http", "streamable-http", "streamableHttp", "streamable_http", "ws", "websocket", 7, undefined])(
    "takes an address of the type %j without a remark",
    (type) => {
      const { entries, notes } = readHostFile(
        JSON.stringify({ mcpServers: { a: { url: "https://a.example/", type } } }),
      );
      expect(entries).toHaveLength(1);
      expect(notes).toEqual([]);
    },
  );

  test("remarks on the type of an address that nobody knows, and on one of the past", () => {
    const notesOf = (type: string): readonly string[] =>
      readHostFile(JSON.stringify({ mcpServers: { a: { url: "https://a.example/", type } } })).notes;
    expect(notesOf("pigeon")).toEqual([expect.stringContaining('has the unknown type "pigeon".')]);
    expect(notesOf("sse")).toEqual([expect.stringContaining('has the type "sse", which was replaced in 2025')]);
  });

  test("says what it leaves out, without the values of variables", () => {
    const { entries, notes } = readHostFile(`{
      "mcpServers": {
        "a": { "command": "a", "envFile": ".env", "alwaysAllow": [], "disabled": true, "env": { "T": "\${T:-canary}", "O": {} } },
        "b": { "command": 1 },
        "c": { "url": "https://c.example.com/sse", "type": "sse" },
        "d": { "command": "\${workspaceFolder}/d", "args": "x" },
        "e": 1
      },
      "projects": { "/home/ada/notes": { "mcpServers": { "notes": {} } } }
    }`);
    expect(entries.map(({ name }) => name)).toEqual(["a", "c"]);
    expect(notes).toEqual([
      "a: is disabled in this file.",
      "a: `envFile`, `alwaysAllow` was left out.",
      "a: `T` has a default, which was left out: set the variable.",
      "a: `env.O` is no text, so it was left out.",
      "b: has neither a `command` nor a `url`, so it was left out.",
      'c: has the type "sse", which was replaced in 2025. Its address is called with plain HTTP.',
      "d: has `args` that are no list of texts, so it was left out.",
      "e: is no object, so it was left out.",
      "The servers of the project /home/ada/notes were left out: notes.",
    ]);
    expect(notes.join("\n")).not.toContain("canary");
  });

  test.each([
    ['{\n"mcpServers": {,}\n}', /not valid JSON: .* in line 2/],
    ["{}", /has no MCP servers/],
    ['{"openapi":"3.1.0","servers":[{"url":"https://example.com"}]}', /has no MCP servers/],
  ])("refuses %j and says why", (text, reason) => {
    expect(() => readHostFile(text)).toThrow(reason);
  });

  test("tells an application's file from an OpenAPI document and from YAML", () => {
    expect(isHostFile('{"mcpServers":{}}')).toBe(true);
    expect(isHostFile('{"openapi":"3.1.0","servers":[{"url":"https://example.com"}]}')).toBe(false);
    expect(isHostFile("openapi: 3.1.0\nservers:\n  - url: https://example.com\n")).toBe(false);
  });
});

describe("writing an application's file", () => {
  const endpoint: HostEntry = {
    name: "weather",
    url: "http://127.0.0.1:8080/mcp/weather",
    headers: { Authorization: "Bearer ${env:KEY}" },
  };

  test("keeps comments, other members and the indentation of a file", () => {
    const { text, replaced } = writeHostFile(
      host("cursor"),
      [endpoint],
      '{\n\t// mine\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"weather": { "url": "https://old.example.com" }, // old\n\t\t"b": { "command": "b" }\n\t}\n}\n',
    );
    expect(replaced).toEqual(["weather"]);
    expect(text).toContain('\t// mine\n\t"theme": "dark",\n');
    expect(text).toContain('"b": { "command": "b" }');
    expect(text).toContain("// old");
    expect(text).toContain('\n\t\t\t"url": "http://127.0.0.1:8080/mcp/weather"');
    expect(text).not.toContain("old.example.com");
  });

  test("lets VS Code ask for the variables of headers, once", () => {
    const first = writeHostFile(host("vscode"), [endpoint]);
    const { text } = writeHostFile(host("vscode"), [{ ...endpoint, name: "again" }], first.text);
    expect(JSON.parse(text)).toEqual({
      servers: {
        weather: { type: "http", url: endpoint.url, headers: { Authorization: "Bearer ${input:KEY}" } },
        again: { type: "http", url: endpoint.url, headers: { Authorization: "Bearer ${input:KEY}" } },
      },
      inputs: [{ type: "promptString", id: "KEY", description: "KEY", password: true }],
    });
  });

  test("starts a bridge for Claude Desktop, and keeps values of headers out of its arguments", () => {
    const { text } = writeHostFile(host("claude-desktop"), [
      endpoint,
      { name: "far", url: "http://10.0.0.1/mcp", headers: {} },
    ]);
    expect(JSON.parse(text)).toEqual({
      mcpServers: {
        weather: {
          command: "npx",
          args: ["-y", "mcp-remote", endpoint.url, "--header", "Authorization:${HEADER_AUTHORIZATION}"],
          env: { HEADER_AUTHORIZATION: "Bearer <KEY>" },
        },
        far: { command: "npx", args: ["-y", "mcp-remote", "http://10.0.0.1/mcp", "--allow-http"] },
      },
    });
  });

  test.each(["{", "[]", '{"mcpServers": }'])("leaves a file alone that it does not understand: %j", (text) => {
    expect(() => writeHostFile(host("cursor"), [endpoint], text)).toThrow("The file was not changed");
  });

  test("whatever is written for an application is read again as it was", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 12 }).filter((each) => !each.includes("${"));
    const reference = fc.constantFrom("${env:NAME}", "${env:_A1}");
    const texts = fc.dictionary(
      text.filter((each) => each !== "__proto__"),
      fc.oneof(text, reference),
      { maxKeys: 3 },
    );
    const name = text.filter((each) => each !== "__proto__");
    const command = fc.record({ name, command: text, args: fc.array(text, { maxLength: 3 }), env: texts });
    const address = fc.record({ name, url: fc.webUrl(), headers: texts });
    const hosts = HOSTS.filter(({ address: form, variables }) => form !== "none" && variables !== "input");
    fc.assert(
      fc.property(
        fc.constantFrom(...hosts),
        fc.uniqueArray(fc.oneof(command, address), { selector: (entry) => entry.name, maxLength: 4 }),
        (application, entries) => {
          const { text: written } = writeHostFile(application, entries, "// kept\n{}\n");
          expect(written.startsWith("// kept\n")).toBe(true);
          const read = readHostFile(entries.length === 0 ? '{"mcpServers":{}}' : written);
          const sort = (list: readonly HostEntry[]): unknown =>
            Object.fromEntries(list.map((each) => [each.name, each]));
          expect(sort(read.entries)).toEqual(sort(entries));
          expect(read.notes).toEqual([]);
        },
      ),
    );
  });
});
