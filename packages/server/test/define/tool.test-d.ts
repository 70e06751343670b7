/* oxlint-disable vitest/expect-expect -- in these tests, the compiler asserts. */
import type { TypedServer } from "@toolwire/protocol";
import { jsonSchema } from "@toolwire/json-schema";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { createServer, reply, text, tool, type Context, type ToolDefinition } from "../../src/index.ts";

/** The type that `connect<typeof server>()` reads. */
type ToolsOf<S> = S extends TypedServer<infer T> ? T : never;

describe("arguments", () => {
  test("have the output type of a zod schema: defaults are there, transforms are done", () => {
    tool({
      input: z.object({
        city: z.string(),
        units: z.enum(["metric", "imperial"]).default("metric"),
        days: z.string().transform(Number),
        note: z.string().optional(),
      }),
      run(args, ctx) {
        expectTypeOf(args).toEqualTypeOf<{
          city: string;
          units: "metric" | "imperial";
          days: number;
          note?: string | undefined;
        }>();
        expectTypeOf(ctx).toEqualTypeOf<Context>();
        return "";
      },
    });
  });

  test("come from valibot", () => {
    tool({
      input: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number(), 1) })),
      run(args) {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>();
        return "";
      },
    });
  });

  test("come from arktype", () => {
    tool({
      input: type({ city: "string", "days?": "number" }),
      run(args) {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number }>();
        return "";
      },
    });
  });

  test("arguments of plain JSON Schema are an object of unknown values, unless their type is stated", () => {
    tool({
      input: { type: "object", properties: { city: { type: "string" } } },
      run(args) {
        expectTypeOf(args).toEqualTypeOf<{ [key: string]: unknown }>();
        return "";
      },
    });
    tool({
      input: jsonSchema<{ city: string }>({ type: "object", properties: { city: { type: "string" } } }),
      run({ city }) {
        expectTypeOf(city).toEqualTypeOf<string>();
        return city;
      },
    });
  });

  test("come from schemas that a function is given", () => {
    function define<Input extends z.ZodObject>(input: Input, use: (args: unknown) => string) {
      return tool({ input, run: (args) => use(args) });
    }
    expectTypeOf(define(z.object({ city: z.string() }), String)).toEqualTypeOf<ToolDefinition<{ city: string }>>();
  });

  test("cannot be read from an object of schemas", () => {
    // @ts-expect-error -- it is no schema
    tool({ input: { city: z.string() }, run: ({ city }) => `${city}` });
    // @ts-expect-error -- likewise
    tool({ output: { degrees: z.number() }, run: () => ({ degrees: 1 }) });
    tool({ output: {}, run: () => ({ anything: "goes" }) });
  });

  test("do not exist without `input`", () => {
    tool({
      run(args) {
        expectTypeOf(args).toEqualTypeOf<{ readonly [argument: string]: never }>();
        return "";
      },
    });
  });
});

describe("results", () => {
  const output = z.object({ temperature: z.number(), at: z.string().default("now") });

  test("have the input type of `output`, at once or promised", () => {
    tool({ output, run: () => ({ temperature: 1 }) });
    tool({ output, run: async () => ({ temperature: 1, at: "noon" }) });
    tool({ output, run: () => reply({ content: "warm", structured: { temperature: 1 } }) });
    // @ts-expect-error -- the type of a member is wrong
    tool({ output, run: () => ({ temperature: "warm" }) });
    // @ts-expect-error -- text alone is not what `output` promises
    tool({ output, run: async () => "warm" });
    // @ts-expect-error -- the structured part does not fit either
    tool({ output, run: () => reply({ structured: { temperature: "warm" } }) });
  });

  test("are text, blocks, results, or nothing without `output`", () => {
    tool({ run: () => "text" });
    tool({ run: async () => text("a block") });
    tool({ run: () => ["text", text("and a block")] });
    tool({ run: () => ({ content: [], isError: true }) });
    tool({ run: () => {} });
    tool({ run: async () => {} });
    // @ts-expect-error -- data needs `output`
    tool({ run: () => ({ temperature: 1 }) });
  });
});

