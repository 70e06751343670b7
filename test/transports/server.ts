import { createServer, tool } from "@toolwire/server";
import { z } from "zod";

/** A server to try out the transports of the READMEs with. */
export const server = createServer({
  name: "tried-out",
  version: "1.0.0",
  tools: {
    count: tool({
      description: "Reports progress, and counts",
      input: z.object({ to: z.int() }),
      run({ to }, ctx) {
        for (let step = 1; step <= to; step++) ctx.progress(step, to);
        return `${to}`;
      },
    }),
    ask: tool({
      description: "Asks the user",
      async run(_args, ctx) {
        const { name } = await ctx.elicit("name", { message: "Who?", schema: z.object({ name: z.string() }) });
        return `Hello, ${name}!`;
      },
    }),
    hang: tool({ description: "Never answers", run: () => new Promise<string>(() => {}) }),
  },
});
