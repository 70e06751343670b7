import { once } from "node:events";
import fc from "fast-check";
import { expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { FrameReader, frameMessage } from "../../src/load/websocket-frames.ts";
import { openWebSocket } from "../../src/load/websocket-load.ts";

const SIZES = [1, 125, 126, 65_535, 65_536, 200_000];

test("a real server reads the frames, and its frames are read", async () => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", handleProtocols: () => "mcp" });
  await once(server, "listening");
  server.on("connection", (socket) =>
    socket.on("message", (data: Buffer) => socket.send(data.toString().toUpperCase())),
  );
  const socket = await openWebSocket((server.address() as { port: number }).port);
  const answers: string[] = [];
  const done = new Promise<void>((resolve) => {
    const reader = new FrameReader((payload) => {
      answers.push(Buffer.concat(payload).toString());
      if (answers.length === SIZES.length) resolve();
    });
    socket.on("data", (bytes: Buffer) => reader.push(bytes));
  });
  for (const size of SIZES) socket.write(frameMessage({ bytes: Buffer.from("a".repeat(size)), idOffset: 0 }).bytes);
  await done;
  expect(answers.map((answer) => answer.length)).toEqual(SIZES);
  expect(answers.every((answer) => /^A+$/.test(answer))).toBe(true);
  socket.destroy();
  server.close();
});

test("the id is found where it was, behind the head of the frame", () => {
  const { bytes, idOffset } = frameMessage({ bytes: Buffer.from(`{"id":123456789}`), idOffset: 6 });
  expect(bytes.toString("latin1", idOffset, idOffset + 9)).toBe("123456789");
});

test("frames are read however the bytes are cut", () => {
  const frame = (text: string): Buffer => {
    const length = Buffer.byteLength(text);
    const head = length < 126 ? [0x81, length] : [0x81, 126, length >> 8, length & 0xff];
    return Buffer.concat([Buffer.from(head), Buffer.from(text)]);
  };
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1, maxLength: 300 }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 50 }),
      (texts, size) => {
        const wire = Buffer.concat(texts.map(frame));
        const read: string[] = [];
        const reader = new FrameReader((payload) => read.push(Buffer.concat(payload).toString()));
        for (let at = 0; at < wire.length; at += size) reader.push(wire.subarray(at, at + size));
        expect(read).toEqual(texts);
      },
    ),
  );
});
