/** client/elicitation, client/sampling and client/roots of 2025-11-25: servers send requests, and wait for the answer. */
import { ErrorCode, RpcError, type RequestMessage } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createServer, tool, type Context } from "../../../src/index.ts";
import { defer, LegacyClient, WireClient, type Json } from "../../wire-client.ts";

const capabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };
const SAMPLED = { role: "assistant", content: { type: "text", text: "Paris" }, model: "m" };

const effects: string[] = [];
const server = createServer({
  name: "asks",
  version: "1",
  onDiagnostic: () => {},
  tools: {
    greet: tool({
      async run(_args, ctx) {
        const paid = await ctx.once("pay", () => effects.push("paid"));
        const { name, tags } = await ctx.elicit("who", {
          message: "Name?",
          schema: z.object({ name: z.string().default("you"), tags: z.array(z.enum(["a", "b"])).default([]) }),
        });
        return `${name} ${tags.join("+")} ${paid}`;
      },
    }),
    page: tool({
      run: async (_args, ctx) =>
        ctx.elicit("p", { message: "Pay", url: "https://example.com/pay", elicitationId: "e1" }),
    }),
    announced: tool({
      async run(_args, ctx) {
        await ctx.elicit("p", { message: "Pay", url: "https://example.com/pay", elicitationId: "e2" });
        await ctx.notify({ method: "notifications/elicitation/complete", params: { elicitationId: "e2" } });
      },
    }),
    maybe: tool({
      run: async (_args, ctx) => JSON.stringify(await ctx.tryElicit("m", { message: "?", schema: z.object({}) })),
    }),
    think: tool({
      run: async (_args, ctx) =>
        JSON.stringify(
          await ctx.sample("s", {
            messages: [
              {
                role: "user",
                content: [
                  { type: "text", text: "a" },
                  { type: "text", text: "b" },
                ],
              },
            ],
            maxTokens: 5,
          }),
        ),
    }),
    think_with_tools: tool({
      run: async (_args, ctx) =>
        (await ctx.sample("s", { messages: [], maxTokens: 1, tools: [{ name: "t", inputSchema: { type: "object" } }] }))
          .model,
    }),
    think_with_context: tool({
      run: async (_args, ctx) =>
        (await ctx.sample("s", { messages: [], maxTokens: 1, includeContext: "allServers" })).model,
    }),
    converse: tool({
      input: z.object({ messages: z.array(z.any()) }),
      run: async ({ messages }, ctx) => (await ctx.sample("s", { messages, maxTokens: 1 })).model,
    }),
    lost: tool({ run: async (_args, ctx) => ctx.elicit("p", { message: "Pay", url: "no url" }) }),
    visit_first: tool({
      run() {
        const elicitations = [{ mode: "url", message: "Pay", url: "https://example.com/pay", elicitationId: "e3" }];
        throw new RpcError(ErrorCode.UrlElicitationRequired, "Pay first", { data: { elicitations } });
      },
    }),
    roots: tool({ run: async (_args, ctx) => (await ctx.roots()).map(({ uri }) => uri).join() }),
    together: tool({
      async run(_args, ctx) {
        const [one, two] = await Promise.all([
          ctx.elicit("a", { message: "A", schema: z.object({ x: z.string() }) }),
          ctx.elicit("b", { message: "B", schema: z.object({ x: z.string() }) }),
        ]);
        return one.x + two.x;
      },
    }),
  },
});

function toMessage([role, parts]: [string, string[]]): object {
  const blocks: { [kind: string]: (id: string | undefined) => object } = {
    text: () => ({ type: "text", text: "hm" }),
    use: (id) => ({ type: "tool_use", id, name: "t", input: {} }),
    result: (toolUseId) => ({ type: "tool_result", toolUseId, content: [] }),
  };
  return {
    role,
    content: parts.map((part) => {
      const [kind = "", id] = part.split(" ");
      return blocks[kind]?.(id);
    }),
  };
}

const open = (
  answer: (request: RequestMessage) => Json,
  revision: "2025-11-25" | "2025-06-18" | "2025-03-26" | "2024-11-05" = "2025-11-25",
): Promise<LegacyClient> => LegacyClient.open(server, { revision, capabilities, answer });

