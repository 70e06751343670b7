/** Toolwire: one definition, compiled once, whatever it is served over. */
import type { Server, ToolDefinition } from "@toolwire/server";
import type { Wiring } from "../workload/scenario.ts";
import { describeSearch, echoTool, nameTools, sumTool } from "../workload/tools.ts";
import { type Contender, echoBlocks } from "./contender.ts";
import { defineJsonSchemaTools } from "./toolwire-json.ts";

export const contender: Contender = {
  name: "toolwire",
  packages: ["@toolwire/server", "@toolwire/client"],
  offer: (wiring) => ({ wiring }),
  async serve(wiring) {
    const server = await defineServer(wiring);
    if (wiring.transport === "stdio") {
      const { serveStdio } = await import("@toolwire/server/stdio");
      serveStdio(server);
      return undefined;
    }
    if (wiring.transport === "websocket") {
      const { serveWebSocket } = await import("@toolwire/server/websocket");
      const { url } = await serveWebSocket(server, { port: 0, path: "/mcp" });
      return Number(new URL(url).port);
    }
    return serveHttp(server, wiring);
  },
};

/** A server with the same tools as everybody's. */
export async function defineServer({ tools, variant }: Pick<Wiring, "tools" | "variant">): Promise<Server> {
  const { createServer } = await import("@toolwire/server");
  return createServer({
    name: "bench",
    version: "1.0.0",
    tools: variant === "json-schema" ? await defineJsonSchemaTools(tools) : await defineZodTools(tools, variant),
    ...(variant === "middleware" && { middleware: [(_call, next) => next()] }),
  });
}

async function defineZodTools(count: number, variant: Wiring["variant"]): Promise<Record<string, ToolDefinition>> {
  const { tool } = await import("@toolwire/server");
  const { echoInput, searchInput, sumInput, sumOutput } = await import("../workload/zod-schemas.ts");
  const tools: Record<string, ToolDefinition> = {};
  for (const name of nameTools(count)) {
    if (name === echoTool.name) {
      const run = async ({ text }: { text: string }): Promise<string | ReturnType<typeof echoBlocks>> =>
        variant === "blocks" ? echoBlocks(text, variant) : text;
      tools[name] = tool({ description: echoTool.description, input: echoInput, run });
    } else if (name === sumTool.name) {
      const { description } = sumTool;
      tools[name] = tool({
        description,
        input: sumInput,
        output: sumOutput,
        run: async ({ a, b }) => ({ sum: a + b }),
      });
    } else {
      const description = describeSearch(name);
      tools[name] = tool({ description, input: searchInput, run: async ({ query }) => query });
    }
  }
  return tools;
}

async function serveHttp(server: Server, { answers, sessions }: Wiring): Promise<number> {
  const node = await import("@toolwire/server/http");
  const { port } = await node.serveHttp(server, {
    port: 0,
    responseMode: answers === "json" ? "auto" : "sse",
    legacy: { sessions: sessions ? { max: 20_000 } : false },
  });
  return port;
}
