import { connect, type ElicitResult } from "@toolwire/client";
import { MetaKey } from "@toolwire/protocol";
import { createServer, tool, type ClientCapabilities } from "@toolwire/server";
import { serveInMemory } from "@toolwire/server/memory";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const declared: ClientCapabilities[] = [];
const server = createServer({
  name: "asking",
  version: "1.0.0",
  tools: {
    greet: tool({
      description: "Greets whoever answers",
      async run(_, ctx) {
        declared.push(ctx.clientCapabilities);
        const { name } = await ctx.elicit("who", { message: "Who?", schema: z.object({ name: z.string() }) });
        return `Hello, ${name}`;
      },
    }),
  },
});

test("a gateway gets the questions of a modern server as they are, and answers them by another request", async () => {
  const client = await connect(serveInMemory(server));
  onTestFinished(() => client.close());
  const _meta = { [MetaKey.ClientCapabilities]: { elicitation: { form: {} } } };
  const params = { name: "greet" };
  const options = { resultTypes: ["input_required"], _meta };
  const asked: object = await client.request("tools/call", params, options);
  expect(asked).toMatchObject({
    resultType: "input_required",
    inputRequests: { who: { method: "elicitation/create", params: { message: "Who?" } } },
  });
  const { requestState } = asked as { requestState: string };
  const who: ElicitResult = { action: "accept", content: { name: "Ada" } };
  const retried = { ...params, inputResponses: { who }, requestState };
  await expect(client.request("tools/call", retried, options)).resolves.toMatchObject({
    content: [{ text: "Hello, Ada" }],
  });
});

test("the capabilities of a request are declared in its own name, and the client's in all others", async () => {
  declared.length = 0;
  const client = await connect(serveInMemory(server), { elicitation: () => ({ action: "decline" }) });
  onTestFinished(() => client.close());
  const _meta = { [MetaKey.ClientCapabilities]: {}, [MetaKey.ProtocolVersion]: "1999-01-01" };
  await expect(client.callTool("greet", {}, { _meta })).rejects.toMatchObject({ code: -32_021 });
  await client.callTool("greet");
  expect(declared[0]).toEqual({});
  expect(declared[1]).toEqual({ elicitation: { form: {} } });
});
