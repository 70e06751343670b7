import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { UrlEntry } from "../../src/hosts/host-entry.ts";
import { quoteArgument } from "../../src/hosts/shell.ts";
import { type Snippet, writeSnippets } from "../../src/hosts/snippets.ts";

const endpoint: UrlEntry = {
  name: "weather",
  url: "http://127.0.0.1:8080/mcp/weather",
  headers: { authorization: "Bearer twk_it's-ünlike" },
};

function snippet(id: Snippet["id"], of: UrlEntry = endpoint): Snippet {
  const found = writeSnippets(of).find((each) => each.id === id);
  if (found === undefined) throw new Error(id);
  return found;
}

/** The arguments that a shell makes of a command. */
function readCommand(command = "", env: { readonly [name: string]: string } = {}): string[] {
  const script = `set -- ${command}\nfor each do printf '%s\\0' "$each"; done`;
  return execFileSync("sh", ["-c", script], { env: { ...process.env, ...env }, encoding: "utf8" })
    .split("\0")
    .slice(0, -1);
}

describe("snippets for an endpoint", () => {
  test("have each application's file, and where it goes", () => {
    expect(JSON.parse(snippet("claude-code").text)).toEqual({
      mcpServers: { weather: { type: "http", url: endpoint.url, headers: endpoint.headers } },
    });
    expect(JSON.parse(snippet("cursor").text)).toEqual({
      mcpServers: { weather: { url: endpoint.url, headers: endpoint.headers } },
    });
    expect(JSON.parse(snippet("windsurf").text)).toEqual({
      mcpServers: { weather: { serverUrl: endpoint.url, headers: endpoint.headers } },
    });
    expect(JSON.parse(snippet("vscode").text)).toEqual({
      servers: { weather: { type: "http", url: endpoint.url, headers: endpoint.headers } },
    });
    expect(snippet("cursor").files).toEqual([".cursor/mcp.json", "~/.cursor/mcp.json"]);
    expect(snippet("claude-desktop").files).toContain("%APPDATA%/Claude/claude_desktop_config.json");
  });

  test("have links that hold the whole entry", () => {
    const cursor = new URL(snippet("cursor").link ?? "");
    expect(cursor.searchParams.get("name")).toBe("weather");
    const config = Buffer.from(cursor.searchParams.get("config") ?? "", "base64").toString();
    expect(JSON.parse(config)).toEqual({ url: endpoint.url, headers: endpoint.headers });
    const [start, vscode = ""] = (snippet("vscode").link ?? "").split("?");
    expect(start).toBe("vscode:mcp/install");
    expect(JSON.parse(decodeURIComponent(vscode))).toEqual({
      name: "weather",
      type: "http",
      url: endpoint.url,
      headers: endpoint.headers,
    });
  });

  test.skipIf(process.platform === "win32")("have commands that a shell reads as they are meant", () => {
    const header = "authorization: Bearer twk_it's-ünlike";
    expect(readCommand(snippet("claude-code").command)).toEqual([
      "claude",
      "mcp",
      "add",
      "--transport",
      "http",
      "weather",
      endpoint.url,
      "--header",
      header,
    ]);
    expect(readCommand(snippet("inspector").text)).toEqual([
      "npx",
      "@modelcontextprotocol/inspector",
      "--transport",
      "http",
      "--server-url",
      endpoint.url,
      "--header",
      header,
    ]);
    const [program, option, json = ""] = readCommand(snippet("vscode").command);
    expect([program, option]).toEqual(["code", "--add-mcp"]);
    expect(JSON.parse(json)).toMatchObject({ name: "weather", headers: endpoint.headers });
    const curl = readCommand(snippet("curl").text);
    expect(curl.slice(0, -1)).toEqual([
      "curl",
      endpoint.url,
      "--header",
      "content-type: application/json",
      "--header",
      header,
      "--data",
    ]);
    expect(JSON.parse(curl.at(-1) ?? "")).toEqual({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  });

  test.skipIf(process.platform === "win32")(
    "leave variables to the shell, to the process and to the application",
    () => {
      const secret = { ...endpoint, headers: { authorization: 'Bearer ${env:MY_KEY} "$x" `y` \\ !z' } };
      const filled = 'authorization: Bearer val"ue "$x" `y` \\ !z';
      expect(readCommand(snippet("curl", secret).text, { MY_KEY: 'val"ue' })).toContain(filled);
      expect(snippet("client", secret).text).toContain('`Bearer ${process.env["MY_KEY"]} "\\$x"');
      expect(JSON.parse(snippet("vscode", secret).text)).toMatchObject({
        inputs: [{ type: "promptString", id: "MY_KEY", password: true }],
      });
      expect(snippet("claude-code", secret).text).toContain("${MY_KEY}");
    },
  );

  test("are without headers if the endpoint needs none", () => {
    for (const each of writeSnippets({ ...endpoint, headers: {} })) {
      expect(`${each.text}${each.command ?? ""}${each.link ?? ""}`).not.toMatch(/headers|authorization/i);
    }
  });
});

test.skipIf(process.platform === "win32")("a shell reads every quoted argument as the text that was quoted", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "binary" }).map((text) => text.replaceAll(/[\0\uD800-\uDFFF]/g, ""))),
      (texts) => {
        const plain = texts.map((text) => text.replaceAll("${", "$"));
        expect(readCommand(plain.map(quoteArgument).join(" "))).toEqual(plain);
      },
    ),
    { numRuns: 40 },
  );
});
