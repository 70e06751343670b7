/** The event store in memory stays within its limits, and a caller's share of it, whatever sessions leave behind. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createMemoryEventStore, type EventStore } from "../../src/http.ts";
import { LegacyClient } from "../bindings/http/client.ts";
import { serveAbused } from "./abused-server.ts";
import { leaveAnswers, reach } from "./callers.ts";

const MAX = 400_000;
const MAX_PER_CLIENT = 60_000;

/** A store that tells how much it keeps for each client, by asking for everything that it was ever given. */
function watchStore(store: EventStore): EventStore & { keptByClient(): Promise<Map<string, number>> } {
  const streams = new Map<string, { readonly client: string; readonly session: string; readonly stream: string }>();
  return {
    append(session, stream, event, client = session) {
      streams.set(`${session} ${stream}`, { client, session, stream });
      return store.append(session, stream, event, client);
    },
    after: (session, stream, sequence) => store.after(session, stream, sequence),
    forget: (session) => store.forget(session),
    async keptByClient() {
      const kept = new Map<string, number>();
      for (const { client, session, stream } of streams.values()) {
        const events = await store.after(session, stream, 0);
        const size = events.reduce((sum, { data }) => sum + data.length, 0);
        kept.set(client, (kept.get(client) ?? 0) + size);
      }
      return kept;
    },
  };
}

const CALLERS = Array.from({ length: 12 }, (_, index) => `caller ${index + 1}`);
const ACTIONS = ["leaveSmall", "leaveLarge", "leaveLarge", "open", "delete"] as const;

test.each([1, 2, 3])("never keeps more characters than allowed, in all and for one client, mix %i", async (seed) => {
  const limits = { max: MAX, maxPerSession: MAX_PER_CLIENT / 2, maxUnsentPerClient: MAX_PER_CLIENT / 2 };
  const eventStore = watchStore(createMemoryEventStore(limits));
  const target = await serveAbused({ http: { legacy: { eventStore } } });
  const open = (caller: string): Promise<LegacyClient> => LegacyClient.open(reach(target, caller));
  const clients = new Map<string, LegacyClient>();
  for (const caller of CALLERS) clients.set(caller, await open(caller));
  const step = fc.record({ caller: fc.constantFrom(...CALLERS), action: fc.constantFrom(...ACTIONS) });
  const [steps = []] = fc.sample(fc.array(step, { minLength: 80, maxLength: 80 }), { seed, numRuns: 1 });
  let most = 0;
  for (const { caller, action } of steps) {
    const client = clients.get(caller)!;
    if (action === "delete") await client.delete();
    if (action === "open" || action === "delete") clients.set(caller, await open(caller));
    else await leaveAnswers(target, client, caller, 4, action === "leaveSmall" ? 500 : 25_000);
    const kept = await eventStore.keptByClient();
    for (const size of kept.values()) expect(size).toBeLessThanOrEqual(MAX_PER_CLIENT);
    const sum = [...kept.values()].reduce((total, size) => total + size, 0);
    expect(sum).toBeLessThanOrEqual(MAX);
    most = Math.max(most, sum);
  }
  // The mix is worth something only if it goes to the limits.
  expect(most).toBeGreaterThan(MAX / 3);
});
