/**
 * Several processes serve the same MCP clients: sessions, changes, limits and keys in Redis or Valkey.
 *
 * @packageDocumentation
 */
export type { IoRedisClient, NodeRedisClient, RedisClient } from "./client/client.ts";
export type { RedisClusterOptions } from "./options.ts";
export { redisCluster } from "./redis-cluster.ts";
