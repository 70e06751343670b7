import { connect } from "@toolwire/client";
import { createServer, jsonSchema, type ToolDefinition } from "@toolwire/server";
import { serveInMemory } from "@toolwire/server/memory";
import { searchTools } from "@toolwire/server/search";
import { describe, expect, it } from "vitest";
import { httpTool } from "../../src/tool/http-tool.ts";

async function serve(tools: { readonly [name: string]: ToolDefinition }) {
  return connect(serveInMemory(createServer({ name: "search", version: "1.0.0", tools: { ...searchTools(tools) } })));
}

async function textOf(result: Promise<{ content: readonly object[] }>): Promise<string> {
  const [block] = (await result).content as { text: string }[];
  return block!.text;
}

describe("search mode over HTTP tools", () => {
  it("finds no tool by the words of its URL, in which a secret may be, and shows nothing of its request", async () => {
    const url = "https://hooks.example.com/services/hunter2secret/{channel}";
    const input = jsonSchema<{ channel: string }>({ type: "object", properties: { channel: { type: "string" } } });
    await using client = await serve({
      notify: httpTool({ description: "Tells a channel", method: "POST", url, input }),
    });
    for (const query of ["hunter2secret", "hunter", "services hooks"]) {
      expect(await textOf(client.callTool("search_tools", { query }))).toMatch(/^None of 1 tools fits/);
    }
    const found = await textOf(client.callTool("search_tools", { query: "tell the channel" }));
    expect(JSON.parse(found)).toEqual([
      { name: "notify", description: "Tells a channel", arguments: "{ channel?: string }" },
    ]);
    const described = await textOf(client.callTool("describe_tool", { name: "notify" }));
    expect(described).not.toMatch(/hunter2secret|POST|hints/);
  });
});
