import { connect } from "@toolwire/client";
import { createServer, jsonSchema, passOn, reply, tool, type ToolDefinition, ToolError } from "@toolwire/server";
import { serveInMemory } from "@toolwire/server/memory";
import {
  findBy,
  searchTools,
  type SearchToolsOptions,
  type TextEmbedder,
  type ToolProvider,
} from "@toolwire/server/search";
import { serveHttp } from "@toolwire/server/http";
import { describe, expect, it, onTestFinished } from "vitest";

/** Connects a client to a server in search mode. */
async function serve(tools: Parameters<typeof searchTools>[0], options?: SearchToolsOptions) {
  const server = createServer({ name: "search", version: "1.0.0", tools: { ...searchTools(tools, options) } });
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
    expect(found).toEqual([
      { name: "add", title: "Add", description: "Adds two numbers", arguments: "{ a: number, b: number }" },
    ]);
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

  it("says with what it finds how a tool is called, so that it can be called at once", async () => {
    const server = createServer({ name: "search", version: "1.0.0", tools: { ...searchTools(TOOLS) } });
    const listener = await serveHttp(server, { port: 0 });
    onTestFinished(() => listener.close());
    await using client = await connect(listener.url);
    const [found] = JSON.parse(await textOf(client.callTool("search_tools", { query: "sum of two numbers" }))) as {
      name: string;
      arguments: string;
    }[];
    expect(found).toMatchObject({ name: "add", arguments: "{ a: number, b: number }" });
    expect(await textOf(client.callTool("call_tool", { name: "add", arguments: { a: 2, b: 3 } }))).toBe("5");
  });

  it("returns five tools unless the caller wants another number of at most twenty", async () => {
    const tools = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`send_${index}`, tool({ description: "Sends", run: () => "sent" })]),
    );
    await using client = await serve(tools);
    const count = async (limit?: number): Promise<number> =>
      (JSON.parse(await textOf(client.callTool("search_tools", { query: "send", limit }))) as unknown[]).length;
    expect(await count()).toBe(5);
    expect(await count(20)).toBe(20);
    expect(await client.callTool("search_tools", { query: "send", limit: 21 })).toMatchObject({ isError: true });
  });

  it("finds a tool by further words that its author gave, and shows them to nobody", async () => {
    await using client = await serve({
      create_issue: findBy({ keywords: ["defect"] }, tool({ description: "Creates an issue", run: () => "created" })),
      list_issues: tool({ description: "Lists issues", run: () => "none" }),
    });
    const found = await textOf(client.callTool("search_tools", { query: "report a defect" }));
    expect((JSON.parse(found) as { name: string }[])[0]?.name).toBe("create_issue");
    expect(found).not.toContain("defect");
  });
});

describe("a tool that is called by search mode", () => {
  it("is refused to callers without its scopes, before its middleware and its handler run", async () => {
    const ran: string[] = [];
    const tools = {
      erase: tool({
        scopes: ["files:write"],
        middleware: [
          (_call, next) => {
            ran.push("middleware");
            return next();
          },
        ],
        run() {
          ran.push("handler");
          return "erased";
        },
      }),
    };
    const server = createServer({ name: "search", version: "1.0.0", tools: { ...searchTools(tools) } });
    await using reader = await connect(serveInMemory(server, { principal: { id: "ann", scopes: ["files:read"] } }));
    await expect(reader.callTool("call_tool", { name: "erase" })).rejects.toThrow("files:write");
    expect(ran).toEqual([]);
    await using writer = await connect(serveInMemory(server, { principal: { id: "bob", scopes: ["files:write"] } }));
    expect(await textOf(writer.callTool("call_tool", { name: "erase" }))).toBe("erased");
    expect(ran).toEqual(["middleware", "handler"]);
  });

  it("cannot send a result that does not fit its output, unless it passes on what another server gave", async () => {
    const output = jsonSchema<{ size: number }>({
      type: "object",
      properties: { size: { type: "number" } },
      required: ["size"],
    });
    await using client = await serve({
      wrong: tool({ output, run: () => ({ size: "big" }) as never }),
      passed: tool({
        output,
        run: () => passOn({ content: [{ type: "text", text: "big" }], structuredContent: { size: "big" } }),
      }),
    });
    const refused = client.callTool("call_tool", { name: "wrong" });
    const text = await refused.then(JSON.stringify, String);
    expect(text).not.toContain('{"size":"big"}');
    expect(await client.callTool("call_tool", { name: "passed" })).toMatchObject({
      structuredContent: { size: "big" },
    });
  });
});

