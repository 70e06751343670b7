import { connect } from "@toolwire/client";
import { createServer, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/node";
import { expect, test } from "vitest";
import { z } from "zod";

/** What asks the user for a name, once for each call. */
const server = createServer({
  name: "greeter",
  version: "1.0.0",
  tools: {
    greet: tool({
      description: "Greets",
      async run(_, ctx) {
        const { name } = await ctx.elicit("who", { message: "Who?", schema: z.object({ name: z.string() }) });
        return `Hello ${name}`;
      },
    }),
  },
});

test.each(["modern", "legacy"] as const)(
  "%s: questions over HTTP tell on behalf of which call they are",
  async (era) => {
    await using serving = await serveHttp(server, { port: 0 });
    await using client = await connect(serving.url, {
      era,
      elicitation(_, { request }) {
        const params = request?.params as { readonly _meta: { readonly "example.com/user": string } } | undefined;
        return { action: "accept", content: { name: `${request?.method} ${params?._meta["example.com/user"]}` } };
      },
    });
    const users = Array.from({ length: 20 }, (_, index) => `user ${index}`);
    const greetings = users.map((user) => client.callTool("greet", {}, { meta: { "example.com/user": user } }));
    const texts = (await Promise.all(greetings)).map(({ content }) => content);
    expect(texts).toEqual(users.map((user) => [{ type: "text", text: `Hello tools/call ${user}` }]));
  },
);
