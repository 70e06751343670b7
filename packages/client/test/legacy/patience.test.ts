import { createServer, tool } from "@toolwire/server";
import { createMemoryChannels, serveChannel } from "@toolwire/server/channel";
import { expect, it } from "vitest";
import { z } from "zod";
import { connect } from "../../src/index.ts";

const greet = tool({
  async run(_args, ctx) {
    const { name } = await ctx.elicit("name", { message: "Name?", schema: z.object({ name: z.string() }) });
    return `Hello, ${name}!`;
  },
});

it.each(["legacy", "modern"] as const)(
  "people may take longer than calls do: the time of a call stands still while its %s server waits for an answer",
  async (era) => {
    const [near, far] = createMemoryChannels();
    serveChannel(createServer({ name: "asks", version: "1", tools: { greet } }), far);
    const timeout = 500;
    const client = await connect(near, {
      era,
      timeout,
      elicitation: {
        form: () =>
          new Promise((resolve) => {
            setTimeout(() => resolve({ action: "accept", content: { name: "Ada" } }), 2 * timeout);
          }),
      },
    });
    expect((await client.callTool("greet")).content).toMatchObject([{ text: "Hello, Ada!" }]);
    await client.close();
  },
);
