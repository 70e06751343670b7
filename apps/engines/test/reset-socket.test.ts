import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { resetSocket } from "../src/reset-socket.ts";

let server: Server;
let near: Socket;
let far: Socket;

beforeEach(async () => {
  server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  far = connect((server.address() as AddressInfo).port, "127.0.0.1");
  [near] = (await once(server, "connection")) as [Socket];
});

afterEach(() => {
  far.destroy();
  server.close();
});

test("the other side of a connection hears of the reset", async () => {
  const failed = once(far, "error");
  resetSocket(near);

  expect(await failed).toMatchObject([{ code: "ECONNRESET" }]);
});

test("a connection whose end has just been written is closed, too", async () => {
  const closed = once(near, "close");
  near.end();
  resetSocket(near);

  expect(await closed).toEqual([false]);
});
