import { createServer, tool } from "@toolwire/server";
import { toNextRoutes } from "@toolwire/server/next";
import { z } from "zod";

// The same tools as in `transports/server.ts`: Next.js compiles its application by itself.
const server = createServer({
  name: "in-next",
  version: "1.0.0",
  tools: {
    count: tool({
      input: z.object({ to: z.int() }),
      run({ to }, ctx) {
        for (let step = 1; step <= to; step++) ctx.progress(step, to);
        return `${to}`;
      },
    }),
    ask: tool({
      async run(_args, ctx) {
        const { name } = await ctx.elicit("name", { message: "Who?", schema: z.object({ name: z.string() }) });
        return `Hello, ${name}!`;
      },
    }),
  },
});

export const { GET, POST, DELETE } = toNextRoutes(server);
