import { expect, test } from "vitest";
import { askRedis } from "../../src/ask-redis.ts";
import { findRedis, findValkey } from "../../src/find-redis.ts";
import { startRedisCluster } from "../../src/redis-nodes.ts";
import { startRedis } from "../../src/redis-server.ts";

const programs = [findRedis(), findValkey()].filter((found) => found !== undefined);
for (const [name, find] of [
  ["Redis", findRedis],
  ["Valkey", findValkey],
] as const) {
  if (find() === undefined) console.log(`Not run: tests of a ${name}, which is not on this machine.`);
}

test.each(programs)("$version starts, is paused, and comes back empty", async ({ program }) => {
  const server = await startRedis(program);
  await askRedis(server.port, ["SET", "key", "value"]);
  server.pause();
  const later = askRedis(server.port, ["GET", "key"]);
  server.continue();
  expect(await later).toBe("$5\r\nvalue\r\n");
  await server.restart();
  expect(await askRedis(server.port, ["GET", "key"])).toBe("$-1\r\n");
  await server.crash();
  await expect(askRedis(server.port, ["PING"])).rejects.toThrow("ECONNREFUSED");
  await server.close();
});

test.each(programs)("three of $version form a cluster, and form it again after a restart", async ({ program }) => {
  const cluster = await startRedisCluster(program);
  await cluster.restart();
  for (const { port } of cluster.servers) {
    expect(await askRedis(port, ["CLUSTER", "INFO"])).toContain("cluster_slots_assigned:16384");
  }
  await cluster.close();
});
