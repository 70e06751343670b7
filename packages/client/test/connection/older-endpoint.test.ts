import { createServer, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/node";
import { expect, onTestFinished, test, vi } from "vitest";
import { connect, createServerMemory } from "../../src/index.ts";
import { listen, openEvents } from "../http/listen.ts";

test.each(["auto", "legacy"] as const)(
  "finds the HTTP+SSE transport behind a 405 that explains itself (%s)",
  async (mode) => {
    const server = createServer({ name: "older", version: "1.0.0", tools: { hello: tool({ run: () => "Hello" }) } });
    const serving = await serveHttp(server, { port: 0, legacySse: true });
    const client = await connect(new URL("/sse", serving.url), mode === "auto" ? {} : { era: mode });

    await expect(client.callTool("hello")).resolves.toMatchObject({ content: [{ type: "text", text: "Hello" }] });

    await client.close();
    await serving.close();
  },
);

test("the `fetch` of Node, which ends streams that are quiet for five minutes, has no part in it", async () => {
  const server = createServer({ name: "older", version: "1.0.0", tools: { hello: tool({ run: () => "Hello" }) } });
  const serving = await serveHttp(server, { port: 0, legacySse: true });
  const fetch = vi.spyOn(globalThis, "fetch");
  onTestFinished(() => fetch.mockRestore());
  const memory = createServerMemory();
  const url = new URL("/sse", serving.url);
  const client = await connect(url, { memory });
  expect(memory.get(url.href)).toBe("sse-pair");
  await client.callTool("hello");
  await client.close();
  await serving.close();
  expect(fetch).not.toHaveBeenCalled();
});

test("one that wants messages sent to where they must not be is told of, rather than what led to it", async () => {
  const { url } = await listen(({ method }, response) => {
    if (method === "GET") {
      openEvents(response);
      response.write("event: endpoint\ndata: http://0.0.0.0:3001/messages?token=SECRET\n\n");
    } else response.writeHead(405).end();
  });
  await expect(connect(url, { memory: false })).rejects.toMatchObject({
    code: "INVALID_MESSAGE",
    message: expect.stringMatching(
      /wants messages sent to another origin.*: http:\/\/0\.0\.0\.0:3001\/messages$/,
    ) as string,
  });
});
