import { connect } from "@toolwire/client";
import { createServer, jsonSchema, reply, tool, type ToolDefinition, ToolError } from "@toolwire/server";
import { serveInMemory } from "@toolwire/server/memory";
import { describe, expect, it } from "vitest";
import { searchTools } from "../../src/search/search-tools.ts";
import { httpTool } from "../../src/tool/http-tool.ts";
import type { ToolProvider } from "../../src/search/tool-provider.ts";

/** Connects a client to a server in search mode. */
async function serve(tools: Parameters<typeof searchTools>[0]) {
  const server = createServer({ name: "search", version: "1.0.0", tools: { ...searchTools(tools) } });
  return connect(serveInMemory(server));
}

async function textOf(result: Promise<{ content: readonly object[] }>): Promise<string> {
  const [block] = (await result).content as { text: string }[];
  return block!.text;
}

const TOOLS: { [name: string]: ToolDefinition } = {
  add: tool({
    title: "Add",
    description: "Adds two numbers",
    input: jsonSchema<{ a: number; b: number }>({
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
      additionalProperties: false,
    }),
    run: ({ a, b }) => `${a + b}`,
  }),
  ping: tool({ description: "Answers", run: () => "pong" }),
  fail: tool({
    description: "Fails",
    run: () => {
      throw new ToolError("It failed");
    },
  }),
  measure: tool({
    description: "Measures",
    output: jsonSchema<{ size: number }>({ type: "object", properties: { size: { type: "number" } } }),
    run: () => reply({ content: "big", structured: { size: 5 } }),
  }),
};

describe("search mode", () => {
  it("lists three tools in the place of all", async () => {
    await using client = await serve(TOOLS);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["search_tools", "describe_tool", "call_tool"]);
  });

  it("finds, describes and calls tools", async () => {
    await using client = await serve(TOOLS);
    const found = JSON.parse(await textOf(client.callTool("search_tools", { query: "add numbers" }))) as object[];
    expect(found).toEqual([{ name: "add", title: "Add", description: "Adds two numbers" }]);
    const described = JSON.parse(await textOf(client.callTool("describe_tool", { name: "add" }))) as object;
    expect(described).toMatchObject({ name: "add", inputSchema: { required: ["a", "b"] } });
    expect(await textOf(client.callTool("call_tool", { name: "add", arguments: { a: 1, b: 2 } }))).toBe("3");
    expect(await textOf(client.callTool("call_tool", { name: "ping" }))).toBe("pong");
    expect(await client.callTool("call_tool", { name: "measure" })).toMatchObject({
      content: [{ type: "text", text: "big" }],
      structuredContent: { size: 5 },
    });
    expect(await textOf(client.callTool("search_tools", { query: "zebra" }))).toBe(
      "None of 4 tools fits. Try other or fewer words.",
    );
  });

  it("validates the arguments of the called tool, and names it in errors", async () => {
    await using client = await serve(TOOLS);
    const refused = await client.callTool("call_tool", { name: "add", arguments: { a: "x" } });
    expect(refused).toMatchObject({ isError: true });
    expect((refused.content[0] as { text: string }).text).toBe(
      'Invalid arguments for tool "add":\n- b: missing required field (number)\n- a: expected number, got string "x"',
    );
    expect(await client.callTool("call_tool", { name: "fail" })).toMatchObject({
      isError: true,
      content: [{ text: "It failed" }],
    });
    expect(await textOf(client.callTool("call_tool", { name: "ad" }))).toBe('Unknown tool: ad. Did you mean "add"?');
    expect(await textOf(client.callTool("describe_tool", { name: "constructor" }))).toMatch(
      /^Unknown tool: constructor\./,
    );
  });

  it("runs the middleware of the called tool around it, as a call of that tool", async () => {
    const seen: unknown[] = [];
    const guarded = tool({
      description: "Guarded",
      input: jsonSchema<{ n: number }>({ type: "object", properties: { n: { type: "number" } }, required: ["n"] }),
      middleware: [
        async ({ params, tool: listed }, next) => {
          seen.push([listed?.name, (params as { name: string }).name]);
          const { arguments: args } = params as { arguments: { n: unknown } };
          if (args.n === "no") throw new ToolError("Refused");
          const result = await next({ ...params, arguments: { n: Number(args.n) } });
          return { ...result, _meta: { "example.com/seen": true } };
        },
      ],
      run: ({ n }) => `${typeof n} ${n}`,
    });
    await using client = await serve({ guarded });
    expect(await client.callTool("call_tool", { name: "guarded", arguments: { n: "5" } })).toMatchObject({
      content: [{ text: "number 5" }],
      _meta: { "example.com/seen": true },
    });
    expect(await client.callTool("call_tool", { name: "guarded", arguments: { n: "no" } })).toMatchObject({
      isError: true,
      content: [{ text: "Refused" }],
    });
    expect(seen).toEqual([
      ["guarded", "guarded"],
      ["guarded", "guarded"],
    ]);
  });

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
    expect(JSON.parse(found)).toEqual([{ name: "notify", description: "Tells a channel" }]);
    const described = await textOf(client.callTool("describe_tool", { name: "notify" }));
    expect(described).not.toMatch(/hunter2secret|POST|hints/);
  });

  it("works over any provider of tools, which may show each caller others", async () => {
    const all = ["one", "two"].map((name) => ({ name, description: name, inputSchema: { type: "object" } }));
    const calls: unknown[] = [];
    const provider: ToolProvider = {
      list: () => Promise.resolve(all.slice(0, 1)),
      call(name, args) {
        calls.push([name, args]);
        return `called ${name}`;
      },
    };
    await using client = await serve(provider);
    expect(await textOf(client.callTool("call_tool", { name: "one", arguments: { a: 1 } }))).toBe("called one");
    expect(await client.callTool("call_tool", { name: "two" })).toMatchObject({ isError: true });
    expect(calls).toEqual([["one", { a: 1 }]]);
  });
});
