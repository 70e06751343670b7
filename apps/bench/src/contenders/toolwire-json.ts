/** Toolwire with plain JSON Schema instead of zod, for the start-up: nothing else has to be loaded. */
import type { ToolDefinition } from "@toolwire/server";
import { describeSearch, echoTool, nameTools, searchInputSchema, sumTool } from "../workload/tools.ts";
import type { Contender } from "./contender.ts";

export const contender: Contender = {
  name: "toolwire-json",
  packages: ["@toolwire/server"],
  offer: (wiring) => (wiring.transport === "stdio" ? { wiring } : "stdio only"),
  async serve({ tools }) {
    const { createServer } = await import("@toolwire/server");
    const { serveStdio } = await import("@toolwire/server/stdio");
    serveStdio(createServer({ name: "bench", version: "1.0.0", tools: await defineJsonSchemaTools(tools) }));
    return undefined;
  },
};

/** Everybody's tools, described in plain JSON Schema. */
export async function defineJsonSchemaTools(count: number): Promise<Record<string, ToolDefinition>> {
  const { tool } = await import("@toolwire/server");
  const { echo, sum, search } = {
    echo: tool({
      description: echoTool.description,
      input: echoTool.inputSchema,
      run: async ({ text }) => String(text),
    }),
    sum: tool({
      description: sumTool.description,
      input: sumTool.inputSchema,
      output: sumTool.outputSchema,
      run: async ({ a, b }) => ({ sum: Number(a) + Number(b) }),
    }),
    search: (name: string) =>
      tool({
        description: describeSearch(name),
        input: searchInputSchema,
        run: async ({ query }) => String(query),
      }),
  };
  return Object.fromEntries(
    nameTools(count).map((name) => [name, name === "echo" ? echo : name === "sum" ? sum : search(name)]),
  );
}
