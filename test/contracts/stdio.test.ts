import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnServer } from "@toolwire/client/stdio";
import type { Channel } from "@toolwire/protocol";
import { createLineChannel } from "@toolwire/protocol/channels";
import { channelContract, registerContract } from "@toolwire/protocol/testing";
import { describe, it } from "vitest";

const LIMITS = { maxMessageBytes: 2_000_000, maxQueuedBytes: 4_000_000 };

/** A client's channel to a real process, behind which the test plays the server. */
async function connect() {
  const folder = await mkdtemp(join(tmpdir(), "toolwire-"));
  const path = join(folder, "relay.sock");
  const listener = createServer({ allowHalfOpen: true });
  await new Promise<void>((resolve) => void listener.listen(path, resolve));
  const accepted = new Promise<Socket>((resolve) => void listener.once("connection", resolve));
  const relay = new URL("relay.mjs", import.meta.url).pathname;
  const client = spawnServer({ command: process.execPath, args: [relay, path], ...LIMITS });
  const server: Promise<Channel> = accepted.then((socket) =>
    createLineChannel(socket, socket, { side: "server", ...LIMITS }),
  );
  return { client, server, accepted, listener, folder };
}

registerContract(
  "The channel to a child process",
  channelContract({
    connect,
    async disconnect({ folder, listener }) {
      listener.close();
      await rm(folder, { recursive: true });
    },
    async sendText({ accepted }, from, text) {
      const socket = await accepted;
      // A line of the client arrives at the server as a chunk of its socket.
      if (from === "server") socket.write(`${text}\n`);
      else socket.emit("data", Buffer.from(`${text}\n`));
    },
    breakConnection: ({ client }) => void process.kill(client.pid!, "SIGKILL"),
    ...LIMITS,
    timeout: 20_000,
  }),
  { describe, it },
);
