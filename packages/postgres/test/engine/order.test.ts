import type { PostgresServer } from "@toolwire/engines";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { joinByPg, joinByPostgresJs, type Node, start } from "./postgres.ts";

let server: PostgresServer;
let nodes: Node[] = [];

beforeAll(async () => {
  server = await start();
  nodes = await Promise.all([joinByPg, joinByPostgresJs, joinByPg].map((join) => join(server.url)));
});

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.end()));
  await server.close();
});

describe("The log of changes in Postgres", () => {
  it("is read in one order by all nodes, without gaps, however many announce at once", async () => {
    let run = 0;
    const sizes = fc.array(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 12 }), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(sizes, async (announcements) => {
        run += 1;
        const prefix = `${run}:`;
        const heard = nodes.map(({ bus }) => {
          const changes: string[] = [];
          const stop = bus.listen({
            message() {},
            changes: (batch) => changes.push(...batch.changes.filter((change) => change.startsWith(prefix))),
            missed: () => changes.push("missed"),
          });
          return { changes, stop };
        });
        // Every node announces everything at once, over several connections.
        await Promise.all(
          announcements.flatMap((batches, node) =>
            batches.map(async (size, batch) =>
              nodes[node]?.bus.announce(
                Array.from({ length: size }, (_, number) => `${prefix}${node}.${batch}.${number}`),
              ),
            ),
          ),
        );
        const total = announcements.flat().reduce((sum, size) => sum + size, 0);
        await vi.waitFor(() => {
          for (const { changes } of heard) expect(changes).toHaveLength(total);
        }, 10_000);
        for (const { changes, stop } of heard) {
          stop();
          expect(changes).toEqual(heard[0]?.changes);
          expect(new Set(changes).size).toBe(total);
        }
        // What was announced together stays together.
        const order = heard[0]?.changes ?? [];
        for (const [index, change] of order.entries()) {
          const [head = "", number = ""] = change.split(/\.(?=\d+$)/);
          if (Number(number) > 0) expect(order[index - 1]).toBe(`${head}.${Number(number) - 1}`);
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe("Writes to Postgres that are repeated", () => {
  it("at the same moment leave what one of them would have left", async () => {
    const pair = nodes.slice(0, 2);
    const id = "repeated";
    const room = { max: 100, maxPerClient: 1 };
    const twice = async <T>(act: (node: Node) => Promise<T>): Promise<T[]> =>
      Promise.all([...pair, ...pair].map(async (node) => act(node)));
    const created = await twice(({ sessions }) => sessions.create({ id, facts: "{}", client: "c" }, 60_000, room));
    expect(new Set(created)).toEqual(new Set(["created"]));
    await twice(({ sessions }) => sessions.update(id, { isReady: true, watch: "file:///a" }));
    const events = Array.from({ length: 5 }, (_, index) => ({ sequence: index + 1, data: `"${index + 1}"` }));
    await twice(({ events: log }) => log.append(id, "p1", events, { ttl: 60_000, maxBytes: 1000, isLast: true }));
    await twice(({ events: log }) => log.append(id, "p1", events.slice(2), { ttl: 60_000, maxBytes: 6 }));
    const added = await twice(({ keys }) => keys.add({ id: "repeated", secret: "s" }, undefined));
    const [node] = nodes;
    expect(added).toEqual([true, true, true, true]);
    expect(await node?.sessions.get(id)).toMatchObject({ isReady: true, watched: ["file:///a"] });
    const kept = await node?.events.read(id, "p1", 0, 10);
    expect(kept?.events.map(({ sequence }) => sequence)).toEqual([4, 5]);
    expect(kept).toMatchObject({ isComplete: true, hasGap: true });
    const ended = await twice(({ sessions }) => sessions.end(id));
    expect(ended.filter(Boolean)).toHaveLength(1);
    await twice(({ keys }) => keys.remove("repeated"));
  });
});
