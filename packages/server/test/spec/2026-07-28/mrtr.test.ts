/** basic/patterns/mrtr, client/elicitation, client/sampling and client/roots of 2026-07-28. */
import { MetaKey, type InputRequests, type SamplingMessage } from "@toolwire/protocol";
import { jsonSchema } from "@toolwire/json-schema";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import {
  createServer,
  prompt,
  resource,
  tool,
  type Context,
  type ServerDiagnostic,
  type ServerOptions,
} from "../../../src/index.ts";
import { defer, ModernClient, type Json, type ModernSettings } from "../../wire-client.ts";

const capabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };
const NAME = z.object({ name: z.string().min(1) });
const SAMPLED = { role: "assistant", content: { type: "text", text: "Paris" }, model: "m" };
const accept = (content: object): object => ({ action: "accept", content });

function open(tools: ServerOptions["tools"], settings: ModernSettings & Partial<ServerOptions> = {}): ModernClient {
  const { stateKey, onDiagnostic = () => {}, ...rest } = settings;
  const server = createServer({ name: "asks", version: "1", onDiagnostic, ...(stateKey && { stateKey }), tools });
  return new ModernClient(server, { capabilities, ...rest });
}

/** Answers until the call is complete. */
async function play(
  client: ModernClient,
  name: string,
  answers: (asked: InputRequests) => object,
  args?: object,
): Promise<Json[]> {
  const rounds: Json[] = [await client.callTool(name, args)];
  while (rounds.at(-1).resultType === "input_required" && rounds.length < 10) {
    const { inputRequests = {}, requestState } = rounds.at(-1);
    rounds.push(await client.callTool(name, args, { inputResponses: answers(inputRequests), requestState }));
  }
  return rounds;
}

