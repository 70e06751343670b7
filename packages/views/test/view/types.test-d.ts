import { createServer, tool } from "@toolwire/server";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { View } from "../../src/index.ts";
import type { InputOf, OutputOf, ToolsOf } from "../../src/view/types.ts";

const forecast = tool({
  input: z.object({ city: z.string(), days: z.number().default(3) }),
  output: z.object({ summary: z.string() }),
  run: () => ({ summary: "sunny" }),
});
const server = createServer({ name: "x", version: "1", tools: { forecast, plain: tool({ run: () => "" }) } });

type ForecastView = View<InputOf<typeof forecast>, OutputOf<typeof forecast>, ToolsOf<typeof server>>;

test("a view knows the arguments and the result of its tool", () => {
  type State = ForecastView["state"];
  expectTypeOf<State["input"]>().toEqualTypeOf<{ city: string; days?: number | undefined } | undefined>();
  expectTypeOf<NonNullable<State["result"]>["structuredContent"]>().toEqualTypeOf<{ summary: string } | undefined>();
});

test("a view calls the tools of its server with their arguments, and gets their results", async () => {
  const view = {} as ForecastView;
  const result = (): ReturnType<typeof view.callTool<"forecast">> => view.callTool("forecast", { city: "Oslo" });
  expectTypeOf<Awaited<ReturnType<typeof result>>["structuredContent"]>().toEqualTypeOf<
    { summary: string } | undefined
  >();
  const misuse = (): unknown[] => [
    view.callTool("plain"),
    // @ts-expect-error -- there is no such tool.
    view.callTool("other", {}),
    // @ts-expect-error -- the city is missing.
    view.callTool("forecast", { days: 2 }),
  ];
  expectTypeOf(misuse).toBeFunction();
});

test("without types, a view takes any tool", () => {
  const view = {} as View;
  const any = (): unknown => view.callTool("anything", { a: 1 });
  expectTypeOf(any).toBeFunction();
  expectTypeOf<InputOf<unknown>>().toEqualTypeOf<{ readonly [argument: string]: unknown }>();
});
