import { textOf, type Client } from "@toolwire/client";
import type { Era } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { createUpstreamServer, runs } from "./fixtures/upstream-server.ts";
import { host, type UpstreamConfig } from "./hosting.ts";
import { commandOf, ERAS, overHttp, overWebSocket } from "./servers.ts";

const KINDS: { readonly [kind: string]: (era: Era) => Promise<UpstreamConfig> } = {
  stdio: async (era) => commandOf("fixtures/stdio-upstream.ts", era),
  http: async (era) => ({ url: await overHttp(createUpstreamServer(era)) }),
  websocket: async (era) => ({ url: await overWebSocket(createUpstreamServer(era)) }),
};

async function cancelOne(client: Client): Promise<void> {
  const stop = new AbortController();
  const call = client.callTool("wait", {}, { signal: stop.signal, onProgress: () => stop.abort(new Error("enough")) });
  await expect(call).rejects.toThrow("enough");
}

const CASES = Object.keys(KINDS).flatMap((kind) => ERAS.map((era) => [kind, era] as const));

describe.each(CASES)("cancellation-reaches-the-api: an upstream over %s of the %s era", (kind, era) => {
  test("hears when its caller cancels, whether or not the caller could be asked something", async () => {
    runs["cancelled"] = 0;
    const { connect } = await host({ one: await KINDS[kind]!(era) });
    const observer = await connect();
    let expected = 0;
    for (const caller of ERAS) {
      await cancelOne(await connect({ era: caller }));
      // Only the shared connection is observed: one that is leased ends with the cancelled call.
      expected += 1;
      await eventually(async () => expect(textOf(await observer.callTool("cancelled"))).toBe(String(expected)));
      if (era === "modern" || kind !== "stdio") {
        await cancelOne(await connect({ era: caller, roots: [] }));
        expected += 1;
        await eventually(async () => expect(textOf(await observer.callTool("cancelled"))).toBe(String(expected)));
      }
    }
  });
});

test("cancellation-reaches-the-api: the process that served a cancelled call with questions is gone", async () => {
  const { connect } = await host({ one: commandOf("fixtures/stdio-upstream.ts", "legacy") });
  const client = await connect({ roots: [] });
  const { pid } = JSON.parse(textOf(await client.callTool("caller"))) as { pid: number };
  // The process that was used last is used again. It could still ask something that nobody waits for.
  await cancelOne(client);
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
});