describe("asking", () => {
  test("an answer that was acted on cannot be changed by a later round", async () => {
    const AMOUNT = z.object({ amount: z.number() });
    const client = open({
      pay: tool({
        async run(_args, ctx) {
          const { amount } = await ctx.elicit("amount", { message: "How much?", schema: AMOUNT });
          const charged = await ctx.once("charge", () => amount);
          await ctx.elicit("confirm", { message: "Sure?", schema: z.object({ yes: z.boolean() }) });
          return `${charged} of ${amount}`;
        },
      }),
    });
    const first = await client.callTool("pay");
    const second = await client.callTool("pay", undefined, {
      requestState: first.requestState,
      inputResponses: { amount: accept({ amount: 10 }) },
    });
    const third = await client.callTool("pay", undefined, {
      requestState: second.requestState,
      inputResponses: { confirm: accept({ yes: true }), amount: accept({ amount: 9999 }) },
    });
    expect(third.content[0].text).toBe("10 of 10");
  });

  test("a question is an interim result, its answer comes with the retry", async () => {
    const client = open({
      greet: tool({
        run: async (_args, ctx) =>
          `Hello, ${(await ctx.elicit("user_name", { message: "Name?", schema: NAME })).name}!`,
      }),
    });
    const first = await client.callTool("greet");
    expect(first).toStrictEqual({
      resultType: "input_required",
      inputRequests: {
        user_name: {
          method: "elicitation/create",
          params: {
            mode: "form",
            message: "Name?",
            requestedSchema: {
              type: "object",
              properties: { name: { type: "string", minLength: 1 } },
              required: ["name"],
            },
          },
        },
      },
      requestState: expect.any(String),
      _meta: expect.anything(),
    });
    const { requestState } = first;
    const second = await client.callTool("greet", undefined, {
      requestState,
      inputResponses: { user_name: accept({ name: "Al" }) },
    });
    expect(second).toMatchObject({ resultType: "complete", content: [{ text: "Hello, Al!" }] });
  });

  test("an answer counts without requestState too: the server keeps nothing", async () => {
    const client = open({
      greet: tool({ run: async (_args, ctx) => (await ctx.elicit("n", { message: "?", schema: NAME })).name }),
    });
    expect(await client.callTool("greet", {}, { inputResponses: { n: accept({ name: "Bo" }) } })).toMatchObject({
      content: [{ text: "Bo" }],
    });
  });

  test("questions that are asked together are sent at once: elicitation, sampling and roots", async () => {
    const client = open({
      all: tool({
        async run(_args, ctx) {
          const [{ name }, said, roots] = await Promise.all([
            ctx.elicit("who", { message: "Name?", schema: NAME }),
            ctx.sample("what", {
              messages: [{ role: "user", content: { type: "text", text: "Capital?" } }],
              maxTokens: 10,
            }),
            ctx.roots(),
          ]);
          return `${name} ${said.model} ${roots[0]?.uri}`;
        },
      }),
    });
    const rounds = await play(client, "all", (asked) => {
      expect(Object.entries(asked).map(([key, { method }]) => [key, method])).toStrictEqual([
        ["who", "elicitation/create"],
        ["what", "sampling/createMessage"],
        ["roots", "roots/list"],
      ]);
      return { who: accept({ name: "Al" }), what: SAMPLED, roots: { roots: [{ uri: "file:///a" }] } };
    });
    expect(rounds).toHaveLength(2);
    expect(rounds[1]).toMatchObject({ content: [{ text: "Al m file:///a" }] });
  });

  test("questions in turn take a round each, with another state each time; earlier answers need not be repeated", async () => {
    const client = open({
      turns: tool({
        async run(_args, ctx) {
          const a = await ctx.elicit("a", { message: "A?", schema: NAME });
          const b = await ctx.elicit("b", { message: `B, ${a.name}?`, schema: NAME });
          return a.name + b.name;
        },
      }),
    });
    const rounds = await play(client, "turns", (asked) =>
      Object.fromEntries(Object.keys(asked).map((key) => [key, accept({ name: key })])),
    );
    expect(rounds).toHaveLength(3);
    expect(Object.keys(rounds[1].inputRequests)).toStrictEqual(["b"]);
    expect(rounds[1].inputRequests.b.params.message).toBe("B, a?");
    expect(rounds[0].requestState).not.toBe(rounds[1].requestState);
    expect(rounds[2]).toMatchObject({ content: [{ text: "ab" }] });
  });

  test("prompts/get and resources/read may ask as well", async () => {
    const server = createServer({
      name: "p",
      version: "1",
      prompts: {
        hello: prompt({
          get: async (_args, ctx) => `Hello ${(await ctx.elicit("n", { message: "?", schema: NAME })).name}`,
        }),
      },
      resources: {
        secret: resource({
          uri: "a://b",
          read: async (ctx) => (await ctx.elicit("n", { message: "?", schema: NAME })).name,
        }),
      },
    });
    const client = new ModernClient(server, { capabilities });
    for (const [method, params] of [
      ["prompts/get", { name: "hello" }],
      ["resources/read", { uri: "a://b" }],
    ] as const) {
      const { resultType, requestState, ...first } = await client.request(method, params);
      expect(resultType).toBe("input_required");
      // Interim results are not cacheable (caching page).
      expect(first).not.toHaveProperty("ttlMs");
      const inputResponses = { n: accept({ name: "Al" }) };
      expect(JSON.stringify(await client.request(method, { ...params, inputResponses, requestState }))).toContain("Al");
    }
  });

  test("servers MUST NOT answer other requests that way", async () => {
    const events: ServerDiagnostic[] = [];
    const server = createServer({
      name: "c",
      version: "1",
      onDiagnostic: (event) => events.push(event),
      prompts: {
        p: prompt({
          arguments: {
            a: { complete: async (_value, ctx) => [(await ctx.elicit("n", { message: "?", schema: NAME })).name] },
          },
          get: () => "",
        }),
      },
    });
    const client = new ModernClient(server, { capabilities });
    const params = { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } };
    await expect(client.request("completion/complete", params)).rejects.toMatchObject({ code: -32603 });
    expect(events[0]?.error).toMatchObject({ code: "UNSUPPORTED" });
  });
});

