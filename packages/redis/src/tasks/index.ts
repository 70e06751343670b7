/**
 * Keeps tasks in Redis or Valkey, for servers that run on several machines or end before their tasks do.
 *
 * @packageDocumentation
 */
export type { IoRedisClient, NodeRedisClient, RedisClient } from "../client/client.ts";
export type { RedisTaskStoreOptions } from "./options.ts";
export { redisTaskStore, type RedisTaskStore } from "./redis-task-store.ts";
