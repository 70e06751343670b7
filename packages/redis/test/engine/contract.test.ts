import { type RedisNodes, type RedisServer, startRedis, startRedisCluster } from "@toolwire/engines";
import type { Cluster } from "@toolwire/server/cluster";
import { clusterContract, registerContract } from "@toolwire/server/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import { redisCluster, type RedisClusterOptions } from "../../src/index.ts";
import { CLIENTS, CLUSTER_CLIENTS, type OpenClient } from "./clients.ts";
import { PROGRAMS } from "./programs.ts";

/** Few enough for a check that announces three times as many, and more than a node lags behind on a machine that is busy. */
const MAX_CHANGES = 5000;

const OPTIONS: RedisClusterOptions = { maxMessageBytes: 1_000_000, maxChanges: MAX_CHANGES, pollInterval: 200 };

const opened = new Map<Cluster, OpenClient>();

async function connect(open: OpenClient): Promise<Cluster> {
  const cluster = await redisCluster(open.client, OPTIONS);
  opened.set(cluster, open);
  return cluster;
}

function disconnect(cluster: Cluster): void {
  opened.get(cluster)?.destroy();
  opened.delete(cluster);
}

const COMMON = { disconnect, maxMessageBytes: 1_000_000, maxChanges: MAX_CHANGES, timeout: 20_000 };

for (const { name, program } of PROGRAMS) {
  describe(`${name} alone`, () => {
    let server: RedisServer;
    beforeAll(async () => {
      server = await startRedis(program);
    });
    afterAll(() => server.close());
    for (const [library, make] of Object.entries(CLIENTS)) {
      registerContract(
        `${library}, one server`,
        clusterContract({ ...COMMON, connect: () => connect(make(server.port)), restartEmpty: () => server.restart() }),
        { describe, it },
      );
    }
  });

  describe(`${name} in cluster mode`, () => {
    let nodes: RedisNodes;
    beforeAll(async () => {
      nodes = await startRedisCluster(program);
    });
    afterAll(() => nodes.close());
    for (const [library, make] of Object.entries(CLUSTER_CLIENTS)) {
      registerContract(
        `${library}, three servers`,
        clusterContract({ ...COMMON, connect: () => connect(make(nodes)), restartEmpty: () => nodes.restart() }),
        { describe, it },
      );
    }
  });
}
