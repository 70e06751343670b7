import { once } from "node:events";
import { createServer as createHttpServer, request, type IncomingMessage, type ServerOptions } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { expect, onTestFinished, test, vi, type Mock } from "vitest";
import { createServer, tool } from "../../../../src/index.ts";
import { createNodeHandler } from "../../../../src/http.ts";
import { modern } from "../client.ts";

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
  const { headers, body } = modern("tools/call", { name: "long" });
  const sent = request({
    port,
    host: "127.0.0.1",
    method: "POST",
    headers: Object.fromEntries(headers as [string, string][]),
  });
  onTestFinished(() => void sent.destroy());
  sent.end(body);
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

test("a long answer leaves the time that somebody else's server gives idle connections as it was", async () => {
  // Node adds a little of its own.
  expect(await idleTimeAfter({ keepAliveTimeout: 60_000 }, 123_000)).toBeGreaterThanOrEqual(60_000);
  expect(await idleTimeAfter({ keepAliveTimeout: 60_000 }, 123_000)).toBeLessThan(70_000);
});

test("an answer that had to wait for its turn behind another may not be left unread for longer, either", async () => {
  let goOn: (() => void) | undefined;
  const first = tool({ run: () => new Promise<string>((resolve) => (goOn = () => resolve("first"))) });
  const long = tool({ run: () => "x".repeat(30_000_000) });
  const handle = createNodeHandler(createServer({ name: "l", version: "1", tools: { first, long } }));
  const http = createHttpServer({ keepAliveTimeout: 0 }, handle);
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => void http.close());
  let set: Mock | undefined;
  http.once("connection", (socket: Socket) => {
    set = vi.spyOn(socket, "setTimeout");
  });
  let answers = 0;
  const finished = new Promise<Socket>((resolve) => {
    http.on("request", ({ socket }, response) => {
      answers += 1;
      if (answers < 2) return;
      response.once("finish", () => resolve(socket));
      setImmediate(() => goOn?.());
    });
  });
  const client = connect((http.address() as AddressInfo).port, "127.0.0.1").resume();
  onTestFinished(() => void client.destroy());
  for (const name of ["first", "long"]) {
    const { headers, body } = modern("tools/call", { name });
    const fields = [...(headers as [string, string][]), ["host", "localhost"], ["content-length", `${body.length}`]];
    client.write(`POST / HTTP/1.1\r\n${fields.map((field) => field.join(": ")).join("\r\n")}\r\n\r\n${body}`);
  }
  const { timeout } = await finished;
  expect(set).toHaveBeenCalledWith(60_000);
  expect(timeout).toBe(0);
});
