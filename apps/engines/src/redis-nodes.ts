import { setTimeout as delay } from "node:timers/promises";
import { askRedis } from "./ask-redis.ts";
import { findPort } from "./free-port.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";

/** Slots of a cluster, a part of its protocol. */
const SLOTS = 16_384;

/** Three servers in cluster mode on loopback, without replicas. Each has a third of the slots. */
export interface RedisNodes {
  readonly servers: readonly RedisServer[];
  /** Starts all of them again on the same ports, with nothing in them. Resolves once they serve all slots. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Starts servers in cluster mode, and lets them meet. */
export async function startRedisCluster(program: string): Promise<RedisNodes> {
  const buses = [await findPort(), await findPort(), await findPort()];
  const servers = await Promise.all(
    buses.map((bus) =>
      startRedis(program, [
        "--cluster-enabled",
        "yes",
        "--cluster-port",
        String(bus),
        "--cluster-node-timeout",
        "2000",
        "--cluster-announce-ip",
        "127.0.0.1",
      ]),
    ),
  );
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.close()));
  };
  try {
    for (const [index, { port }] of servers.entries()) {
      const [first, next] = [index, index + 1].map((third) => Math.floor((third * SLOTS) / servers.length));
      await askRedis(port, ["CLUSTER", "ADDSLOTSRANGE", String(first), String((next ?? 0) - 1)]);
      for (const [other, { port: peer }] of servers.entries()) {
        if (other === index) continue;
        await askRedis(port, ["CLUSTER", "MEET", "127.0.0.1", String(peer), String(buses[other])]);
      }
    }
    await isFormed(servers);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    servers,
    async restart() {
      await Promise.all(servers.map((server) => server.restart()));
      await isFormed(servers);
    },
    close,
  };
}

async function isFormed(servers: readonly RedisServer[]): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const states = await Promise.all(servers.map(({ port }) => askRedis(port, ["CLUSTER", "INFO"]).catch(() => "")));
    if (states.every((state) => state.includes("cluster_state:ok") && state.includes("cluster_known_nodes:3"))) return;
    await delay(100);
  }
  throw new Error("The servers have not formed a cluster after 30 s.");
}
