/* oxlint-disable vitest/expect-expect -- in these tests, the compiler asserts. */
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { TypedServer } from "@toolwire/protocol";
import { jsonSchema } from "@toolwire/json-schema";
import { createServer, reply, text, tool, type ToolDefinition, type ToolReturn } from "../../src/index.ts";

type NoArguments = { readonly [argument: string]: never };

describe("the types that `run` may return", () => {
  test("`run` may return blocks and whole results, written as literals", () => {
    tool({ run: () => [{ type: "text", text: "x" }] });
    tool({ run: () => ({ type: "text", text: "x" }) });
    tool({ run: () => ({ content: [{ type: "text", text: "x" }] }) });
    tool({ run: async () => ({ content: [{ type: "text", text: "x" }], isError: true }) });
    tool({ run: () => ["a", text("b"), { type: "image", data: "AA==", mimeType: "image/png" }] });
    tool({ run: () => undefined });
    tool({ run() {} });
    tool({ async run() {} });
    tool({ run: async () => reply({ content: "x" }) });
  });

  test("`run` may return literals of an output schema", () => {
    const output = z.object({ status: z.enum(["ok", "bad"]), n: z.number().optional() });
    tool({ output, run: () => ({ status: "ok" }) });
    tool({ output, run: async () => ({ status: "ok" }) });
    tool({
      output,
      async run() {
        if (Math.random() > 2) return reply({ structured: { status: "bad" } });
        return { status: "ok", n: 1 };
      },
    });
    tool({ output: z.object({ kind: z.literal("a") }), run: async () => ({ kind: "a" }) });
    tool({
      output: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("a"), a: z.number() }),
        z.object({ kind: z.literal("b") }),
      ]),
      run: async () => (Math.random() > 0.5 ? { kind: "a", a: 1 } : { kind: "b" }),
    });
    tool({ output: z.object({ tree: z.json() }), run: () => ({ tree: 1 }) });
    tool({ output: z.object({ tree: z.json() }), run: () => ({ tree: [{ a: ["b"] }] }) });
    tool({ output: jsonSchema<{ s: "a" | "b" }>({ type: "object" }), run: () => ({ s: "a" }) });
    tool({ output: z.object({ list: z.array(z.tuple([z.string(), z.number()])) }), run: () => ({ list: [["a", 1]] }) });
  });

  test("`run` may return values that were typed before", () => {
    const output = z.object({ status: z.enum(["ok", "bad"]), list: z.array(z.number()) });
    const made: z.infer<typeof output> = { status: "ok", list: [1] };
    tool({ output, run: () => made });
    tool({ output, run: () => Promise.resolve(made) });
  });

  test("`run` may return lists that nobody may change, and lists in lists", () => {
    const output = z.object({ rows: z.array(z.object({ cells: z.array(z.enum(["x", "y"])) })) });
    const rows = [{ cells: ["x"] }] as const;
    tool({ output, run: () => ({ rows }) });
    tool({ output, run: () => ({ rows: [{ cells: ["x", "y"] }] }) });
    tool({ output, run: () => reply({ structured: { rows } }) });
  });

  test("`run` may return values of schemas that a function is given", () => {
    function listing<Item extends z.ZodType>(item: Item, load: () => Promise<z.input<Item>[]>) {
      return tool({ output: z.object({ items: z.array(item) }), run: async () => ({ items: await load() }) });
    }
    function replying<Item extends z.ZodType>(item: Item, load: () => Promise<z.input<Item>[]>) {
      const output = z.object({ items: z.array(item) });
      return tool({ output, run: async () => reply({ content: "All", structured: { items: await load() } }) });
    }
    function saying<Output extends z.ZodObject>(output: Output, load: () => ToolReturn<Output>) {
      return tool({ output, run: () => load() });
    }
    const item = z.object({ id: z.string().default("none") });
    expectTypeOf(listing(item, async () => [{}])).toEqualTypeOf<
      ToolDefinition<NoArguments, { items: { id: string }[] }>
    >();
    expectTypeOf(replying(item, async () => [{}])).toExtend<ToolDefinition<NoArguments, { items: { id: string }[] }>>();
    expectTypeOf(saying(item, () => ({}))).toExtend<ToolDefinition<NoArguments, { id: string }>>();
  });

  test("`run` may return nothing else", () => {
    // @ts-expect-error -- a number is no content
    tool({ run: () => 5 });
    // @ts-expect-error -- `status` is none of those allowed
    tool({ output: z.object({ status: z.enum(["ok", "bad"]) }), run: () => ({ status: "fine" }) });
    // @ts-expect-error -- `n` is missing
    tool({ output: z.object({ n: z.number() }), run: async () => ({}) });
    // @ts-expect-error -- `b` is no type of block
    tool({ run: () => [{ type: "b", text: "x" }] });
  });

  test("the types that clients see stay those of the schemas", () => {
    const server = createServer({
      name: "x",
      version: "1",
      tools: {
        t: tool({
          input: z.object({ a: z.string() }),
          output: z.object({ n: z.number().optional() }),
          run: ({ a }) => ({ n: a.length }),
        }),
      },
    });
    type Types = typeof server extends TypedServer<infer T> ? T : never;
    expectTypeOf<Types["t"]["output"]>().toEqualTypeOf<{ n?: number | undefined }>();
    expectTypeOf<Types["t"]["input"]>().toEqualTypeOf<{ a: string }>();
  });
});
