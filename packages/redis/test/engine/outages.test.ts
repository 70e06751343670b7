import { inspect } from "node:util";
import type { Cluster } from "@toolwire/server/cluster";
import { createClient } from "redis";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CLIENTS } from "./clients.ts";
import { hearChanges, QUICK, useRig } from "./rig.ts";

const rig = useRig();
const ROOM = { max: 1000, maxPerClient: 1000 };

/** Calls until the engine is known to be down: what was on its way before may still arrive. */
async function findDown({ sessions, bus }: Cluster): Promise<void> {
  const call = async (): Promise<boolean> => {
    const error: unknown = await sessions.get("a").catch((thrown: unknown) => thrown);
    if (error !== undefined) expect(error).toMatchObject({ name: "ClusterError", code: "UNAVAILABLE" });
    return bus.isUp;
  };
  await expect.poll(call).toBe(false);
}

describe.each(Object.entries(CLIENTS))("%s", (_library, make) => {
  test("while the engine hangs, calls are refused; once it goes on, they succeed and changes are caught up with", async () => {
    const [node, witness] = [await rig.join(make), await rig.witness()];
    const heard = hearChanges(node);
    rig.server.pause();
    await findDown(node);
    await findDown(witness);
    rig.server.continue();
    await expect.poll(() => node.bus.isUp && witness.bus.isUp).toBe(true);

    await witness.bus.announce(["news"]);
    await expect.poll(() => heard.changes).toEqual(["news"]);
    expect(heard).toMatchObject({ missed: 0, states: [false, true] });
    expect(await node.sessions.get("a")).toBeUndefined();
  });

  test("a node whose connections swallow everything gets new ones, and hears what it has not heard", async () => {
    const [node, witness] = [await rig.join(make), await rig.witness()];
    const heard = hearChanges(node);
    rig.proxy.swallow();
    await findDown(node);
    await witness.bus.announce(["1", "2"]);
    rig.proxy.passAgain();
    await expect.poll(() => node.bus.isUp).toBe(true);
    await expect.poll(() => heard.changes).toEqual(["1", "2"]);
    expect(heard.missed).toBe(0);
    node.bus.listen({ message: () => "here", changes: () => undefined, missed: () => undefined });
    const message = { id: "m1", kind: "x", body: 1 };
    expect(await witness.bus.request(node.node, message, { timeout: 15_000 })).toBe("here");
  });

  test("a subscriber that has fallen silent is replaced: messages arrive again", async () => {
    const [node, witness] = [await rig.join(make), await rig.witness()];
    node.bus.listen({ message: () => "here", changes: () => undefined, missed: () => undefined });
    expect(rig.proxy.swallowThose("subscribe")).toBe(1);
    const message = { id: "m1", kind: "x", body: 1 };
    expect(await witness.bus.request(node.node, message, { timeout: 15_000 })).toBe("here");
  });

  test("after an outage with more changes than the log keeps, a node is told that it has missed some", async () => {
    const [node, witness] = [await rig.join(make), await rig.witness()];
    const heard = hearChanges(node);
    rig.proxy.refuse();
    rig.proxy.reset();
    const many = Array.from({ length: 500 }, (_, number) => String(number));
    for (let times = 0; times < 6; times++) await witness.bus.announce(many);
    await rig.proxy.listen();
    await expect.poll(() => heard.missed).toBe(1);
    await witness.bus.announce(["later"]);
    await expect.poll(() => heard.changes).toEqual(["later"]);
  });

  test("whenever connections break, a node hears all changes in their order", { timeout: 120_000 }, async () => {
    const [node, witness] = [await rig.join(make), await rig.witness()];
    const heard = hearChanges(node);
    let announced = 0;
    const step = fc.constantFrom("announce", "announce both", "reset", "refuse", "listen", "silence");
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
        const expected: string[] = [];
        const announce = async (by: Cluster): Promise<void> => {
          announced += 1;
          const change = `${announced}`;
          await by.bus.announce([change]);
          expected.push(change);
        };
        heard.changes.length = 0;
        let isRefusing = false;
        for (const kind of steps) {
          if (kind === "reset") rig.proxy.reset();
          if (kind === "silence") rig.proxy.swallowThose("subscribe");
          if (kind === "refuse" && !isRefusing) {
            rig.proxy.refuse();
            rig.proxy.reset();
            isRefusing = true;
          }
          if (kind === "listen" && isRefusing) {
            await rig.proxy.listen();
            isRefusing = false;
          }
          if (kind === "announce" || kind === "announce both") await announce(witness);
        }
        if (isRefusing) await rig.proxy.listen();
        await announce(witness);
        await expect.poll(() => heard.changes.at(-1)).toBe(expected.at(-1));
        expect(heard).toMatchObject({ changes: expected, missed: 0 });
      }),
      { numRuns: 12 },
    );
  });
});

