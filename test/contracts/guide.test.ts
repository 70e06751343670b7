import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MessageChannel } from "node:worker_threads";
import type { Channel, ExchangeTransport } from "@toolwire/protocol";
import { channelContract, exchangeContract, registerContract, type AnsweringPeer } from "@toolwire/protocol/testing";
import { afterAll, describe, it } from "vitest";
import { root } from "../../scripts/workspace.mjs";

const guide = await readFile(join(root, "docs/writing-a-transport.md"), "utf8");
const folder = await mkdtemp(join(root, "test/.toolwire-guide-"));
afterAll(() => rm(folder, { recursive: true }));

/** Loads the block of the guide that begins with the name of this file. */
async function load(file: string): Promise<unknown> {
  const code = guide.split("```").find((block) => block.startsWith(`ts\n// ${file}\n`));
  await writeFile(join(folder, file), code?.slice(2) ?? "");
  return import(join(folder, file));
}

const { createPortChannel } = (await load("port-channel.ts")) as {
  createPortChannel(port: unknown, side: "client" | "server"): Channel;
};
const { createDirectTransport } = (await load("direct-transport.ts")) as {
  createDirectTransport(peer: AnsweringPeer): ExchangeTransport;
};

registerContract(
  "The channel in the guide",
  channelContract({
    connect() {
      const { port1, port2 } = new MessageChannel();
      return {
        client: createPortChannel(port1, "client"),
        server: createPortChannel(port2, "server"),
        ports: { client: port1, server: port2 },
      };
    },
    sendText({ ports }, from, text) {
      const port = ports[from];
      port.postMessage(text);
    },
    breakConnection: ({ ports }) => ports.client.close(),
    backpressure: false,
    timeout: 20_000,
  }),
  { describe, it },
);

registerContract(
  "The exchange transport in the guide",
  exchangeContract({ connect: (peer) => ({ client: createDirectTransport(peer) }), timeout: 20_000 }),
  { describe, it },
);
