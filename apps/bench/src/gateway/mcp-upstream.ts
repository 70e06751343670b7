/** The MCP server behind gateways, as a program: `mcp-upstream.js stdio` or `mcp-upstream.js http`, which prints its port. */
import { createServer, jsonSchema, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { serveStdio } from "@toolwire/server/stdio";
import { bodyOf, INPUT, type Size, TOOL } from "./workload.ts";

const BODIES = { small: bodyOf("small"), large: bodyOf("large") };

const server = createServer({
  name: "bench-upstream",
  version: "1.0.0",
  tools: {
    [TOOL]: tool({
      description: "Gets an item",
      input: jsonSchema<{ size: Size }>(INPUT),
      run: ({ size }) => BODIES[size],
    }),
  },
});

if (process.argv[2] === "http") {
  const { url } = await serveHttp(server, { port: 0 });
  process.stderr.write(`${JSON.stringify({ listening: url })}\n`);
} else serveStdio(server);