test("neither the names of keys nor errors show ids of sessions, facts or callers", async () => {
  const [node, admin] = [await rig.witness(), createClient({ url: rig.server.url })];
  await admin.connect();
  const [id, facts, client] = ["secret-session-id", "secret-facts", "secret-caller"];
  await node.sessions.create({ id, facts, client }, 60_000, ROOM);
  await node.events.append(id, "p1", [{ sequence: 1, data: '"secret-data"' }], { ttl: 60_000, maxBytes: 1000 });
  await node.limits.take(client, { limit: 3, window: 60_000 });
  await node.once.claim("secret-proof", 60_000);
  const [keys, channels] = [await admin.keys("*"), await admin.pubSubChannels()];
  expect(keys.length).toBeGreaterThan(5);
  expect([...keys, ...channels].join(" ")).not.toContain("secret");

  await admin.configSet("maxmemory", "1");
  try {
    const errors = await Promise.all(
      [
        node.sessions.create({ id: "secret-other", facts, client }, 60_000, ROOM),
        node.events.append(id, "p1", [{ sequence: 2, data: '"secret-data"' }], { ttl: 60_000, maxBytes: 1000 }),
        node.once.claim("secret-second", 60_000),
      ].map((pending) =>
        pending.then(
          () => "done",
          (error: unknown) => error,
        ),
      ),
    );
    for (const error of errors) {
      expect(error).toMatchObject({ code: "UNAVAILABLE", message: expect.stringContaining("OOM") as unknown });
      expect(inspect(error, { depth: 9 }).replaceAll(/^ {4}at .*$/gm, "")).not.toContain("secret");
    }
    expect(node.bus.isUp).toBe(true);
  } finally {
    await admin.configSet("maxmemory", "0");
    admin.destroy();
  }
});

test("everything but the log of changes and the ring of keys ends by itself", async () => {
  const [node, admin] = [await rig.witness(), createClient({ url: rig.server.url })];
  await admin.connect();
  await admin.flushAll();
  await node.sessions.create({ id: "a", facts: "{}", client: "b" }, 60_000, ROOM);
  await node.sessions.create({ id: "c", facts: "{}" }, 60_000, ROOM);
  await node.sessions.end("c");
  await node.events.append("a", "p1", [{ sequence: 1, data: "1" }], { ttl: 60_000, maxBytes: 1000 });
  await node.events.takeOver("a", "p2", 60_000);
  await node.limits.take("a", { limit: 3, window: 60_000 });
  await node.once.claim("a", 60_000);
  await node.keys.add({ id: "k1", secret: "s" }, undefined);
  await node.bus.announce(["a"]);
  await node.bus.broadcast({ id: "1", kind: "x", body: "x".repeat(100_000) });

  const keys = await admin.keys("*");
  const lasting = [];
  for (const key of keys) if ((await admin.pTTL(key)) < 0) lasting.push(key);
  expect(lasting.toSorted()).toEqual(["toolwire:ring", "toolwire:{changes}:log", "toolwire:{changes}:state"]);
  expect(keys.length).toBeGreaterThan(10);
  admin.destroy();
});

test("an engine that cannot be reached is said so in time, and nothing is left open", async () => {
  const { redisCluster } = await import("../../src/index.ts");
  rig.proxy.refuse();
  for (const make of Object.values(CLIENTS)) {
    const { client, destroy } = make(rig.proxy.port);
    await expect(redisCluster(client, { ...QUICK, connectTimeout: 300 })).rejects.toMatchObject({
      name: "ClusterError",
      code: "UNAVAILABLE",
    });
    destroy();
  }
});