describe("answers", () => {
  const greet = tool({ run: async (_args, ctx) => (await ctx.elicit("n", { message: "?", schema: NAME })).name });

  test.each([
    ["is missing", {}],
    ["is under another key", { wrong: accept({ name: "Al" }) }],
    ["has no action", { n: {} }],
    ["has an unknown action", { n: { action: "agree" } }],
    ["does not fit the schema", { n: accept({ name: 12 }) }],
    ["is empty", { n: { action: "accept" } }],
  ])("if an answer %s, the server SHOULD ask again", async (_why, inputResponses) => {
    const client = open({ greet });
    const { requestState } = await client.callTool("greet");
    const again = await client.callTool("greet", {}, { requestState, inputResponses });
    expect(again.resultType).toBe("input_required");
    expect(Object.keys(again.inputRequests)).toStrictEqual(["n"]);
  });

  test.each([[true], [12345], [[]], [{ n: 12345 }], [{ n: null }]])(
    "inputResponses that are no answers at all (%j) are an error, -32602",
    async (inputResponses) => {
      const client = open({ greet });
      const { requestState } = await client.callTool("greet");
      await expect(client.callTool("greet", {}, { requestState, inputResponses })).rejects.toMatchObject({
        code: -32602,
      });
    },
  );

  test("information that is not needed SHOULD be ignored", async () => {
    const client = open({ greet });
    const inputResponses = { n: accept({ name: "Al", age: 3 }), other: accept({}), __proto__x: {} };
    expect(await client.callTool("greet", {}, { inputResponses })).toMatchObject({ content: [{ text: "Al" }] });
  });

  test.each(["decline", "cancel"])("servers MUST handle %s: elicit throws, and the model is told", async (action) => {
    const client = open({ greet });
    const result = await client.callTool("greet", {}, { inputResponses: { n: { action } } });
    expect(result).toMatchObject({ resultType: "complete", isError: true });
  });

  test("tryElicit tells what the user did", async () => {
    const client = open({
      maybe: tool({
        run: async (_args, ctx) => JSON.stringify(await ctx.tryElicit("n", { message: "?", schema: NAME })),
      }),
    });
    for (const answer of [{ action: "decline" }, { action: "cancel" }, accept({ name: "Al" })]) {
      const { content } = await client.callTool("maybe", {}, { inputResponses: { n: answer } });
      expect(JSON.parse(content[0].text)).toStrictEqual(answer);
    }
  });

  test("answers go through the schema's defaults and transforms, plain JSON Schema included", async () => {
    const client = open({
      zod: tool({
        async run(_args, ctx) {
          const { age } = await ctx.elicit("f", { message: "?", schema: z.object({ age: z.number().default(7) }) });
          return String(age + 1);
        },
      }),
      plain: tool({
        async run(_args, ctx) {
          const schema = jsonSchema<{ age: number }>({
            type: "object",
            properties: { age: { type: "number" } },
            required: ["age"],
          });
          return String((await ctx.elicit("f", { message: "?", schema })).age);
        },
      }),
    });
    expect(await client.callTool("zod", {}, { inputResponses: { f: accept({}) } })).toMatchObject({
      content: [{ text: "8" }],
    });
    expect(await client.callTool("plain", {}, { inputResponses: { f: accept({ age: 3 }) } })).toMatchObject({
      content: [{ text: "3" }],
    });
    expect(await client.callTool("plain", {}, { inputResponses: { f: accept({ age: "3" }) } })).toMatchObject({
      resultType: "input_required",
    });
  });

  test.each([
    ["what", { role: "assistant", content: [] }],
    ["what", { role: "robot", content: [], model: "m" }],
    ["what", { role: "assistant", content: "Paris", model: "m" }],
    ["roots", { roots: "none" }],
    ["roots", { roots: [{ name: "no uri" }] }],
  ])("a malformed answer to %s is asked for again: %j", async (key, answer) => {
    const client = open({
      what: tool({ run: async (_args, ctx) => (await ctx.sample("what", { messages: [], maxTokens: 1 })).model }),
      roots: tool({ run: async (_args, ctx) => String((await ctx.roots()).length) }),
    });
    expect(await client.callTool(key, {}, { inputResponses: { [key]: answer } })).toMatchObject({
      resultType: "input_required",
    });
  });
});

