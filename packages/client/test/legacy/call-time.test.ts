import { createServer, tool } from "@toolwire/server";
import { createMemoryChannels, serveChannel } from "@toolwire/server/channel";
import { serveHttp } from "@toolwire/server/http";
import { expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { connect, type FormAnswer } from "../../src/index.ts";
import { withResolvers } from "../with-resolvers.ts";

const greet = tool({
  async run(_args, ctx) {
    const { name } = await ctx.elicit("name", { message: "Name?", schema: z.object({ name: z.string() }) });
    return `Hello, ${name}!`;
  },
});

it.each(["legacy", "modern"] as const)(
  "people may take longer than calls do: the time of a call stands still while its %s server waits for an answer",
  async (era) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const [near, far] = createMemoryChannels();
    serveChannel(createServer({ name: "asks", version: "1", tools: { greet } }), far);
    const asked = withResolvers<void>();
    const answer = withResolvers<FormAnswer>();
    const form = (): Promise<FormAnswer> => {
      asked.resolve();
      return answer.promise;
    };
    const client = await connect(near, { era, timeout: 500, elicitation: { form } });
    const call = client.callTool("greet");
    await asked.promise;
    await vi.advanceTimersByTimeAsync(2000);
    answer.resolve({ action: "accept", content: { name: "Ada" } });
    expect((await call).content).toMatchObject([{ text: "Hello, Ada!" }]);
    await client.close();
  },
);

const hang = tool({ run: () => new Promise<string>(() => {}) });

it("calls made while a server waits for an answer keep their own time, even where nothing tells whose question it is", async () => {
  const [near, far] = createMemoryChannels();
  serveChannel(createServer({ name: "asks", version: "1", tools: { greet, hang } }), far, { closeTimeout: 0 });
  const asked = withResolvers<void>();
  const answer = withResolvers<FormAnswer>();
  const form = (): Promise<FormAnswer> => {
    asked.resolve();
    return answer.promise;
  };
  const client = await connect(near, { era: "legacy", elicitation: { form } });
  const call = client.callTool("greet");
  await asked.promise;
  await expect(client.callTool("hang", {}, { timeout: 300 })).rejects.toMatchObject({ code: "TIMEOUT" });
  answer.resolve({ action: "accept", content: { name: "Ada" } });
  expect((await call).content).toMatchObject([{ text: "Hello, Ada!" }]);
  await client.close();
});

it("over HTTP, the time stands still for the one call that the server asks for", async () => {
  const http = await serveHttp(createServer({ name: "asks", version: "1", tools: { greet, hang } }), {
    port: 0,
    closeTimeout: 0,
  });
  onTestFinished(() => http.close());
  const answer = withResolvers<FormAnswer>();
  const client = await connect(http.url, { era: "legacy", elicitation: { form: () => answer.promise } });
  onTestFinished(() => client.close());
  const hanging = client.callTool("hang", {}, { timeout: 2500 });
  const call = client.callTool("greet", {}, { timeout: 2000 });
  await expect(hanging).rejects.toMatchObject({ code: "TIMEOUT" });
  answer.resolve({ action: "accept", content: { name: "Ada" } });
  expect((await call).content).toMatchObject([{ text: "Hello, Ada!" }]);
});
