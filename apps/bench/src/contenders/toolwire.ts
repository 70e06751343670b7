/** Toolwire: one definition, compiled once, whatever it is served over. */
import type { Server, ToolDefinition } from "@toolwire/server";
import type { Wiring } from "../workload/scenario.ts";
import { describeSearch, echoTool, nameTools, sumTool } from "../workload/tools.ts";
import type { Contender } from "./contender.ts";

export const contender: Contender = {
  name: "toolwire",
  packages: ["@toolwire/server", "@toolwire/client"],
  offer: (wiring) => ({ wiring }),
  async serve(wiring) {
    const server = await defineServer(wiring.tools);
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

/** The same tools as everybody's. */
export async function defineServer(count: number): Promise<Server> {
  const { createServer, tool } = await import("@toolwire/server");
  const { echoInput, searchInput, sumInput, sumOutput } = await import("../workload/zod-schemas.ts");
  const tools: Record<string, ToolDefinition> = {};
  for (const name of nameTools(count)) {
    if (name === echoTool.name) {
      tools[name] = tool({ description: echoTool.description, input: echoInput, run: async ({ text }) => text });
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
  return createServer({ name: "bench", version: "1.0.0", tools });
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
