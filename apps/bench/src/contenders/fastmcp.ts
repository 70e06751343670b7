/** fastmcp: its own `start`, which brings an HTTP server of its own. */
import { createServer } from "node:http";
import { describeSearch, echoTool, nameTools, sumTool } from "../workload/tools.ts";
import { type Contender, echoBlocks, listenOn, missingVariant } from "./contender.ts";

export const contender: Contender = {
  name: "fastmcp",
  packages: ["fastmcp"],
  offer(wiring) {
    if (wiring.transport === "websocket") return "no WebSocket";
    if (wiring.transport === "memory") return "no client";
    if (wiring.era === "legacy") return { wiring };
    if (wiring.transport === "http") return "no modern";
    const missing = missingVariant(wiring);
    if (missing !== undefined) return missing;
    return { wiring: { ...wiring, era: "legacy" }, note: "legacy" };
  },
  async serve({ transport, tools, sessions, answers, variant }) {
    const { FastMCP } = await import("fastmcp");
    const { echoInput, searchInput, sumInput, sumOutput } = await import("../workload/zod-schemas.ts");
    const quiet = (): void => {};
    const server = new FastMCP({
      name: "bench",
      version: "1.0.0",
      logger: { debug: quiet, error: quiet, info: quiet, log: quiet, warn: quiet },
    });
    for (const name of nameTools(tools)) {
      if (name === echoTool.name) {
        const { description } = echoTool;
        const execute = async ({ text }: { text: string }) =>
          variant === "blocks" ? { content: echoBlocks(text, variant) } : text;
        server.addTool({ name, description, parameters: echoInput, execute });
      } else if (name === sumTool.name) {
        server.addTool({
          name,
          description: sumTool.description,
          parameters: sumInput,
          outputSchema: sumOutput,
          execute: async ({ a, b }) => {
            const structuredContent = { sum: a + b };
            return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
          },
        });
      } else {
        server.addTool({
          name,
          description: describeSearch(name),
          parameters: searchInput,
          execute: async ({ query }) => query,
        });
      }
    }
    if (transport === "stdio") {
      await server.start({ transportType: "stdio" });
      return undefined;
    }
    const port = await findFreePort();
    await server.start({
      transportType: "httpStream",
      httpStream: { host: "127.0.0.1", port, stateless: !sessions, enableJsonResponse: answers === "json" },
    });
    return port;
  },
};

/** It takes a port and does not say which one it got for 0. */
async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = await listenOn(server);
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}