describe("replaying", () => {
  test("`once` keeps a side effect from happening again, and its result travels along", async () => {
    const effects: string[] = [];
    const client = open({
      order: tool({
        async run(_args, ctx) {
          const id = await ctx.once("reserve", async () => {
            effects.push("reserved");
            return { id: 42 };
          });
          const nothing: unknown = await ctx.once<unknown>("nothing", () => undefined);
          await ctx.elicit("sure", { message: `Pay for ${id.id}?`, schema: z.object({}) });
          await ctx.elicit("really", { message: "Really?", schema: z.object({}) });
          return `${id.id} ${String(nothing)}`;
        },
      }),
    });
    const rounds = await play(client, "order", (asked) =>
      Object.fromEntries(Object.keys(asked).map((key) => [key, accept({})])),
    );
    expect(rounds).toHaveLength(3);
    expect(rounds[2]).toMatchObject({ content: [{ text: "42 undefined" }] });
    expect(effects).toStrictEqual(["reserved"]);
  });

  test("a state that is sent again runs the handler again: only what once did before the question is kept", async () => {
    const ids: string[] = [];
    const delivered: string[] = [];
    const client = open({
      order: tool({
        async run(_args, ctx) {
          const id = await ctx.once("reserve", () => `order ${ids.push("reserved")}`);
          await ctx.elicit("name", { message: "Who?", schema: NAME });
          await ctx.once("deliver", () => delivered.push(id));
          return id;
        },
      }),
    });
    const { requestState } = await client.callTool("order");
    const retry = { requestState, inputResponses: { name: accept({ name: "Al" }) } };
    const answers = [
      await client.callTool("order", undefined, retry),
      await client.callTool("order", undefined, retry),
    ];
    expect(answers.map(({ content }) => content[0].text)).toEqual(["order 1", "order 1"]);
    expect(ids).toEqual(["reserved"]);
    expect(delivered).toEqual(["order 1", "order 1"]);
    // Without the state, the server knows of nothing that was done.
    const { inputResponses } = retry;
    expect((await client.callTool("order", undefined, { inputResponses })).content[0].text).toBe("order 2");
  });

  test("work of once that is still under way when the question ends the run is waited for", async () => {
    let effects = 0;
    const { promise: gate, resolve } = defer();
    const client = open({
      both: tool({
        async run(_args, ctx) {
          const slow = ctx.once("slow", async () => {
            effects += 1;
            await gate;
            return "done";
          });
          await ctx.elicit("n", { message: "?", schema: NAME });
          return slow;
        },
      }),
    });
    const first = client.callTool("both");
    resolve();
    const { requestState } = await first;
    const second = await client.callTool("both", {}, { requestState, inputResponses: { n: accept({ name: "Al" }) } });
    expect(second).toMatchObject({ content: [{ text: "done" }] });
    expect(effects).toBe(1);
  });

  test("failed work is done again, and work with the same key only once in a run", async () => {
    let attempts = 0;
    const client = open({
      flaky: tool({
        async run(_args, ctx) {
          const work = async (): Promise<number> => {
            attempts += 1;
            if (attempts === 1) throw new Error("not yet");
            return attempts;
          };
          const [one, two] = await Promise.allSettled([ctx.once("w", work), ctx.once("w", work)]);
          await ctx.elicit("n", { message: "?", schema: NAME });
          return `${one.status} ${two.status}`;
        },
      }),
    });
    const rounds = await play(client, "flaky", () => ({ n: accept({ name: "Al" }) }));
    expect(rounds.at(-1)).toMatchObject({ content: [{ text: "fulfilled fulfilled" }] });
    expect(attempts).toBe(2);
  });

  test("finally blocks run, and a handler that swallows the signal cannot answer in its place", async () => {
    const seen: string[] = [];
    const client = open({
      stubborn: tool({
        async run(_args, ctx) {
          try {
            await ctx.elicit("n", { message: "?", schema: NAME });
          } catch (error) {
            seen.push((error as Error).name);
          } finally {
            seen.push("finally");
          }
          return "went on without an answer";
        },
      }),
      failing: tool({
        async run(_args, ctx) {
          await ctx.elicit("n", { message: "?", schema: NAME }).catch(() => {
            throw new Error("something else");
          });
        },
      }),
      careless: tool({
        run(_args, ctx) {
          void ctx.elicit("n", { message: "?", schema: NAME });
          return "never awaited";
        },
      }),
    });
    for (const name of ["stubborn", "failing", "careless"]) {
      expect(await client.callTool(name)).toMatchObject({ resultType: "input_required" });
    }
    expect(seen).toStrictEqual(["InputRequired", "finally"]);
  });

  test("keys MUST be unique within a request", async () => {
    const events: ServerDiagnostic[] = [];
    const client = open(
      {
        twice: tool({
          async run(_args, ctx) {
            await ctx.elicit("n", { message: "?", schema: NAME });
            await ctx.sample("n", { messages: [], maxTokens: 1 });
          },
        }),
      },
      { onDiagnostic: (event) => events.push(event) },
    );
    const result = await client.callTool("twice", {}, { inputResponses: { n: accept({ name: "Al" }) } });
    expect(result).toMatchObject({ isError: true });
    expect(events[0]?.error).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining('"n"') });
  });
});

