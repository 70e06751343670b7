import { postgresTaskStore } from "@toolwire/postgres/tasks";
import { redisTaskStore } from "@toolwire/redis/tasks";
import { memoryTaskStore, type TaskStore } from "@toolwire/server/tasks";
import { fileTaskStore } from "@toolwire/server/tasks-files";
import pg from "pg";
import { createClient } from "redis";
import type { StoreAddress } from "./store.ts";

/** A store that this process has opened. */
export interface OpenStore {
  readonly store: TaskStore;
  readonly close: () => Promise<void>;
}

/** Opens a store as the documents say. */
export async function openStore(address: StoreAddress): Promise<OpenStore> {
  if (address.name === "memory") return { store: memoryTaskStore(), close: async () => {} };
  if (address.name === "files") return { store: fileTaskStore(address.directory), close: async () => {} };
  return address.name === "redis" ? openRedis(address.url) : openPostgres(address.url);
}

async function openRedis(url: string): Promise<OpenStore> {
  const client = createClient({ url });
  // Without a listener, a connection that breaks would end the process.
  client.on("error", () => undefined);
  const store = await redisTaskStore(client);
  return { store, close: () => store.close().then(() => client.destroy()) };
}

async function openPostgres(url: string): Promise<OpenStore> {
  const pool = new pg.Pool({ connectionString: url });
  const store = await postgresTaskStore(pool);
  return { store, close: () => store.close().then(() => pool.end()) };
}
