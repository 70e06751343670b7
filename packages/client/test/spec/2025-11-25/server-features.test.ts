/** server/* of 2025-11-25, as far as it asks something of clients: tools, prompts, completion, logging, pagination. */
import { approval, retry } from "@toolwire/client";
import { TransportError, type LogMessageParams } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { legacyServer, SILENCE, type Script } from "../../scripted-server.ts";
import { connected, connectedInTurn } from "./connected.ts";

const inputSchema = { type: "object" };

describe("tools", () => {
  const listed: Script = {
    "tools/list": {
      tools: [
        {
          name: "weather",
          inputSchema,
          outputSchema: { type: "object", properties: { degrees: { type: "number" } }, required: ["degrees"] },
        },
      ],
    },
  };

  test.each([{ structuredContent: { degrees: "warm" } }, { structuredContent: {} }, {}])(
    "structured results SHOULD be validated against the output schema: %j is not passed on",
    async (result) => {
      const { client } = await connected({ ...listed, "tools/call": { content: [], ...result } });
      await client.listTools();
      await expect(client.callTool("weather")).rejects.toMatchObject({
        code: "INVALID_RESULT",
        message: expect.stringContaining("structuredContent") as string,
      });
    },
  );

  test("execution errors SHOULD be provided to the model: they are results, whatever the output schema says", async () => {
    const result = { content: [{ type: "text", text: "No such city; try Oslo." }], isError: true };
    const { client } = await connected({ ...listed, "tools/call": result });
    await client.listTools();
    expect(await client.callTool("weather")).toStrictEqual(result);
  });

  test.each([
    [{ content: "text" }, "`content` must be an array"],
    [{ content: [null] }, "`content[0]` must be an object"],
    [{ content: [{ text: "?" }] }, "`content[0].type` must be a string"],
  ])("results SHOULD be validated before they reach the model: %j is not passed on", async (result, problem) => {
    const { client } = await connected({ "tools/call": result });
    await expect(client.callTool("t")).rejects.toMatchObject({
      code: "INVALID_RESULT",
      message: expect.stringContaining(problem) as string,
    });
  });

  test("annotations MUST be considered untrusted: approval is asked for all the same, and nothing is sent twice", async () => {
    const annotations = { readOnlyHint: true, idempotentHint: true, destructiveHint: false };
    const asked: string[] = [];
    const servers = [1, 2].map(() =>
      legacyServer({
        "tools/list": { tools: [{ name: "remove", inputSchema, annotations }] },
        "tools/call": (_, __, self) => {
          self.break(new TransportError("CONNECTION_LOST", "gone"));
          return SILENCE;
        },
      }),
    );
    const client = await connectedInTurn(servers, {
      middleware: [approval(({ name }) => asked.push(name) > 0), retry({ delay: 1 })],
    });
    await expect(client.callTool("remove")).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    await client.ping();
    expect(asked).toStrictEqual(["remove"]);
    expect(servers.map((server) => server.requests("tools/call").length)).toStrictEqual([1, 0]);
  });

  test("names SHOULD be case-sensitive", async () => {
    const outputSchema = { type: "object", required: ["a"] };
    const { server, client } = await connected({
      "tools/list": { tools: [{ name: "Weather", inputSchema, outputSchema }] },
      "tools/call": { content: [], structuredContent: {} },
    });
    await client.listTools();
    await expect(client.callTool("Weather")).rejects.toMatchObject({ code: "INVALID_RESULT" });
    await expect(client.callTool("weather")).resolves.toBeDefined();
    expect(server.requests("tools/call").map(({ params }) => params)).toMatchObject([
      { name: "Weather" },
      { name: "weather" },
    ]);
  });
});

describe("prompts", () => {
  test.each([
    [{}, "`messages` must be an array"],
    [{ messages: [{ content: { type: "text", text: "?" } }] }, "`messages[0].role` must be a string"],
    [{ messages: [{ role: "user" }] }, "`messages[0].content` must be an object"],
    [{ messages: [{ role: "user", content: "text" }] }, "`messages[0].content` must be an object"],
  ])("outputs MUST be validated: %j is not passed on", async (result, problem) => {
    const { client } = await connected({ "prompts/get": result });
    await expect(client.getPrompt("p")).rejects.toMatchObject({
      code: "INVALID_RESULT",
      message: expect.stringContaining(problem) as string,
    });
  });
});

