/**
 * Engines for tests and measurements: real ones, on loopback, in temporary folders, of which nothing is left afterwards. And a proxy
 * that breaks the connections to them.
 *
 * @packageDocumentation
 */
export { askRedis } from "./ask-redis.ts";
export { FaultProxy } from "./fault-proxy.ts";
export { findPort } from "./free-port.ts";
export { findPostgres, type FoundPostgres } from "./find-postgres.ts";
export { findRedis, findValkey, type FoundRedis } from "./find-redis.ts";
export { type PostgresServer, startPostgres } from "./postgres-server.ts";
export { type RedisNodes, startRedisCluster } from "./redis-nodes.ts";
export { type RedisServer, startRedis } from "./redis-server.ts";