describe("a server", () => {
  const server = createServer({
    name: "weather",
    version: "1.0.0",
    tools: {
      get_weather: tool({
        input: z.object({ city: z.string(), units: z.enum(["metric", "imperial"]).default("metric") }),
        output: z.object({ temperature: z.number(), at: z.string().default("now") }),
        run: () => ({ temperature: 1 }),
      }),
      reset: tool({ run: () => "done" }),
    },
  });

  test("carries the input type of `input` and the output type of `output` to its clients", () => {
    type Tools = ToolsOf<typeof server>;
    expectTypeOf<keyof Tools>().toEqualTypeOf<"get_weather" | "reset">();
    expectTypeOf<Tools["get_weather"]["input"]>().toEqualTypeOf<{
      city: string;
      units?: "metric" | "imperial" | undefined;
    }>();
    expectTypeOf<Tools["get_weather"]["output"]>().toEqualTypeOf<{ temperature: number; at: string }>();
    expectTypeOf<Tools["reset"]["input"]>().toEqualTypeOf<{ readonly [argument: string]: never }>();
    expectTypeOf(server).toExtend<TypedServer>();
  });

  test("takes definitions whose optional parts may be undefined", () => {
    const maybe = undefined as string | undefined;
    createServer({ name: "a", version: "1", title: maybe, instructions: maybe, tools: undefined });
    tool({ title: maybe, description: maybe, icons: undefined, run: () => "" });
  });

  test("carries tools that it may have", () => {
    const isExtended = Math.random() < 0.5;
    const extended = createServer({
      name: "extended",
      version: "1",
      tools: {
        always: tool({ run: () => "" }),
        ...(isExtended && { sometimes: tool({ input: z.object({ a: z.string() }), run: ({ a }) => a }) }),
      },
    });
    expectTypeOf(extended).toExtend<TypedServer>();
    expectTypeOf<ToolsOf<typeof extended>["sometimes"]["input"]>().toEqualTypeOf<{ a: string }>();
  });

  test("needs no tools", () => {
    expectTypeOf(createServer({ name: "bare", version: "1" })).toExtend<TypedServer>();
  });
});

describe("the context", () => {
  test("types answers by the schema of the question", () => {
    tool({
      async run(_args, { elicit, tryElicit, once, roots, sample }) {
        const form = await elicit("who", { message: "Who?", schema: z.object({ email: z.string() }) });
        expectTypeOf(form).toEqualTypeOf<{ email: string }>();
        expectTypeOf(elicit("pay", { message: "Pay", url: "https://example.com" })).toEqualTypeOf<Promise<void>>();
        const tried = await tryElicit("sure", { message: "Sure?", schema: z.object({ yes: z.boolean() }) });
        if (tried.action === "accept") expectTypeOf(tried.content).toEqualTypeOf<{ yes: boolean }>();
        else expectTypeOf(tried.action).toEqualTypeOf<"decline" | "cancel">();
        const value = await once("work", async () => 1);
        expectTypeOf(value).toEqualTypeOf<number>();
        expectTypeOf((await roots())[0]?.uri).toEqualTypeOf<string | undefined>();
        expectTypeOf((await sample("s", { messages: [], maxTokens: 1 })).model).toEqualTypeOf<string>();
      },
    });
  });
});

/* oxlint-disable typescript/no-deprecated -- editors strike these names out, too. */
describe("a form that other SDKs use", () => {
  test("is no option of a tool", () => {
    // @ts-expect-error -- it is called `input`
    tool({ inputSchema: z.object({ a: z.string() }), run: () => "" });
    // @ts-expect-error -- it is called `output`
    tool({ outputSchema: z.object({ a: z.string() }), run: () => ({ a: "" }) });
    // @ts-expect-error -- it is called `run`
    tool({ handler: () => "" });
  });

  test("does no harm in objects that carry the name under which they are added", () => {
    const named = { name: "greet", description: "Greets", run: () => "Hello" };
    createServer({ name: "s", version: "1" }).tools.add(named.name, tool(named));
  });

  test("is no tool", () => {
    // @ts-expect-error -- a function is no definition
    createServer({ name: "s", version: "1", tools: { greet: () => "Hello" } });
    // @ts-expect-error -- `tool()` has not seen to what it takes and returns
    createServer({ name: "s", version: "1", tools: { greet: { run: () => 5 } } });
    // @ts-expect-error -- there is always a name
    createServer({ version: "1" });
    // @ts-expect-error -- and a definition
    createServer();
  });

  test("is no question", () => {
    tool({
      async run(_args, ctx) {
        // @ts-expect-error -- the key comes first
        await ctx.elicit({ message: "Who?", schema: z.object({ name: z.string() }) });
        // @ts-expect-error -- the user is told what is asked
        await ctx.elicit("who", { schema: z.object({ name: z.string() }) });
        // @ts-expect-error -- by a form, or on a page
        await ctx.elicit("who", { message: "Who?" });
        return "";
      },
    });
  });
});
