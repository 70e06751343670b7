/** client/elicitation, client/sampling and client/roots of 2025-11-25: servers send requests, and wait for the answer. */
import { RpcError, type RequestMessage } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createServer, tool, type Context } from "../../../src/index.ts";
import { defer, LegacyClient, MemoryClient, type Json } from "../../memory-client.ts";

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

  test("the end of a visit can be announced to the client that was asked", async () => {
    const client = await open(() => ({ action: "accept" }));
    await client.callTool("announced");
    expect(client.notifications("notifications/elicitation/complete")).toMatchObject([
      { params: { elicitationId: "e2" } },
    ]);
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

  test("the ids of questions differ, whichever request asks", async () => {
    const client = await open(() => ({ action: "accept", content: { x: "x", name: "x" } }));
    await Promise.all([client.callTool("together"), client.callTool("together"), client.callTool("greet")]);
    const ids = client.received.flatMap((message) => ("method" in message && "id" in message ? [message.id] : []));
    expect(new Set(ids).size).toBe(5);
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
  test.each(["greet", "page", "think", "roots"])("%s yields -32021 if nothing was declared", async (name) => {
    const client = await LegacyClient.open(server);
    await expect(client.callTool(name)).rejects.toMatchObject({ code: -32021 });
    await expect(new MemoryClient(server, "2025-11-25").request("tools/call", { name })).rejects.toMatchObject({
      code: -32021,
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
    client.notify("notifications/cancelled", { requestId: id });
    expect((await client.notification("notifications/cancelled")).params.requestId).toBe(question.id);
  });
});