describe("elicitation", () => {
  test("is a request that the client answers; the handler runs once", async () => {
    effects.length = 0;
    const client = await open(() => ({ action: "accept", content: { name: "Al", tags: ["a", "b"] } }));
    expect(await client.callTool("greet")).toMatchObject({ content: [{ text: "Al a+b 1" }] });
    expect(client.received.find((message) => "method" in message && "id" in message)).toMatchObject({
      method: "elicitation/create",
      params: {
        mode: "form",
        message: "Name?",
        requestedSchema: { properties: { name: { type: "string", default: "you" } } },
      },
    });
    expect(effects).toStrictEqual(["paid"]);
  });

  test("in 2025-06-18 forms are simpler, and answers come back as if they were not", async () => {
    const client = await open(({ params }: Json) => {
      expect(params).not.toHaveProperty("mode");
      expect(params.requestedSchema.properties.tags.type).toBe("string");
      return { action: "accept", content: { name: "Al", tags: "a, b" } };
    }, "2025-06-18");
    expect(await client.callTool("greet")).toMatchObject({ content: [{ text: expect.stringMatching(/^Al a\+b/) }] });
  });

  test.each(["2025-03-26", "2024-11-05"] as const)("%s has none", async (revision) => {
    const client = await open(() => ({}), revision);
    await expect(client.callTool("greet")).rejects.toMatchObject({ code: -32021 });
  });

  test("URL mode MUST have an elicitationId in 2025-11-25, and exists in no older revision", async () => {
    const client = await open(() => ({ action: "accept" }));
    await client.callTool("page");
    expect(client.received.find((message) => "method" in message)).toMatchObject({
      params: { mode: "url", message: "Pay", url: "https://example.com/pay", elicitationId: "e1" },
    });
    await expect((await open(() => ({ action: "accept" }), "2025-06-18")).callTool("page")).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    });
  });

  test("the end of a visit MUST only be told to the client that was asked, with the elicitationId", async () => {
    const client = await open(() => ({ action: "accept" }));
    const other = await open(() => ({ action: "accept" }));
    await client.callTool("announced");
    expect(client.notifications("notifications/elicitation/complete")).toMatchObject([
      { params: { elicitationId: "e2" } },
    ]);
    await other.request("ping");
    expect(other.notifications("notifications/elicitation/complete")).toStrictEqual([]);
  });

  test("the url MUST be valid: another one is not sent", async () => {
    const client = await open(() => ({ action: "accept" }));
    expect(await client.callTool("lost")).toMatchObject({ isError: true });
    expect(client.received.filter((message) => "method" in message)).toStrictEqual([]);
  });

  test("a handler that answers -32042 MUST list the visits, and the client gets them as they are", async () => {
    const client = await open(() => ({}));
    await expect(client.callTool("visit_first")).rejects.toMatchObject({
      code: -32042,
      data: { elicitations: [{ mode: "url", url: "https://example.com/pay", elicitationId: "e3" }] },
    });
  });

  test.each(["decline", "cancel"])("%s ends the tool, or is told", async (action) => {
    const client = await open(() => ({ action }));
    expect(await client.callTool("greet")).toMatchObject({ isError: true });
    expect(JSON.parse((await client.callTool("maybe")).content[0].text)).toStrictEqual({ action });
  });

  test.each([{}, { action: "agree" }, { action: "accept", content: { name: 1 } }, { action: "accept", content: [] }])(
    "servers SHOULD validate what they receive: %j is no answer",
    async (answer) => {
      const client = await open(() => answer);
      expect(await client.callTool("greet")).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining("does not fit") }],
      });
    },
  );

  test("an accepted form without content is an empty one", async () => {
    const client = await open(() => ({ action: "accept" }));
    expect(await client.callTool("greet")).toMatchObject({ content: [{ text: expect.stringMatching(/^you /) }] });
  });

  test("several questions can be open at once", async () => {
    const gate = defer();
    const client = await open(async ({ params }: Json) => {
      if (params.message === "A") await gate.promise;
      else gate.resolve();
      return { action: "accept", content: { x: params.message } };
    });
    expect(await client.callTool("together")).toMatchObject({ content: [{ text: "AB" }] });
  });

  test("requests MUST have a string or an integer as id, which MUST NOT have been used in the session", async () => {
    const client = await open(() => ({ action: "accept", content: { x: "x", name: "x" } }));
    await Promise.all([client.callTool("together"), client.callTool("together"), client.callTool("greet")]);
    const ids = client.received.flatMap((message) => ("method" in message && "id" in message ? [message.id] : []));
    expect(new Set(ids).size).toBe(5);
    for (const id of ids) expect(typeof id === "string" || Number.isInteger(id)).toBe(true);
  });
});

