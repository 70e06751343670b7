import { connect } from "@toolwire/client";
import { createMemoryChannels, type RequestMessage } from "@toolwire/protocol";
import { expect, test } from "vitest";

const CALLS = 10_000;

test("ten thousand calls over one connection, answered in random order, are each matched", async () => {
  const [near, far] = createMemoryChannels();
  const waiting: RequestMessage[] = [];
  let seed = 42;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  void far.open({
    message(message) {
      if (!("method" in message) || !("id" in message)) return;
      if (message.method === "server/discover") {
        const result = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
        void far.send({ jsonrpc: "2.0", id: message.id, result });
        return;
      }
      waiting.push(message);
      if (waiting.length < CALLS) return;
      while (waiting.length > 0) {
        const index = random(waiting.length);
        const request = waiting[index]!;
        waiting[index] = waiting.at(-1)!;
        waiting.pop();
        const { arguments: structuredContent } = request.params as { arguments: object };
        void far.send({ jsonrpc: "2.0", id: request.id, result: { content: [], structuredContent } });
      }
    },
    batch() {},
    malformed() {},
    closed() {},
  });
  const client = await connect(near);
  const results = await Promise.all(Array.from({ length: CALLS }, (_, index) => client.callTool("echo", { index })));
  for (const [index, result] of results.entries()) expect(result.structuredContent).toEqual({ index });
  await client.close();
});
