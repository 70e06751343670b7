import { FaultProxy, type PostgresServer } from "@toolwire/engines";
import type { TaskRecord } from "@toolwire/server/tasks";
import pg from "pg";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { postgresTaskStore, type PostgresTaskStore, type PostgresTaskStoreOptions } from "../../../src/tasks/index.ts";
import { start } from "../postgres.ts";

/** A store of a test, with a client of its own. */
export interface OpenStore extends PostgresTaskStore {
  /** Closes the store and its client. */
  end(): Promise<void>;
}

/** How to open a store with one of the clients. */
export type Open = (url: string, options?: PostgresTaskStoreOptions) => Promise<OpenStore>;

/** A client of each library. */
export const OPENERS: { readonly [library: string]: Open } = {
  pg(url, options) {
    const pool = new pg.Pool({ connectionString: url, max: 6, connectionTimeoutMillis: 1000 });
    return toStore(postgresTaskStore(pool, options), () => pool.end());
  },
  "postgres.js"(url, options) {
    const sql = postgres(url, { max: 6, connect_timeout: 1, onnotice() {} });
    return toStore(postgresTaskStore(sql, options), () => sql.end({ timeout: 1 }));
  },
};

async function toStore(opening: Promise<PostgresTaskStore>, endClient: () => Promise<void>): Promise<OpenStore> {
  try {
    const store = await opening;
    const end = async (): Promise<void> => {
      await store.close();
      await endClient();
    };
    return { ...store, end };
  } catch (error) {
    await endClient();
    throw error;
  }
}

/** Short times, so that tests of outages do not take long. */
const QUICK: PostgresTaskStoreOptions = { deadline: 500, pingInterval: 100 };

/** A Postgres, a proxy in front of it, and stores on both sides of the proxy. */
export class TaskRig {
  readonly #options: PostgresTaskStoreOptions;
  server!: PostgresServer;
  proxy!: FaultProxy;
  readonly #open: OpenStore[] = [];

  constructor(options: PostgresTaskStoreOptions) {
    this.#options = options;
  }

  /** Adds a store that reaches Postgres through the proxy. */
  join(open: Open): Promise<OpenStore> {
    const url = new URL(this.server.url);
    url.port = String(this.proxy.port);
    return this.#join(open(url.href, this.#options));
  }

  /** Adds a store that nothing happens to. */
  witness(): Promise<OpenStore> {
    return this.#join(OPENERS["pg"]!(this.server.url, this.#options));
  }

  /** Runs a statement as an operator would. */
  async operate(text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.server.url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  async end(): Promise<void> {
    this.server.resume();
    this.proxy.close();
    for (const store of this.#open.splice(0)) await store.end();
  }

  async #join(opening: Promise<OpenStore>): Promise<OpenStore> {
    const store = await opening;
    this.#open.push(store);
    return store;
  }
}

/** Starts a Postgres for the tests of a file, and a proxy for each test. */
export function useTaskRig(options: PostgresTaskStoreOptions = QUICK): TaskRig {
  const rig = new TaskRig(options);
  beforeAll(async () => {
    rig.server = await start();
  });
  beforeEach(async () => {
    rig.proxy = new FaultProxy(() => Number(new URL(rig.server.url).port));
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
