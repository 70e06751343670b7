/** Joins the engine of a wiring. */
import { type Cluster, createMemoryEngine } from "@toolwire/server/cluster";
import type { EngineAddress } from "./wiring.ts";

/** Adds a node. */
export type Join = () => Promise<Cluster>;

/** Gets ready to add nodes to an engine. Nodes of one process share the engine in memory, and have a client each for the others. */
export async function createJoin({ name }: EngineAddress): Promise<Join> {
  if (name !== "memory") throw new Error(`There is no engine ${name} yet.`);
  const engine = createMemoryEngine({ maxSessions: 1_000_000 });
  return async () => engine.connect();
}
