import { FaultProxy, type RedisServer, startRedis } from "@toolwire/engines";
import type { TaskRecord } from "@toolwire/server/tasks";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { redisTaskStore, type RedisTaskStore, type RedisTaskStoreOptions } from "../../../src/tasks/index.ts";
import { CLIENTS, type MakeClient, type OpenClient } from "../clients.ts";
import { PROGRAMS } from "../programs.ts";

/** Writes each command to the disk before it is answered. */
const DURABLE: readonly string[] = ["--appendonly", "yes", "--appendfsync", "always"];

/** Short times, so that tests of outages do not take long. */
const QUICK: RedisTaskStoreOptions = { timeout: 500, pingInterval: 100 };

/** An engine that keeps what it has written, a proxy in front of it, and stores on both sides of the proxy. */
export class TaskRig {
  readonly #options: RedisTaskStoreOptions;
  server!: RedisServer;
  proxy!: FaultProxy;
  readonly #open: { readonly store: RedisTaskStore; readonly open: OpenClient }[] = [];

  constructor(options: RedisTaskStoreOptions) {
    this.#options = options;
  }

  /** Adds a store that reaches the engine through the proxy. */
  join(make: MakeClient): Promise<RedisTaskStore> {
    return this.#join(make(this.proxy.port));
  }

  /** Adds a store that nothing happens to. */
  witness(): Promise<RedisTaskStore> {
    return this.#join(CLIENTS["node-redis"]!(this.server.port));
  }

  async end(): Promise<void> {
    this.server.continue();
    this.proxy.close();
    for (const { store, open } of this.#open.splice(0)) {
      await store.close();
      open.destroy();
    }
  }

  async #join(open: OpenClient): Promise<RedisTaskStore> {
    const store = await redisTaskStore(open.client, this.#options);
    this.#open.push({ store, open });
    return store;
  }
}

/** Starts an engine for the tests of a file, and a proxy for each test. */
export function useTaskRig(options: RedisTaskStoreOptions = QUICK): TaskRig {
  const rig = new TaskRig(options);
  beforeAll(async () => {
    const [first] = PROGRAMS;
    if (first === undefined) throw new Error("Install a Redis or a Valkey: `npm run install:engines`.");
    rig.server = await startRedis(first.program, DURABLE);
  });
  beforeEach(async () => {
    rig.proxy = new FaultProxy(() => rig.server.port);
    await rig.proxy.listen();
  });
  afterEach(() => rig.end());
  afterAll(() => rig.server.close());
  return rig;
}

/** A task with an id of its own, whose owner nobody else has. */
export function newTask(changes: Partial<TaskRecord> = {}): TaskRecord {
  const id = crypto.randomUUID();
  return { id, version: 1, owner: `owner of ${id}`, expires: null, wake: null, isOver: false, body: "{}", ...changes };
}
