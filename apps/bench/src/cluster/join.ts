/** Joins the engine of a wiring. */
import { postgresCluster } from "@toolwire/postgres";
import { redisCluster } from "@toolwire/redis";
import { type Cluster, createMemoryEngine } from "@toolwire/server/cluster";
import pg from "pg";
import { createClient } from "redis";
import type { EngineAddress } from "./wiring.ts";

/** Adds a node. */
export type Join = () => Promise<Cluster>;

/** Gets ready to add nodes to an engine. Nodes of one process share the engine in memory, and have a client each for the others. */
export function createJoin({ name, url = "", space = "bench" }: EngineAddress): Join {
  if (name === "redis") return () => redisCluster(createClient({ url }), { prefix: space });
  if (name === "postgres") {
    return () => postgresCluster(new pg.Pool({ connectionString: url }), { schema: space });
  }
  const engine = createMemoryEngine({ maxSessions: 1_000_000 });
  return async () => engine.connect();
}
