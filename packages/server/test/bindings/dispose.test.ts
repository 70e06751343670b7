import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { createMemoryChannels, serveChannel } from "../../src/bindings/channel/index.ts";
import { createHttpHandler, createNodeHandler, serveHttp } from "../../src/http.ts";
import { createServer } from "../../src/index.ts";
import { serveStdio } from "../../src/bindings/stdio/index.ts";
import { serveWebSocket } from "../../src/bindings/websocket/index.ts";
import { modern } from "./http/client.ts";
import { FrameClient } from "./websocket/frame-client.ts";

const server = createServer({ name: "d", version: "1", tools: {} });

/** Listens until the test ends. */
async function listen(http = createHttpServer()): Promise<number> {
  await once(http.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => http.closeAllConnections());
  onTestFinished(() => void http.close());
  return (http.address() as AddressInfo).port;
}

/** All ways to serve, each with a function that tells whether it has ended. */
const SERVINGS: readonly (readonly [string, () => Promise<[AsyncDisposable, () => Promise<unknown>]>])[] = [
  [
    "createHttpHandler",
    async () => {
      const handler = createHttpHandler(server);
      const isRefused = async (): Promise<void> => {
        const response = await handler.fetch(new Request("http://localhost/", modern("tools/list")));
        expect(response.status).toBe(503);
      };
      return [handler, isRefused];
    },
  ],
  [
    "createNodeHandler",
    async () => {
      const handler = createNodeHandler(server);
      const port = await listen(createHttpServer(handler));
      const isRefused = async (): Promise<void> => {
        expect((await fetch(`http://127.0.0.1:${port}/`, modern("tools/list"))).status).toBe(503);
      };
      return [handler, isRefused];
    },
  ],
  [
    "serveHttp",
    async () => {
      const serving = await serveHttp(server, { port: 0 });
      return [serving, () => expect(fetch(serving.url, modern("tools/list"))).rejects.toThrow("fetch failed")];
    },
  ],
  [
    "serveWebSocket",
    async () => {
      const serving = await serveWebSocket(server, { port: 0 });
      const client = await FrameClient.open(serving.url);
      const closed = client.closed();
      return [serving, async () => expect(await closed).toBe(1001)];
    },
  ],
  [
    "serveWebSocket on a server that exists",
    async () => {
      const http = createHttpServer();
      await listen(http);
      const serving = await serveWebSocket(server, { server: http });
      const client = await FrameClient.open(serving.url);
      const closed = client.closed();
      return [serving, async () => expect(await closed).toBe(1001)];
    },
  ],
  [
    "serveStdio",
    async () => {
      const serving = serveStdio(server, { input: new PassThrough(), output: new PassThrough() });
      return [serving, () => serving.closed];
    },
  ],
  [
    "serveChannel",
    async () => {
      const served = serveChannel(server, createMemoryChannels()[0]);
      return [served, () => served.closed];
    },
  ],
];

test.each(SERVINGS)("%s can be closed by the end of a block", async (_name, serve) => {
  const [serving, isClosed] = await serve();
  await serving[Symbol.asyncDispose]();
  await isClosed();
  // As with `close`, twice is safe.
  await expect(serving[Symbol.asyncDispose]()).resolves.toBeUndefined();
});