describe("requestState", () => {
  const greet = tool({
    input: z.object({ to: z.string().optional() }),
    run: async (_args, ctx) => (await ctx.elicit("n", { message: "?", schema: NAME })).name,
  });
  const other = greet;
  const inputResponses = { n: accept({ name: "Al" }) };

  test.each([
    ["changed", (state: string) => `${state}-TAMPERED`],
    ["changed within", (state: string) => state.slice(0, 20) + (state[20] === "A" ? "B" : "A") + state.slice(21)],
    ["cut short", (state: string) => state.slice(0, -4)],
    ["made up", () => "eyJhIjoxfQ"],
    ["empty", () => ""],
    ["no base64", () => "ä"],
  ])("a requestState that was %s MUST be rejected", async (_how, change) => {
    const client = open({ greet });
    const { requestState } = await client.callTool("greet");
    await expect(
      client.callTool("greet", {}, { inputResponses, requestState: change(requestState) }),
    ).rejects.toMatchObject({ code: -32602 });
  });

  test("is rejected even if the handler would not have needed it", async () => {
    const client = open({ plain: tool({ run: () => "" }) });
    await expect(client.callTool("plain", {}, { requestState: "AAAA" })).rejects.toMatchObject({ code: -32602 });
  });

  test("SHOULD be bound to the request: other tools and other arguments are refused, another order of members is not", async () => {
    const client = open({ greet, other });
    const { requestState } = await client.callTool("greet", { to: "x" });
    await expect(client.callTool("other", { to: "x" }, { inputResponses, requestState })).rejects.toMatchObject({
      code: -32602,
    });
    await expect(client.callTool("greet", { to: "y" }, { inputResponses, requestState })).rejects.toMatchObject({
      code: -32602,
    });
    expect(await client.callTool("greet", { to: "x" }, { inputResponses, requestState })).toMatchObject({
      resultType: "complete",
    });
  });

  test("SHOULD be bound to the authenticated principal", async () => {
    const server = createServer({ name: "p", version: "1", tools: { greet } });
    const anna = new ModernClient(server, { capabilities, principal: { id: "anna" } });
    const bert = new ModernClient(server, { capabilities, principal: { id: "bert" } });
    const nobody = new ModernClient(server, { capabilities });
    const { requestState } = await anna.callTool("greet");
    await expect(bert.callTool("greet", {}, { inputResponses, requestState })).rejects.toMatchObject({ code: -32602 });
    await expect(nobody.callTool("greet", {}, { inputResponses, requestState })).rejects.toMatchObject({
      code: -32602,
    });
    expect(await anna.callTool("greet", {}, { inputResponses, requestState })).toMatchObject({
      resultType: "complete",
    });
  });

  test("SHOULD expire", async () => {
    const server = createServer({ name: "p", version: "1", inputTimeout: 1000, tools: { greet } });
    const client = new ModernClient(server, { capabilities });
    const { requestState } = await client.callTool("greet");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1001 });
    onTestFinished(() => void vi.useRealTimers());
    await expect(client.callTool("greet", {}, { inputResponses, requestState })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test("does not expire if there is no limit to the time for answers", async () => {
    const server = createServer({ name: "p", version: "1", inputTimeout: Infinity, tools: { greet } });
    const client = new ModernClient(server, { capabilities });
    const { requestState } = await client.callTool("greet");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 ** 40 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await client.callTool("greet", {}, { inputResponses, requestState })).toMatchObject({
      resultType: "complete",
    });
  });

  test("can be read by other machines with the same key, also after a change of keys, and by no others", async () => {
    const [old, fresh] = ["o".repeat(32), "n".repeat(32)];
    const { requestState } = await open({ greet }, { stateKey: old }).callTool("greet");
    const retry = { inputResponses, requestState };
    expect(await open({ greet }, { stateKey: old }).callTool("greet", {}, retry)).toMatchObject({
      resultType: "complete",
    });
    expect(await open({ greet }, { stateKey: [fresh, old] }).callTool("greet", {}, retry)).toMatchObject({
      resultType: "complete",
    });
    await expect(open({ greet }, { stateKey: fresh }).callTool("greet", {}, retry)).rejects.toMatchObject({
      code: -32602,
    });
    await expect(open({ greet }).callTool("greet", {}, retry)).rejects.toMatchObject({ code: -32602 });
  });

  test("cannot be read by a server of another name, though it has the same key", async () => {
    const stateKey = "k".repeat(32);
    const serve = (name: string, version: string): ModernClient =>
      new ModernClient(createServer({ name, version, stateKey, tools: { greet } }), { capabilities });
    const { requestState } = await serve("staging", "1").callTool("greet");
    const retry = { inputResponses, requestState };
    await expect(serve("production", "1").callTool("greet", {}, retry)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("requestState"),
    });
    expect(await serve("staging", "2").callTool("greet", {}, retry)).toMatchObject({ resultType: "complete" });
  });

  test("does not show what is in it", async () => {
    const client = open({
      secret: tool({
        async run(_args, ctx) {
          await ctx.once("s", () => "top-secret-value");
          await ctx.elicit("n", { message: "?", schema: NAME });
        },
      }),
    });
    const { requestState } = await client.callTool("secret");
    expect(Buffer.from(requestState, "base64url").toString("latin1")).not.toContain("top-secret-value");
  });
});

