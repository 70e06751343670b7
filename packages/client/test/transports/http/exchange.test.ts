import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { MetaKey } from "@toolwire/protocol";
import { Caller } from "@toolwire/protocol/internal";
import { expect, it, onTestFinished } from "vitest";
import { createHttpTransport } from "../../../src/http.ts";
import { withResolvers } from "../../with-resolvers.ts";

const SIZE = 50_000;

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;

function heapUsed(): number {
  gc();
  return process.memoryUsage().heapUsed;
}

it("an answer that comes byte by byte takes no more memory than another", async () => {
  // The platform's own `fetch` may gather chunks, so this one is made here.
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { ok: 1 } }).padEnd(SIZE);
  const bytes = new TextEncoder().encode(text);
  const arrived = withResolvers<void>();
  const measured = withResolvers<void>();
  let sent = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (sent < SIZE) controller.enqueue(bytes.subarray(sent, ++sent));
        else {
          // Asked for more: all that was sent has been read.
          arrived.resolve();
          await measured.promise;
          controller.close();
        }
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { "content-type": "application/json" };
  const transport = createHttpTransport("http://example.com/mcp", {
    fetch: async () => new Response(body, { headers }),
  });
  void transport.open({});
  onTestFinished(() => transport.close());
  const before = heapUsed();
  const params = { _meta: { [MetaKey.ProtocolVersion]: "2026-07-28" } };
  const answer = new Caller(transport, { timeout: 20_000 }).call("m", params);
  await arrived.promise;
  expect(heapUsed() - before).toBeLessThan(SIZE * 50);
  measured.resolve();
  await expect(answer).resolves.toEqual({ ok: 1 });
});
