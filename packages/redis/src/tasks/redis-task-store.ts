import { createNodeName } from "@toolwire/server/cluster";
import type { TaskStore } from "@toolwire/server/tasks";
import type { RedisClient } from "../client/client.ts";
import { linkOf } from "../client/link.ts";
import { Engine } from "../engine/engine.ts";
import { TaskHints } from "./hints.ts";
import { TaskNames } from "./names.ts";
import { readTaskStoreOptions, type RedisTaskStoreOptions } from "./options.ts";
import { StoredTasks } from "./stored-tasks.ts";

/** A store of tasks that several processes share. */
export interface RedisTaskStore extends Required<TaskStore> {
  /** Ends what the store has opened, and refuses everything from then on. Close the server before, which has tasks to give back. */
  close(): Promise<void>;
}

/**
 * Keeps tasks in Redis or Valkey, where they survive the end of processes, and where several processes share them. Pass it to `tasks()` as
 * `store`.
 *
 * The client is one of `redis`, `ioredis` or `iovalkey`, for one server, sentinels or a cluster. It is connected if it is not yet. For what
 * is published, a duplicate of it is made, which `close` ends. Your client stays open. Redis has to write tasks to its disk (`appendonly yes`),
 * or they end with it.
 *
 * @example
 * ```ts
 * const store = await redisTaskStore(createClient({ url: "redis://localhost:6379" }));
 * const server = createServer({ name: "reports", version: "1.0.0", tools, extensions: [tasks({ store })] });
 * ```
 *
 * @throws UsageError if the client or an option does not fit
 * @throws ClusterError if the engine cannot be reached in time
 */
export async function redisTaskStore(
  client: RedisClient,
  options: RedisTaskStoreOptions = {},
): Promise<RedisTaskStore> {
  const { prefix, timeout, connectTimeout, pingInterval } = readTaskStoreOptions(options);
  const link = linkOf(client);
  const engine = new Engine(link, timeout, "This store of tasks was closed.");
  const names = new TaskNames(prefix);
  const node = createNodeName();
  const hints = new TaskHints(link, engine, names, { node, pingInterval });
  let calls = 0;
  /** Marks a call, so that it has the same effect if it reaches the engine twice. */
  const token = (): string => {
    calls += 1;
    return node + calls.toString(36);
  };
  const tasks = new StoredTasks(engine, names, hints, token);
  const close = (): void => {
    hints.close();
    engine.close();
  };
  try {
    await engine.open(connectTimeout, () => hints.open());
  } catch (error) {
    close();
    throw error;
  }
  return {
    create: (record) => tasks.create(record),
    read: (id) => tasks.read(id),
    replace: (record, ifVersion) => tasks.replace(record, ifVersion),
    delete: (id) => tasks.delete(id),
    due: (now, limit) => tasks.due(now, limit),
    count: (owner) => tasks.count(owner),
    list: (owner, after, limit) => tasks.list(owner, after, limit),
    watch: (id, changed) => hints.watch(id, changed),
    onDue: (due) => hints.onDue(due),
    wake: (id) => hints.wake(id),
    close: async () => close(),
  };
}
