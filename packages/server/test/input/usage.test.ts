import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createServer, tool, type Context, type ServerDiagnostic } from "../../src/index.ts";
import { LegacyClient, ModernClient } from "../wire-client.ts";

/** The context as JavaScript has it. */
type Loose = {
  readonly [K in "elicit" | "tryElicit" | "sample" | "roots" | "once"]: (...given: unknown[]) => Promise<unknown>;
};

const schema = z.object({ name: z.string() });
const message = "Who are you?";

const WRONG: readonly (readonly [what: string, ask: (ctx: Loose) => Promise<unknown>, words: RegExp])[] = [
  ["no key", (ctx) => ctx.elicit({ message, schema }), /first argument is a key.*ctx\.elicit\("/],
  ["an empty key", (ctx) => ctx.tryElicit("", { message, schema }), /first argument is a key.*ctx\.elicit\("/],
  ["no question", (ctx) => ctx.elicit("who"), /`message`.*ctx\.elicit\("/],
  ["a question that is just text", (ctx) => ctx.elicit("who", message), /`message`.*ctx\.elicit\("/],
  ["no message", (ctx) => ctx.elicit("who", { schema }), /`message`.*ctx\.elicit\("/],
  ["no schema and no page", (ctx) => ctx.elicit("who", { message }), /`schema` of a form, or the `url`/],
  ["an invalid page", (ctx) => ctx.elicit("who", { message, url: "form" }), /`url` is no URL/],
  [
    "no key for a model",
    (ctx) => ctx.sample({ messages: [], maxTokens: 1 }),
    /first argument is a key.*ctx\.sample\("/,
  ],
  ["no messages for a model", (ctx) => ctx.sample("it", { prompt: "Hello" }), /`messages`.*ctx\.sample\("/],
  ["a key that is no text", (ctx) => ctx.roots({}), /first argument is a key.*ctx\.roots\("/],
  ["work without a key", (ctx) => ctx.once(() => 1), /first argument is a key.*ctx\.once\("/],
  ["invalid work", (ctx) => ctx.once("it", 1), /second argument is a function.*ctx\.once\("/],
];

test("a question without a page is a form, however that is said", async () => {
  const run = async (_args: unknown, ctx: Context): Promise<string> =>
    String(await (ctx as unknown as Loose).elicit("who", { message, schema, url: undefined }));
  const server = createServer({ name: "u", version: "1", tools: { ask: tool({ run }) } });
  const client = new ModernClient(server, { capabilities: { elicitation: { form: {} } } });
  expect(await client.callTool("ask")).toMatchObject({ inputRequests: { who: { params: { mode: "form" } } } });
});

describe("a handler that asks wrongly is told how to ask", () => {
  const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

  test.each(WRONG)("%s", async (_what, ask, words) => {
    const diagnostics: ServerDiagnostic[] = [];
    const server = createServer({
      name: "u",
      version: "1",
      onDiagnostic: (event) => diagnostics.push(event),
      tools: {
        ask: tool({ run: async (_args, ctx: Context) => String(await ask(ctx as unknown as Loose)) }),
      },
    });
    const clients = [new ModernClient(server, { capabilities }), await LegacyClient.open(server, { capabilities })];
    for (const client of clients) {
      expect(await client.callTool("ask")).toMatchObject({ isError: true });
      expect(diagnostics.splice(0)).toMatchObject([
        { error: { code: "INVALID_ARGUMENT", message: expect.stringMatching(words) } },
      ]);
    }
  });
});
