import { askRedis, FaultProxy, type RedisServer, startRedis } from "@toolwire/engines";
import { afterEach, beforeEach, expect, test } from "vitest";
import { redisCluster } from "../../src/index.ts";
import { CLIENTS } from "./clients.ts";
import { PROGRAMS } from "./programs.ts";
import { hearChanges, QUICK } from "./rig.ts";

let main: RedisServer;
let replica: RedisServer;
let current: RedisServer;
let proxy: FaultProxy;

beforeEach(async () => {
  const program = PROGRAMS[0]?.program ?? "";
  main = await startRedis(program, ["--repl-diskless-sync-delay", "0"]);
  replica = await startRedis(program, ["--replicaof", `127.0.0.1 ${main.port}`]);
  current = main;
  proxy = new FaultProxy(() => current.port);
  await proxy.listen();
  await findReplicating();
});

afterEach(async () => {
  proxy.close();
  await Promise.all([main.close(), replica.close()]);
});

async function findReplicating(): Promise<void> {
  await expect.poll(() => askRedis(replica.port, ["INFO", "replication"])).toContain("master_link_status:up");
}

test.each(Object.entries(CLIENTS))(
  "%s: when a replica takes over that lacks changes, nodes are told, and places from before are gaps",
  async (_library, make) => {
    const { client, destroy } = make(proxy.port);
    const node = await redisCluster(client, QUICK);
    const heard = hearChanges(node);
    const places: string[] = [];
    node.bus.listen({ message: () => undefined, changes: ({ place }) => places.push(place), missed: () => undefined });
    await node.bus.announce(["1"]);
    await expect.poll(() => askRedis(replica.port, ["XLEN", "toolwire:{changes}:log"])).toBe(":1\r\n");

    await askRedis(replica.port, ["REPLICAOF", "NO", "ONE"]);
    await node.bus.announce(["lacking"]);
    await expect.poll(() => heard.changes).toEqual(["1", "lacking"]);
    await main.crash();
    current = replica;
    proxy.reset();

    await expect.poll(() => heard.missed).toBe(1);
    await node.bus.announce(["2"]);
    await expect.poll(() => heard.changes).toEqual(["1", "lacking", "2"]);
    for (const place of places.slice(0, 3)) expect(await node.bus.changesAfter(place, 10)).toBe("gap");
    await node.close();
    destroy();
  },
);
