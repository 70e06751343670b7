import { MessageChannel, Worker } from "node:worker_threads";
import { connect } from "@toolwire/client";
import { channelContract, registerContract } from "@toolwire/protocol/testing";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { createPortChannel } from "../src/message-port.ts";
import type { server } from "./server.ts";

registerContract(
  "The channel of a port",
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

describe("A server in a thread", () => {
  function startThread() {
    const { port1, port2 } = new MessageChannel();
    const worker = new Worker(new URL("worker.mjs", import.meta.url), {
      workerData: port2,
      transferList: [port2],
      execArgv: ["--conditions=@toolwire/source"],
    });
    onTestFinished(async () => void (await worker.terminate()));
    return { worker, channel: createPortChannel(port1, "client") };
  }

  test.each(["modern", "legacy"] as const)("answers a client of the %s era.", async (era) => {
    await using client = await connect<typeof server>(startThread().channel, { era });
    const steps: number[] = [];
    const result = await client.callTool("count", {}, { onProgress: ({ progress }) => void steps.push(progress) });
    expect([client.era, result.content, steps]).toEqual([era, [{ type: "text", text: "3" }], [1, 2, 3]]);
  });

  test("fails the calls of its client when the thread ends.", async () => {
    const { worker, channel } = startThread();
    await using client = await connect(channel, { era: "modern", reconnect: false });
    const pending = expect(client.callTool("hang")).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    await worker.terminate();
    await pending;
  });
});
