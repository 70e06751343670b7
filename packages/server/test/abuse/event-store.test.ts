/** The event store in memory stays within its limits, and a caller's share of it, whatever sessions leave behind. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createMemoryEventStore, type EventStore } from "../../src/http/index.ts";
import { LegacyClient } from "../http/client.ts";
import { LIMITS, serveAbused } from "./abused-server.ts";
import { leaveAnswers, reach } from "./callers.ts";

const MAX = 400_000;

/** A store that tells how much it keeps, by asking it for everything that it was ever given. */
function watchStore(store: EventStore): EventStore & { kept(): Promise<number> } {
  const streams = new Map<string, Set<string>>();
  return {
    append(session, stream, event) {
      streams.set(session, (streams.get(session) ?? new Set()).add(stream));
      return store.append(session, stream, event);
    },
    after: (session, stream, sequence) => store.after(session, stream, sequence),
    forget: (session) => store.forget(session),
    async kept() {
      let sum = 0;
      for (const [session, names] of streams) {
        for (const name of names) {
          for (const { data } of await store.after(session, name, 0)) sum += data.length;
        }
      }
      return sum;
    },
  };
}

const ACTIONS = ["leaveSmall", "leaveLarge", "open", "delete"] as const;

test.each([1, 2, 3])("never keeps more characters than allowed, mix %i", async (seed) => {
  const eventStore = watchStore(createMemoryEventStore({ max: MAX, maxPerSession: MAX / 4 }));
  const target = await serveAbused({ eventStore });
  const callers = ["mallory", "trudy"];
  const open = (caller: string): Promise<LegacyClient> => LegacyClient.open(reach(target, caller));
  const clients = new Map<string, LegacyClient>();
  for (const caller of callers) clients.set(caller, await open(caller));
  const step = fc.record({ caller: fc.constantFrom(...callers), action: fc.constantFrom(...ACTIONS) });
  const [steps = []] = fc.sample(fc.array(step, { minLength: 40, maxLength: 40 }), { seed, numRuns: 1 });
  let most = 0;
  for (const { caller, action } of steps) {
    const client = clients.get(caller)!;
    if (action === "open") clients.set(caller, await open(caller));
    else if (action === "delete") {
      await client.delete();
      clients.set(caller, await open(caller));
    } else await leaveAnswers(target, client, caller, 8, action === "leaveSmall" ? 500 : 30_000);
    const kept = await eventStore.kept();
    most = Math.max(most, kept);
    expect(kept).toBeLessThanOrEqual(MAX);
  }
  // The mix is worth something only if it fills the store.
  expect(most).toBeGreaterThan(MAX / 2);
  expect(target.ledger.peak).toBeLessThanOrEqual(LIMITS.all);
});
