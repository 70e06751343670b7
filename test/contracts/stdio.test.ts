import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { spawnServer } from "@toolwire/client/stdio";
import type { Channel } from "@toolwire/protocol";
import { createLineChannel } from "@toolwire/protocol/channels";
import { channelContract, registerContract } from "@toolwire/protocol/testing";
import { describe, it } from "vitest";

const LIMITS = { maxMessageBytes: 2_000_000, maxQueuedBytes: 4_000_000 };

/** A client's channel to a real process, behind which the test plays the server. */
async function connect() {
  const listener = createServer({ allowHalfOpen: true });
  await once(listener.listen(0, "127.0.0.1"), "listening");
  const accepted = new Promise<Socket>((resolve) => void listener.once("connection", resolve));
  const relay = fileURLToPath(new URL("relay.mjs", import.meta.url));
  const { port } = listener.address() as AddressInfo;
  const client = spawnServer({ command: process.execPath, args: [relay, `${port}`], ...LIMITS });
  const server: Promise<Channel> = accepted.then((socket) =>
    createLineChannel(socket, socket, { side: "server", ...LIMITS }),
  );
  return { client, server, accepted, listener };
}

registerContract(
  "The channel to a child process",
  channelContract({
    connect,
    disconnect: ({ listener }) => void listener.close(),
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