describe("an embedder", () => {
  /** Knows three subjects, and nothing of words. */
  const SUBJECTS = [/trash|rubbish|bin/i, /picture|image/i, /invoice/i];

  function embedder(more: Partial<TextEmbedder> = {}) {
    const seen: { texts: readonly string[]; kind: string }[] = [];
    return {
      seen,
      embed(texts: readonly string[], kind: "tool" | "question") {
        seen.push({ texts, kind });
        return texts.map((text) => SUBJECTS.map((subject) => (subject.test(text) ? 1 : 0.01)));
      },
      ...more,
    };
  }

  const OFFICE = {
    list_trash: tool({ description: "Lists what was deleted", run: () => "nothing" }),
    render_image: tool({ description: "Draws something", run: () => "drawn" }),
    create_invoice: tool({ description: "Bills a customer", run: () => "billed" }),
  };

  const namesOf = async (result: Promise<{ content: readonly object[] }>): Promise<string[]> =>
    (JSON.parse(await textOf(result)) as { name: string }[]).map(({ name }) => name);

  it("finds a tool that has no word of the question", async () => {
    await using words = await serve(OFFICE);
    expect(await textOf(words.callTool("search_tools", { query: "rubbish" }))).toMatch(/^None of 3 tools fits/);
    await using client = await serve(OFFICE, { embedder: embedder() });
    expect((await namesOf(client.callTool("search_tools", { query: "rubbish" })))[0]).toBe("list_trash");
  });

  it("is asked for the tools once and for each question once, and told which is which", async () => {
    const known = embedder();
    await using client = await serve(OFFICE, { embedder: known });
    await client.callTool("search_tools", { query: "rubbish" });
    await client.callTool("search_tools", { query: "picture" });
    expect(known.seen.map(({ kind, texts }) => [kind, texts.length])).toEqual([
      ["tool", 3],
      ["question", 1],
      ["question", 1],
    ]);
    expect(known.seen[0]!.texts[0]).toBe("list trash. Lists what was deleted");
  });

  it("that fails leaves the words to decide, is named to the client without its message, and is tried again", async () => {
    let calls = 0;
    const failing = embedder({
      embed(texts) {
        calls += 1;
        if (calls === 1) throw new Error("https://embeddings.example.com?key=hunter2");
        return texts.map((text) => SUBJECTS.map((subject) => (subject.test(text) ? 1 : 0)));
      },
    });
    await using client = await serve(OFFICE, { embedder: failing });
    const logged: unknown[] = [];
    const first = client.callTool(
      "search_tools",
      { query: "create invoice" },
      { logLevel: "warning", onLog: (message) => logged.push(message) },
    );
    expect((await namesOf(first))[0]).toBe("create_invoice");
    expect(JSON.stringify(logged)).toContain("embedder failed");
    expect(JSON.stringify(logged)).not.toContain("hunter2");
    expect((await namesOf(client.callTool("search_tools", { query: "rubbish" })))[0]).toBe("list_trash");
  });

  it("that returns another number of vectors than it got texts counts as failed", async () => {
    await using client = await serve(OFFICE, { embedder: { embed: () => [[1, 0, 0]] } });
    expect(await namesOf(client.callTool("search_tools", { query: "invoice" }))).toEqual(["create_invoice"]);
  });
});
