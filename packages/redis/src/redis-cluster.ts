import { type Cluster, createNodeName } from "@toolwire/server/cluster";
import { RedisBus } from "./bus/bus.ts";
import type { RedisClient } from "./client/client.ts";
import { linkOf } from "./client/link.ts";
import { Engine } from "./engine/engine.ts";
import { Names } from "./engine/names.ts";
import { readOptions, type RedisClusterOptions } from "./options.ts";
import { RedisEvents } from "./stores/events.ts";
import { RedisSessions } from "./stores/sessions.ts";
import { RedisKeys, RedisLimits, RedisOnce } from "./stores/stores.ts";

/**
 * Makes this process a node of a cluster that meets in Redis or Valkey. Pass it to `serveHttp` and other bindings as `cluster`.
 *
 * The client is one of `redis`, `ioredis` or `iovalkey`, for one server, sentinels or a cluster. It is connected if it is not yet. For what
 * is published, a duplicate of it is made. {@link Cluster.close} ends that one; your client stays open.
 *
 * @example
 * ```ts
 * const client = createClient({ url: "redis://localhost:6379" });
 * const cluster = await redisCluster(client);
 * const listener = await serveHttp(server, { port: 3000, cluster });
 * ```
 *
 * @throws UsageError if the client or an option does not fit
 * @throws ClusterError if the engine cannot be reached in time
 */
export async function redisCluster(client: RedisClient, options: RedisClusterOptions = {}): Promise<Cluster> {
  const settings = readOptions(options);
  const link = linkOf(client);
  const node = createNodeName();
  const names = new Names(settings.prefix);
  const engine = new Engine(link, settings.timeout);
  let calls = 0;
  /** Marks a call, so that it has the same effect if it reaches the engine twice. */
  const token = (): string => {
    calls += 1;
    return node + calls.toString(36);
  };
  const bus = new RedisBus(link, engine, names, { ...settings, node, token });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= bus.close().finally(() => engine.close());
    return closing;
  };
  try {
    await engine.open(settings.connectTimeout, () => bus.open());
  } catch (error) {
    await close();
    throw error;
  }
  return {
    node,
    sessions: new RedisSessions(engine, names, token),
    events: new RedisEvents(engine, names, token),
    bus,
    limits: new RedisLimits(engine, names, token),
    once: new RedisOnce(engine, names, token),
    keys: new RedisKeys(engine, names),
    close,
  };
}
