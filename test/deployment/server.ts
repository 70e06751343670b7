import { createServer, tool } from "@toolwire/server";
import { z } from "zod";

/** A server to try out the deployments with. Several instances of it share a key, as they have to. */
export const server = createServer({
  name: "deployed",
  version: "1.0.0",
  stateKey: "a key of the tests that is long enough",
  maxSubscriptions: 0,
  tools: {
    greet: tool({
      description: "Greets, and reports progress",
      input: z.object({ name: z.string() }),
      run({ name }, ctx) {
        ctx.progress(1, 2);
        return `Hello, ${name}!`;
      },
    }),
    order: tool({
      description: "Asks before it answers",
      async run(_args, ctx) {
        const { size } = await ctx.elicit("size", { message: "Which size?", schema: z.object({ size: z.string() }) });
        return `One of size ${size}.`;
      },
    }),
  },
});