describe("completion", () => {
  const ref = { type: "ref/prompt", name: "p" } as const;

  test.each([{ values: [] }, { values: ["a"], hasMore: true }, { values: ["a"], total: 7 }])(
    "missing and partial results SHOULD be handled: %j is passed on",
    async (completion) => {
      const { client } = await connected({ "completion/complete": { completion } });
      expect(await client.complete(ref, { name: "x", value: "" })).toStrictEqual({ completion });
    },
  );

  test.each([{}, { completion: null }, { completion: {} }])(
    "missing and partial results SHOULD be handled: %j is an error that says what is missing",
    async (result) => {
      const { client } = await connected({ "completion/complete": result });
      await expect(client.complete(ref, { name: "x", value: "" })).rejects.toMatchObject({
        code: "INVALID_RESULT",
        message: expect.stringContaining("`completion.values`") as string,
      });
    },
  );
});

describe("logging", () => {
  test("data fields SHOULD be validated: what is no log message reaches no listener for them", async () => {
    const heard: LogMessageParams[] = [];
    const { server, client } = await connected({}, { onLog: (message) => heard.push(message) });
    for (const params of [undefined, {}, { data: "no level" }, { level: 5, data: "?" }]) {
      server.notify("notifications/message", params);
    }
    server.notify("notifications/message", { level: "error", logger: "db", data: { deep: [1] } });
    await client.ping();
    expect(heard).toStrictEqual([{ level: "error", logger: "db", data: { deep: [1] } }]);
  });
});

describe("pagination", () => {
  const LISTS = {
    allTools: ["tools/list", "tools", { name: "x", inputSchema }],
    allResources: ["resources/list", "resources", { uri: "a://x", name: "x" }],
    allResourceTemplates: ["resources/templates/list", "resourceTemplates", { uriTemplate: "a://{x}", name: "x" }],
    allPrompts: ["prompts/list", "prompts", { name: "x" }],
  } as const;

  /** Cursors that no parser, trimming or encoding leaves as they are. */
  const CURSORS = ["", " eyJwYWdlIjogM30= ", '{"page":3}', "%20\u00e9\n"];

  /** Pages of different sizes, the first of them empty. */
  function pagesOf(kind: keyof typeof LISTS): Script {
    const [method, field, item] = LISTS[kind];
    return {
      [method]: ({ cursor }: { cursor?: string }) => {
        const page = cursor === undefined ? 0 : CURSORS.indexOf(cursor) + 1;
        const items = Array.from({ length: page * 2 }, (_, index) => ({ ...item, name: `${page}.${index}` }));
        return { [field]: items, ...(page < CURSORS.length && { nextCursor: CURSORS[page] }) };
      },
    };
  }

  test.each(Object.keys(LISTS) as (keyof typeof LISTS)[])(
    "%s: a fixed page size MUST NOT be assumed, cursors MUST be opaque, and a missing one SHOULD be the end",
    async (kind) => {
      const { server, client } = await connected(pagesOf(kind));
      let count = 0;
      for await (const item of client[kind]()) count += item.name === "" ? 0 : 1;
      expect(count).toBe(2 + 4 + 6 + 8);
      const cursors = server.requests(LISTS[kind][0]).map(({ params }) => (params as { cursor?: string }).cursor);
      expect(cursors).toStrictEqual([undefined, ...CURSORS]);
    },
  );

  test("lists without pages SHOULD be supported as well", async () => {
    const { server, client } = await connected({ "prompts/list": { prompts: [{ name: "only" }] } });
    const names: string[] = [];
    for await (const { name } of client.allPrompts()) names.push(name);
    expect(names).toStrictEqual(["only"]);
    expect(server.requests("prompts/list")).toHaveLength(1);
  });

  test("cursors MUST NOT be kept for another session: a list begins anew there", async () => {
    const servers = [legacyServer(pagesOf("allPrompts")), legacyServer(pagesOf("allPrompts"))];
    const client = await connectedInTurn(servers);
    await client.listPrompts();
    await client.listPrompts({ cursor: CURSORS[0] });
    servers[0]!.break(new Error("gone"));
    await client.listPrompts();
    expect(servers[1]!.requests("prompts/list").map(({ params }) => params)).toStrictEqual([{}]);
  });
});