describe("sampling and roots", () => {
  test("sampling is a request; what the model says is returned", async () => {
    const client = await open(() => SAMPLED);
    expect(JSON.parse((await client.callTool("think")).content[0].text)).toStrictEqual(SAMPLED);
  });

  test("before 2025-11-25 each message has one block", async () => {
    const client = await open(({ params }: Json) => {
      expect(params.messages.map(({ content }: Json) => content.text)).toStrictEqual(["a", "b"]);
      return SAMPLED;
    }, "2025-06-18");
    expect(await client.callTool("think")).not.toHaveProperty("isError");
  });

  test.each([
    ["results mixed with other content", [["user", ["result a", "text"]]]],
    ["a use without a result", [["assistant", ["use a"]]]],
    [
      "a use with the result of another",
      [
        ["assistant", ["use a", "use b"]],
        ["user", ["result a"]],
      ],
    ],
    [
      "a result that comes too late",
      [
        ["assistant", ["use a"]],
        ["user", ["text"]],
        ["user", ["result a"]],
      ],
    ],
  ] as [string, [string, string[]][]][])(
    "each use of a tool MUST be followed by a message of results alone: %s is not sent",
    async (_what, turns) => {
      const client = await open(() => SAMPLED);
      expect(await client.callTool("converse", { messages: turns.map(toMessage) })).toMatchObject({ isError: true });
      expect(client.received.filter((message) => "method" in message)).toStrictEqual([]);
    },
  );

  test("messages in which uses and results balance are sent", async () => {
    const client = await open(() => SAMPLED);
    const turns: [string, string[]][] = [
      ["user", ["text"]],
      ["assistant", ["text", "use a", "use b"]],
      ["user", ["result b", "result a"]],
      ["user", ["text"]],
    ];
    expect(await client.callTool("converse", { messages: turns.map(toMessage) })).toMatchObject({
      content: [{ text: "m" }],
    });
  });

  test("servers SHOULD handle changes of the roots gracefully: they are asked for anew", async () => {
    let uri = "file:///a";
    const client = await open(() => ({ roots: [{ uri }] }));
    expect(await client.callTool("roots")).toMatchObject({ content: [{ text: "file:///a" }] });
    uri = "file:///b";
    client.notify("notifications/roots/list_changed");
    expect(await client.callTool("roots")).toMatchObject({ content: [{ text: "file:///b" }] });
  });

  test("roots are asked for", async () => {
    const client = await open(() => ({ roots: [{ uri: "file:///a" }, { uri: "file:///b", name: "b" }] }));
    expect(await client.callTool("roots")).toMatchObject({ content: [{ text: "file:///a,file:///b" }] });
  });

  test("a client that answers with an error has not answered, and its error is not ours", async () => {
    const client = await open(() => {
      throw new RpcError(-1, "User rejected sampling request");
    });
    expect(await client.callTool("think")).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("User rejected") }],
    });
  });
});

describe("a client that cannot be asked", () => {
  test.each([
    ["greet", { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    ["page", { elicitation: {} }, { elicitation: { url: {} } }],
    ["page", { elicitation: { form: {} } }, { elicitation: { url: {} } }],
    ["think_with_tools", { sampling: {} }, { sampling: { tools: {} } }],
    ["think_with_context", { sampling: {} }, { sampling: { context: {} } }],
  ])(
    "a request that needs a capability the client has not declared MUST NOT be sent: %s to a client with %j",
    async (name, declared, requiredCapabilities) => {
      const client = await LegacyClient.open(server, { capabilities: declared, answer: () => SAMPLED });
      await expect(client.callTool(name)).rejects.toMatchObject({ code: -32021, data: { requiredCapabilities } });
      expect(client.received.filter((message) => "method" in message)).toStrictEqual([]);
    },
  );

  test.each(["greet", "page", "think", "roots"])("%s yields -32021 if nothing was declared", async (name) => {
    const client = await LegacyClient.open(server);
    await expect(client.callTool(name)).rejects.toMatchObject({ code: -32021 });
  });

  test.each(["greet", "page", "think", "roots"])("%s says that a handshake is missing, if it is", async (name) => {
    const client = new WireClient(server, "2025-11-25");
    await expect(client.request("tools/call", { name })).rejects.toMatchObject({
      code: -32600,
      message: expect.stringContaining("Open one with `initialize`"),
    });
  });

  test("a client that goes away leaves no question behind", async () => {
    const failed = defer<unknown>();
    const leaving = createServer({
      name: "l",
      version: "1",
      onDiagnostic: () => {},
      tools: {
        ask: tool({
          async run(_args, ctx: Context) {
            await ctx.roots().catch(failed.resolve);
          },
        }),
      },
    });
    const client = await LegacyClient.open(leaving, { capabilities, answer: () => new Promise(() => {}) });
    client.start("tools/call", { name: "ask" });
    await client.until(() => client.received.some((message) => "method" in message));
    await client.disconnect();
    expect(await failed.promise).toBeInstanceOf(Error);
  });

  test("cancelling the call cancels the question", async () => {
    const client = await open(() => new Promise(() => {}));
    const { id } = client.start("tools/call", { name: "roots" });
    await client.until(() => client.received.some((message) => "method" in message));
    const question: Json = client.received.at(-1);
    const reason = "The user went home.";
    client.notify("notifications/cancelled", { requestId: id, reason });
    expect((await client.notification("notifications/cancelled")).params).toEqual({ requestId: question.id, reason });
  });
});
