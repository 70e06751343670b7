/** A server for tests, started as a program of its own. */
import { createServer, tool } from "@toolwire/server";
import { serveStdio } from "@toolwire/server/stdio";

serveStdio(
  createServer({
    name: "started",
    version: "1.0.0",
    cache: { tools: { ttlMs: 60_000, scope: "public" } },
    tools: {
      pid: tool({ description: "Tells its process id", run: () => String(process.pid) }),
      exit: tool({ description: "Never answers", run: () => process.exit(3) }),
      large: tool({ description: "Says a lot", run: () => "x".repeat(100_000) }),
      echo: tool({ description: "Echoes", run: (_, ctx) => ctx.revision }),
    },
  }),
);
