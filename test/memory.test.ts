import { connect } from "@toolwire/client";
import { createServer, tool } from "@toolwire/server";
import { serveInMemory } from "@toolwire/server/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const server = createServer({
  name: "in-memory",
  version: "1.0.0",
  tools: {
    greet: tool({ input: z.object({ name: z.string() }), run: ({ name }) => `Hello, ${name}!` }),
    origin: tool({ run: (_args, ctx) => `${ctx.principal?.id}` }),
    measure: tool({
      output: z.object({ celsius: z.number() }),
      run: () => ({ celsius: 21, source: undefined }),
    }),
    hang: tool({ run: () => new Promise<string>(() => {}) }),
  },
});

describe("serveInMemory", () => {
  test.each(["modern", "legacy"] as const)("connects a client of the %s era in one line.", async (era) => {
    await using client = await connect<typeof server>(serveInMemory(server), { era });
    const { content } = await client.callTool("greet", { name: "Ada" });
    expect([client.era, content]).toEqual([era, [{ type: "text", text: "Hello, Ada!" }]]);
  });

  test("lets the compiler check names and arguments of tools.", async () => {
    await using client = await connect<typeof server>(serveInMemory(server));
    // @ts-expect-error -- there is no such tool
    await expect(client.callTool("gret", { name: "Ada" })).rejects.toThrow("gret");
    // @ts-expect-error -- the name is a string
    expect(await client.callTool("greet", { name: 1 })).toMatchObject({ isError: true });
  });

  test("passes nothing on that JSON does not hold.", async () => {
    await using client = await connect<typeof server>(serveInMemory(server));
    const { structuredContent } = await client.callTool("measure");
    expect(Object.keys(structuredContent ?? {})).toEqual(["celsius"]);
    const args = { name: "Ada", extra: 1n };
    await expect(client.callTool("greet", args)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  test("takes the options of a served channel, such as the caller.", async () => {
    await using client = await connect<typeof server>(serveInMemory(server, { principal: { id: "ada" } }));
    expect((await client.callTool("origin")).content).toEqual([{ type: "text", text: "ada" }]);
  });

  test("serves several clients that do not share anything.", async () => {
    await using first = await connect<typeof server>(serveInMemory(server));
    await using second = await connect<typeof server>(serveInMemory(server));
    const pending = expect(first.callTool("hang")).rejects.toMatchObject({ code: "CLOSED" });
    await first.close();
    await pending;
    expect((await second.callTool("greet", { name: "Bob" })).content).toEqual([{ type: "text", text: "Hello, Bob!" }]);
  });
});