describe("capabilities", () => {
  const ask = tool({ run: async (_args, ctx) => (await ctx.elicit("n", { message: "?", schema: NAME })).name });
  const page = tool({ run: async (_args, ctx) => ctx.elicit("p", { message: "Pay", url: "https://example.com/pay" }) });
  const think = tool({ run: async (_args, ctx) => (await ctx.sample("s", { messages: [], maxTokens: 1 })).model });
  const work = tool({
    run: async (_args, ctx) =>
      (await ctx.sample("s", { messages: [], maxTokens: 1, tools: [{ name: "t", inputSchema: { type: "object" } }] }))
        .model,
  });
  const roots = tool({ run: async (_args, ctx) => String((await ctx.roots()).length) });
  const context = tool({
    run: async (_args, ctx) =>
      (await ctx.sample("s", { messages: [], maxTokens: 1, includeContext: "thisServer" })).model,
  });
  const tools = { ask, page, think, work, context, roots };

  test.each([
    ["ask", {}, { elicitation: { form: {} } }],
    ["ask", { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    ["page", { elicitation: {} }, { elicitation: { url: {} } }],
    ["page", { elicitation: { form: {} } }, { elicitation: { url: {} } }],
    ["think", {}, { sampling: {} }],
    ["work", { sampling: {} }, { sampling: { tools: {} } }],
    ["context", { sampling: {} }, { sampling: { context: {} } }],
    ["roots", {}, { roots: {} }],
  ])("%s MUST NOT be sent to a client with %j", async (name, declared, requiredCapabilities) => {
    const client = open(tools, { capabilities: declared });
    await expect(client.callTool(name)).rejects.toMatchObject({ code: -32021, data: { requiredCapabilities } });
  });

  test.each([
    ["ask", { elicitation: {} }],
    ["ask", { elicitation: { form: {} } }],
    ["page", { elicitation: { url: {} } }],
    ["think", { sampling: {} }],
    ["work", { sampling: { tools: {} } }],
    ["context", { sampling: { context: {} } }],
    ["roots", { roots: {} }],
  ])("%s can be sent to a client with %j", async (name, declared) => {
    expect(await open(tools, { capabilities: declared }).callTool(name)).toMatchObject({
      resultType: "input_required",
    });
  });

  test("a tool may do without what the client cannot", async () => {
    const client = open(
      {
        flexible: tool({
          async run(_args, ctx) {
            const answers = await Promise.allSettled([
              ctx.elicit("n", { message: "?", schema: NAME }),
              ctx.sample("s", { messages: [], maxTokens: 1 }),
            ]);
            return answers.map(({ status }) => status).join();
          },
        }),
      },
      { capabilities: { sampling: {} } },
    );
    const first = await client.callTool("flexible");
    expect(Object.keys(first.inputRequests)).toStrictEqual(["s"]);
    expect(await client.callTool("flexible", {}, { inputResponses: { s: SAMPLED } })).toMatchObject({
      content: [{ text: "rejected,fulfilled" }],
    });
  });
});

describe("forms and pages", () => {
  const FORM = z.object({
    name: z.string().min(2).max(9).describe("Who"),
    email: z.email(),
    age: z.int().min(0).max(150),
    score: z.number().optional(),
    agree: z.boolean().default(false),
    color: z.enum(["red", "blue"]),
    tags: z.array(z.enum(["a", "b"])).max(2),
  });

  test("a schema becomes a flat form of simple fields", async () => {
    const client = open({
      form: tool({ run: async (_args, ctx) => JSON.stringify(await ctx.elicit("f", { message: "?", schema: FORM })) }),
    });
    const { inputRequests } = await client.callTool("form");
    expect(inputRequests.f.params.requestedSchema).toStrictEqual({
      type: "object",
      properties: {
        name: { type: "string", minLength: 2, maxLength: 9, description: "Who" },
        email: { type: "string", format: "email" },
        age: { type: "integer", minimum: 0, maximum: 150 },
        score: { type: "number" },
        agree: { type: "boolean", default: false },
        color: { type: "string", enum: ["red", "blue"] },
        tags: { type: "array", maxItems: 2, items: { type: "string", enum: ["a", "b"] } },
      },
      required: ["name", "email", "age", "color", "tags"],
    });
  });

  test.each([
    ["nested objects", z.object({ a: z.object({ b: z.string() }) })],
    ["lists of anything", z.object({ a: z.array(z.string()) })],
    ["unions", z.object({ a: z.union([z.string(), z.number()]) })],
    ["no object", z.string()],
  ])("%s cannot be asked for in a form", async (_what, schema) => {
    const events: ServerDiagnostic[] = [];
    const client = open(
      { bad: tool({ run: async (_args, ctx) => void (await ctx.elicit("f", { message: "?", schema })) }) },
      { onDiagnostic: (event) => events.push(event) },
    );
    expect(await client.callTool("bad")).toMatchObject({ isError: true });
    expect(events[0]?.error).toMatchObject({ code: "INVALID_SCHEMA" });
  });

  test("a page is asked for by its URL, without what only 2025-11-25 has", async () => {
    const client = open({
      pay: tool({
        async run(_args, ctx) {
          await ctx.elicit("pay", { message: "Pay here", url: "https://example.com/pay" });
          return "agreed";
        },
      }),
    });
    const first = await client.callTool("pay");
    expect(first.inputRequests.pay).toStrictEqual({
      method: "elicitation/create",
      params: { mode: "url", message: "Pay here", url: "https://example.com/pay" },
    });
    expect(await client.callTool("pay", {}, { inputResponses: { pay: { action: "accept" } } })).toMatchObject({
      content: [{ text: "agreed" }],
    });
    expect(await client.callTool("pay", {}, { inputResponses: { pay: { action: "decline" } } })).toMatchObject({
      isError: true,
    });
  });

  test("the url parameter MUST contain a valid URL", async () => {
    const client = open({
      pay: tool({ run: async (_args, ctx) => ctx.elicit("pay", { message: "Pay", url: "not a url" }) }),
    });
    expect(await client.callTool("pay")).toMatchObject({ isError: true });
  });
});

test.each([
  ["a use without a result", [{ role: "assistant", content: { type: "tool_use", id: "a", name: "t", input: {} } }]],
  [
    "results mixed with other content",
    [
      {
        role: "user",
        content: [
          { type: "tool_result", toolUseId: "a", content: [] },
          { type: "text", text: "hm" },
        ],
      },
    ],
  ],
] as [string, SamplingMessage[]][])(
  "each use of a tool MUST be followed by a message of results alone: %s is not sent",
  async (_what, messages) => {
    const events: ServerDiagnostic[] = [];
    const client = open(
      { think: tool({ run: async (_args, ctx) => (await ctx.sample("s", { messages, maxTokens: 1 })).model }) },
      { onDiagnostic: (event) => events.push(event) },
    );
    expect(await client.callTool("think")).toMatchObject({ resultType: "complete", isError: true });
    expect(events[0]?.error).toMatchObject({ code: "INVALID_ARGUMENT" });
  },
);

test("a question after the end of the request is refused", async () => {
  const { promise, resolve } = defer<Context>();
  const client = open({
    late: tool({
      run(_args, ctx) {
        resolve(ctx);
        return "done";
      },
    }),
  });
  await client.callTool("late", {}, { _meta: { [MetaKey.ProgressToken]: 1 } });
  const ctx = await promise;
  await expect(ctx.elicit("n", { message: "?", schema: NAME })).rejects.toMatchObject({ code: "INVALID_STATE" });
});
