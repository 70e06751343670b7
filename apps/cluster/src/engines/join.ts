import type { Cluster } from "@toolwire/server/cluster";
import { postgresCluster } from "@toolwire/postgres";
import { redisCluster } from "@toolwire/redis";
import pg from "pg";
import { createClient } from "redis";
import type { RemoteEngine } from "./engine.ts";

/** A process's place in the cluster. */
interface Joined {
  readonly cluster: Cluster;
  leave(): Promise<void>;
}

/** Joins the engine, as the guide to several machines says. */
export function joinEngine({ name, url }: RemoteEngine): Promise<Joined> {
  return name === "redis" ? joinRedis(url) : joinPostgres(url);
}

async function joinRedis(url: string): Promise<Joined> {
  const client = createClient({ url });
  // Without a listener, a connection that breaks would end the process.
  client.on("error", () => undefined);
  const cluster = await redisCluster(client);
  return {
    cluster,
    async leave() {
      await cluster.close();
      client.destroy();
    },
  };
}

async function joinPostgres(url: string): Promise<Joined> {
  const pool = new pg.Pool({ connectionString: url });
  // The same goes for an idle connection of a pool.
  pool.on("error", () => undefined);
  const cluster = await postgresCluster(pool);
  return {
    cluster,
    async leave() {
      await cluster.close();
      await pool.end();
    },
  };
}
