/** Entry point of a process that calls an engine directly: the cost of each operation, without a server around it. */
import type { Cluster } from "@toolwire/server/cluster";
import { quantile } from "../measure/statistics.ts";
import { answerCommands } from "../processes/commands.ts";
import { createJoin } from "./join.ts";
import type { EngineAddress, MeasuredOperation } from "./wiring.ts";

/** The commands of the process. */
export interface OperatorCommands {
  /** Calls an operation so many times one after the other. */
  time(argument: { readonly operation: MeasuredOperation; readonly count: number }): Promise<number>;
  /** Calls it so many times with many calls in flight, and returns how many milliseconds that took. */
  run(argument: { readonly operation: MeasuredOperation; readonly count: number }): Promise<number>;
}

const IN_FLIGHT = 64;
const SESSIONS = 1000;
const TTL = 30 * 60_000;
const ROOM = { max: 10_000_000, maxPerClient: 10_000_000 };
const FACTS = JSON.stringify({
  revision: "2025-11-25",
  capabilities: { elicitation: {} },
  clientInfo: { name: "bench" },
});
const EVENT = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "x".repeat(300) }] } });

const [text = "{}"] = process.argv.slice(2);
const join = createJoin(JSON.parse(text) as EngineAddress);
const cluster = await join();
const other = await join();
other.bus.listen({ message: () => "heard", changes() {}, missed() {} });
cluster.bus.listen({ message: () => undefined, changes() {}, missed() {} });

const ids = Array.from({ length: SESSIONS }, () => crypto.randomUUID());
for (const id of ids) await cluster.sessions.create({ id, facts: FACTS }, TTL, ROOM);
let count = 0;

/** Calls an operation once. Sessions take turns. */
function operate({ node, sessions, events, bus }: Cluster, operation: MeasuredOperation): Promise<unknown> {
  count += 1;
  const number = count;
  const id = ids[number % SESSIONS] ?? "";
  const message = { id: `message${number}`, kind: "bench", body: { session: id, request: number } };
  switch (operation) {
    case "sessions.create":
      return sessions.create({ id: crypto.randomUUID(), facts: FACTS }, TTL, ROOM);
    case "sessions.get":
      return sessions.get(id);
    case "sessions.touch":
      return sessions.touch(id, TTL);
    case "sessions.update":
      return sessions.update(id, { isReady: true });
    case "sessions.claim":
      return sessions.claim(id, { node, stream: `g${node}.${number}` });
    case "events.append":
      return events.append(id, `p${node}.${number}`, [{ sequence: 1, data: EVENT }], {
        ttl: 60_000,
        maxBytes: 262_144,
      });
    case "events.read":
      return events.read(id, `p${node}.${number}`, 0, 100);
    case "bus.request":
      return bus.request(other.node, message, { timeout: 5000 });
    case "bus.broadcast":
      return bus.broadcast(message);
    case "bus.announce":
      return bus.announce([JSON.stringify({ server: "bench", uri: `bench://${number % 10}` })]);
    default:
      return operation satisfies never;
  }
}

answerCommands<OperatorCommands>({
  async time({ operation, count: calls }) {
    const times: number[] = [];
    for (let call = 0; call < calls; call += 1) {
      const start = performance.now();
      await operate(cluster, operation);
      times.push(performance.now() - start);
    }
    return quantile(
      times.toSorted((one, another) => one - another),
      0.5,
    );
  },
  async run({ operation, count: calls }) {
    let left = calls;
    const lane = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await operate(cluster, operation);
      }
    };
    const start = performance.now();
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
    return performance.now() - start;
  },
});
