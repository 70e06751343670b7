import { connect, type Client } from "@toolwire/client";
import { ToolwireError } from "@toolwire/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { faultyChannel, type Fault } from "../fault-channel.ts";
import { legacyServer, modernServer, type Script, type ScriptedServer } from "../scripted-server.ts";

const ECHO: Script = {
  "tools/call": (params) => ({ content: [], structuredContent: (params as { arguments?: object }).arguments }),
};

const CALLS = 12;
/** Generous: a call that takes longer than this was forgotten. */
const OVERDUE = 5_000;

const anyFault = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Fault>("pass") },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Fault>("drop", "delay", "duplicate", "reorder", "truncate", "garble"),
  },
);

/** Makes some calls, and resolves to how often each was settled in the way it should be. */
async function makeCalls(client: Client): Promise<number[]> {
  const settled: number[] = Array.from({ length: CALLS }, () => 0);
  const calls = settled.map(async (_, index) => {
    const outcome: unknown = await client.callTool("echo", { index }, { timeout: 15 }).catch((error: unknown) => error);
    // Each caller gets its own answer, or the reason why there is none.
    if (!(outcome instanceof ToolwireError)) expect(outcome).toMatchObject({ structuredContent: { index } });
    settled[index]! += 1;
  });
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("A call was lost silently.")), OVERDUE);
  });
  await Promise.race([Promise.all(calls), overdue]);
  clearTimeout(timer);
  return settled;
}

const EACH_ONCE = Array.from({ length: CALLS }, () => 1);

/** Lets the negotiation through, then mistreats everything. */
function faultsFrom(faults: readonly Fault[], isReady: () => boolean): () => Fault {
  let next = 0;
  return () => (isReady() ? (faults[next++ % faults.length] ?? "pass") : "pass");
}

describe.each([
  ["modern", () => modernServer(ECHO)],
  ["legacy", () => legacyServer(ECHO)],
])("over a channel that drops, delays, duplicates, reorders, truncates and garbles, with a %s server", (_, make) => {
  test("no call is lost silently, none is answered twice, none outlives its timeout", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyFault, { minLength: 1, maxLength: 40 }), async (faults) => {
        let isReady = false;
        const client = await connect(
          faultyChannel(
            make().channel,
            faultsFrom(faults, () => isReady),
          ),
          { onDiagnostic: () => {} },
        );
        isReady = true;
        expect(await makeCalls(client)).toEqual(EACH_ONCE);
        await client.close();
      }),
      { numRuns: 25 },
    );
  });

  test("a wire that breaks now and then is replaced, and every call is told", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyFault, { minLength: 1, maxLength: 20 }), fc.nat(30), async (faults, breaksAt) => {
        let isReady = false;
        let messages = 0;
        const servers: ScriptedServer[] = [];
        const client = await connect(
          () => {
            const server = make();
            servers.push(server);
            const inner = faultsFrom(faults, () => isReady && servers.length === 1);
            return faultyChannel(server.channel, () => (isReady && ++messages === breaksAt ? "break" : inner()));
          },
          { onDiagnostic: () => {}, reconnect: { delay: 1 } },
        );
        isReady = true;
        expect(await makeCalls(client)).toEqual(EACH_ONCE);
        // And life goes on.
        await expect(
          client.callTool("echo", { index: -1 }, { timeout: 1000 }).catch((error: unknown) => error),
        ).resolves.toBeDefined();
        await client.close();
      }),
      { numRuns: 15 },
    );
  });
});

test("a connection that fails while it is negotiated fails to connect, and does not hang", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyFault, { minLength: 1, maxLength: 6 }), async (faults) => {
      let next = 0;
      const channel = faultyChannel(modernServer(ECHO).channel, () => faults[next++] ?? "drop");
      const outcome = await connect(channel, { onDiagnostic: () => {}, probeTimeout: 2, connectTimeout: 20 }).catch(
        (error: unknown) => error,
      );
      if (!(outcome instanceof Error)) await (outcome as Client).close();
      expect(outcome instanceof Error && !(outcome instanceof ToolwireError)).toBe(false);
    }),
    { numRuns: 30 },
  );
});
