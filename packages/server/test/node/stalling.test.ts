import { once } from "node:events";
import { createServer as createHttpServer, request, type IncomingMessage, type ServerOptions } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished, test, vi, type Mock } from "vitest";
import { createServer, tool } from "../../src/index.ts";
import { createNodeHandler } from "../../src/node/index.ts";

/** Lets a server of our own give a long answer. Returns how long its connection may be quiet afterwards. */
async function idleTimeAfter(options: ServerOptions, timeout: number): Promise<number | undefined> {
  const long = tool({ run: () => "x".repeat(30_000_000) });
  const handle = createNodeHandler(createServer({ name: "l", version: "1", tools: { long } }));
  const http = createHttpServer(options, handle).setTimeout(timeout);
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => void http.close());
  let set: Mock | undefined;
  http.once("connection", (socket: Socket) => {
    set = vi.spyOn(socket, "setTimeout");
  });
  const finished = new Promise<Socket>((resolve) => {
    http.once("request", (incoming, response) => response.once("finish", () => resolve(incoming.socket)));
  });
  const { port } = http.address() as AddressInfo;
  const sent = request({ port, host: "127.0.0.1", method: "POST", headers: { "content-type": "application/json" } });
  onTestFinished(() => void sent.destroy());
  sent.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "long" } }));
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  answer.resume();
  const socket = await finished;
  // As long as the client could have stopped to read, it was not waited for longer than this.
  expect(set).toHaveBeenCalledWith(60_000);
  return socket.timeout;
}

test("a long answer leaves the timeouts of somebody else's server as they were", async () => {
  expect(await idleTimeAfter({ keepAliveTimeout: 0 }, 0)).toBe(0);
  expect(await idleTimeAfter({ keepAliveTimeout: 0 }, 123_000)).toBe(123_000);
});

test("... and the time that it gives idle connections", async () => {
  // Node adds a little of its own.
  expect(await idleTimeAfter({ keepAliveTimeout: 60_000 }, 123_000)).toBeGreaterThanOrEqual(60_000);
  expect(await idleTimeAfter({ keepAliveTimeout: 60_000 }, 123_000)).toBeLessThan(70_000);
});
