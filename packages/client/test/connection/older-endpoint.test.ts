import { createServer, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { expect, onTestFinished, test, vi } from "vitest";
import { connect, createServerMemory } from "../../src/index.ts";
import { listen, openEvents } from "../transports/http/listen.ts";

test.each(["auto", "legacy"] as const)(
  "connect() finds the HTTP+SSE transport behind a 405 that explains itself (%s)",
  async (mode) => {
    const server = createServer({ name: "older", version: "1.0.0", tools: { hello: tool({ run: () => "Hello" }) } });
    const serving = await serveHttp(server, { port: 0, legacy: { sse: true } });
    const client = await connect(new URL("/sse", serving.url), mode === "auto" ? {} : { era: mode });

    await expect(client.callTool("hello")).resolves.toMatchObject({ content: [{ type: "text", text: "Hello" }] });

    await client.close();
    await serving.close();
  },
);

test("the `fetch` of Node, which ends streams that are quiet for five minutes, has no part in it", async () => {
  const server = createServer({ name: "older", version: "1.0.0", tools: { hello: tool({ run: () => "Hello" }) } });
  const serving = await serveHttp(server, { port: 0, legacy: { sse: true } });
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

test("an older endpoint that is remembered is opened at once, also by browsers whose signals can neither be joined nor have a time", async () => {
  const spies = [vi.spyOn(AbortSignal, "any"), vi.spyOn(AbortSignal, "timeout")];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  for (const spy of spies) {
    spy.mockImplementation(() => {
      throw new TypeError("not a function");
    });
  }
  let tell: ReturnType<typeof openEvents> | undefined;
  const { url, seen } = await listen(({ method, url: path, message }, response) => {
    if (method === "GET") {
      tell = openEvents(response);
      response.write("event: endpoint\ndata: /messages\n\n");
      return;
    }
    response.writeHead(path === "/messages" ? 202 : 405).end();
    const result = { protocolVersion: "2024-11-05", capabilities: {}, serverInfo: { name: "older", version: "1.0.0" } };
    if (message?.method === "initialize") tell?.({ jsonrpc: "2.0", id: message.id, result });
  });
  const memory = createServerMemory();
  memory.set(url, "sse-pair");
  const client = await connect(url, { memory });
  expect(client.revision).toBe("2024-11-05");
  await client.close();
  // Nothing newer was tried at the address of the stream.
  expect(seen.filter(({ method, url: path }) => method === "POST" && path === "/mcp")).toEqual([]);
});

test("an older endpoint that wants messages sent to a forbidden place is reported, rather than what led to it", async () => {
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
