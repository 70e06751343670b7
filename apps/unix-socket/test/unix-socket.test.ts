import { mkdtemp, rm } from "node:fs/promises";
import { createConnection, createServer, type Server as Listener, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@toolwire/client";
import { channelContract, registerContract } from "@toolwire/protocol/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from "vitest";
import { createSocketChannel, createUnixSocketChannel, serveUnixSocket } from "../src/unix-socket.ts";
import { server } from "./server.ts";

const LIMITS = { maxMessageBytes: 2_000_000, maxQueuedBytes: 4_000_000 };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolwire-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Two connected sockets. */
async function connectSockets(): Promise<{ client: Socket; server: Socket; listener: Listener }> {
  const listener = createServer({ allowHalfOpen: true });
  await new Promise<void>((resolve) => void listener.listen(join(folder, "contract.sock"), resolve));
  const accepted = new Promise<Socket>((resolve) => void listener.once("connection", resolve));
  const client = createConnection({ path: join(folder, "contract.sock"), allowHalfOpen: true });
  return { client, server: await accepted, listener };
}

registerContract(
  "The channel of a Unix socket",
  channelContract({
    async connect() {
      const sockets = await connectSockets();
      return {
        client: createSocketChannel(sockets.client, "client", LIMITS),
        server: createSocketChannel(sockets.server, "server", LIMITS),
        sockets,
      };
    },
    disconnect: ({ sockets }) => new Promise<void>((resolve) => void sockets.listener.close(() => resolve())),
    sendText: ({ sockets }, from, text) => void sockets[from].write(`${text}\n`),
    endOutput: ({ sockets }, end) => void sockets[end].end(),
    breakConnection: ({ sockets }) => void sockets.server.destroy(),
    ...LIMITS,
    timeout: 20_000,
  }),
  { describe, it },
);

describe("A server on a Unix socket", () => {
  test.each(["modern", "legacy"] as const)("answers a client of the %s era.", async (era) => {
    const path = join(folder, `${era}.sock`);
    const listener = await serveUnixSocket(server, path);
    onTestFinished(() => listener.close());
    await using client = await connect<typeof server>(() => createUnixSocketChannel(path), { era });
    const steps: number[] = [];
    const result = await client.callTool("count", {}, { onProgress: ({ progress }) => void steps.push(progress) });
    expect([client.era, result.content, steps]).toEqual([era, [{ type: "text", text: "3" }], [1, 2, 3]]);
  });

  test("fails the calls of its clients when it is closed in the middle of them.", async () => {
    const path = join(folder, "closing.sock");
    const listener = await serveUnixSocket(server, path);
    await using client = await connect(createUnixSocketChannel(path), { era: "modern", reconnect: false });
    const pending = expect(client.callTool("hang")).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    await listener.close();
    await pending;
  });

  test("is missed with the name of the path.", async () => {
    const path = join(folder, "nobody.sock");
    const connecting = connect(createUnixSocketChannel(path), { reconnect: false });
    await expect(connecting).rejects.toMatchObject({ code: "CONNECT_FAILED", message: expect.stringContaining(path) });
  });

  test("refuses a path where another server listens.", async () => {
    const path = join(folder, "taken.sock");
    const listener = await serveUnixSocket(server, path);
    onTestFinished(() => listener.close());
    await expect(serveUnixSocket(server, path)).rejects.toThrow("EADDRINUSE");
  });
});
