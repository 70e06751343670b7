import { on, once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { decodeFrames } from "../../../src/wire/decode/frames.ts";
import { decodeHttp } from "../../../src/wire/decode/http.ts";
import { tapPort } from "../../../src/wire/tap-port.ts";

test("decodeFrames() reads what a real WebSocket connection carries, of every length and in fragments", async () => {
  const texts = ["{}", "x".repeat(125), "y".repeat(126), "grüße 🌍".repeat(20_000)];
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  server.on("connection", (socket) => {
    socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  const tap = await tapPort({ port: (server.address() as AddressInfo).port });
  const client = new WebSocket(`ws://127.0.0.1:${tap.port}`, { perMessageDeflate: false });
  await once(client, "open");

  const messages = on(client, "message");
  client.send("frag", { fin: false });
  client.send("mented", { fin: true });
  client.ping();
  for (const text of texts) client.send(text);
  const answers: string[] = [];
  for await (const [data] of messages) {
    answers.push(String(data));
    if (answers.length === texts.length + 1) break;
  }
  client.close();
  await once(client, "close");
  await tap.close();
  server.close();

  const [recording] = tap.recordings();
  const { upgraded } = decodeHttp(recording?.toServer ?? Buffer.alloc(0), recording?.toClient ?? Buffer.alloc(0));
  expect(decodeFrames(upgraded?.toServer ?? Buffer.alloc(0))).toEqual(["fragmented", ...texts]);
  expect(decodeFrames(upgraded?.toClient ?? Buffer.alloc(0))).toEqual(answers);
});

test("decodeFrames() leaves out a frame that was cut off", () => {
  const whole = Buffer.from([0x81, 2, 0x7b, 0x7d]);

  expect(decodeFrames(Buffer.concat([whole, Buffer.from([0x81, 10, 0x7b])]))).toEqual(["{}"]);
  expect(decodeFrames(Buffer.concat([whole, Buffer.from([0x81, 126, 0])]))).toEqual(["{}"]);
});

test("decodeFrames() refuses what it cannot read", () => {
  expect(() => decodeFrames(Buffer.from([0xc1, 2, 0x7b, 0x7d]))).toThrow("extension");
});
