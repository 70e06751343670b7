/* oxlint-disable vitest/expect-expect -- in these tests, the compiler asserts. */
import type { ToolDefinition } from "@toolwire/server";
import { jsonSchema } from "@toolwire/server";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { httpTool } from "../../src/tool/http-tool.ts";

const GET = { description: "x", method: "GET", url: "https://api.example.com/" } as const;

test("the arguments of a tool follow from its schema", () => {
  const byZod = httpTool({ ...GET, input: z.object({ city: z.string(), days: z.number().default(1) }) });
  expectTypeOf(byZod).toEqualTypeOf<ToolDefinition<{ city: string; days?: number | undefined }>>();
  const byJsonSchema = httpTool({ ...GET, input: jsonSchema<{ city: string }>({ type: "object" }) });
  expectTypeOf(byJsonSchema).toEqualTypeOf<ToolDefinition<{ city: string }>>();
  const untyped = httpTool({ ...GET, input: { type: "object", properties: { city: {} } } });
  expectTypeOf(untyped).toEqualTypeOf<ToolDefinition<{ [argument: string]: unknown }>>();
  const none = httpTool(GET);
  expectTypeOf(none).toEqualTypeOf<ToolDefinition<{ readonly [argument: string]: never }>>();
});

test("places are for arguments that the schema has", () => {
  const input = z.object({ city: z.string() });
  httpTool({ ...GET, input, params: { city: "header" } });
  httpTool({ ...GET, input, params: { city: { in: "query", style: "form", explode: false } } });
  // @ts-expect-error -- there is no such argument
  httpTool({ ...GET, input, params: { town: "header" } });
  // @ts-expect-error -- there is no such place
  httpTool({ ...GET, input, params: { city: "heading" } });
  httpTool({ ...GET, input: { type: "object", properties: { city: {} } }, params: { city: "query" } });
});

test("methods, descriptions and options are checked", () => {
  // @ts-expect-error -- there is no such method
  httpTool({ ...GET, method: "FETCH" });
  // @ts-expect-error -- the description is missing
  httpTool({ method: "GET", url: "https://api.example.com/" });
  // @ts-expect-error -- there is no such option
  httpTool({ ...GET, run: () => "" });
});

test("`transform` gets the response and the context, and returns content", () => {
  httpTool({
    ...GET,
    response: {
      transform(response, ctx) {
        expectTypeOf(response.text).toEqualTypeOf<string>();
        expectTypeOf(response.json()).toEqualTypeOf<unknown>();
        expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>();
        return response.text;
      },
    },
  });
  // @ts-expect-error -- a number is no content
  httpTool({ ...GET, response: { transform: () => 7 } });
});
