import { expectBoolean, expectMilliseconds, expectOptions, type OptionNames } from "@toolwire/protocol/internal";
import { createNodeName } from "@toolwire/server/cluster";
import type { TaskStore } from "@toolwire/server/tasks";
import { openDatabase, type PostgresClient } from "../client/open-database.ts";
import { Engine, prepare } from "../engine/engine.ts";
import { expectTables } from "../schema/expect-tables.ts";
import { expectSchema } from "../schema/identifier.ts";
import { TaskHints } from "./hints.ts";
import { StoredTasks } from "./stored-tasks.ts";

/** The options of {@link postgresTaskStore}. All processes that share tasks need the same `schema`. */
export interface PostgresTaskStoreOptions {
  /** The schema that holds the table. Servers whose tasks must not mix need different ones. Default `toolwire`. */
  readonly schema?: string | undefined;
  /** Whether missing tables are created. Default true. `postgresSchema` of `@toolwire/postgres` is for creating them beforehand. */
  readonly createTables?: boolean | undefined;
  /** How many milliseconds Postgres may take for a statement. Default 2000. */
  readonly deadline?: number | undefined;
  /** How often this process makes sure that it still hears what others notify of, in milliseconds. Default 5000. */
  readonly pingInterval?: number | undefined;
}

const OPTIONS: OptionNames<PostgresTaskStoreOptions> = {
  schema: true,
  createTables: true,
  deadline: true,
  pingInterval: true,
};

/** A store of tasks that several processes share. */
export interface PostgresTaskStore extends Required<TaskStore> {
  /** Ends what the store has opened, and refuses everything from then on. Close the server before, which has tasks to give back. */
  close(): Promise<void>;
}

/**
 * Keeps tasks in a table of Postgres, where they survive the end of processes and of Postgres, and where several processes share them. Pass
 * it to `tasks()` as `store`. Takes a pool of `pg`, of which it keeps one connection to listen, or the `sql` of `postgres`. Closing the store
 * leaves the client open.
 *
 * @example
 * ```ts
 * const store = await postgresTaskStore(new pg.Pool({ connectionString: process.env["DATABASE_URL"] }));
 * const server = createServer({ name: "reports", version: "1.0.0", tools, extensions: [tasks({ store })] });
 * ```
 *
 * @throws UsageError if it is given something else, or the table is missing and the role may not create it
 * @throws ClusterError if Postgres cannot be reached
 */
export async function postgresTaskStore(
  client: PostgresClient,
  options: PostgresTaskStoreOptions = {},
): Promise<PostgresTaskStore> {
  expectOptions("postgresTaskStore", options, OPTIONS);
  const schema = expectSchema(options.schema);
  const mayCreate = expectBoolean("createTables", options.createTables, true);
  const deadline = expectMilliseconds("deadline", options.deadline, 2000, 1);
  const pingInterval = expectMilliseconds("pingInterval", options.pingInterval, 5000, 1);
  const engine = new Engine(openDatabase(client, "postgresTaskStore"), deadline, "This store of tasks was closed.");
  const hints = new TaskHints(engine, { schema, node: createNodeName(), pingInterval });
  const tasks = new StoredTasks(engine, schema, hints);
  const close = (): void => {
    hints.close();
    engine.close();
  };
  try {
    await expectTables(engine, schema, mayCreate, "task");
    await hints.open(await readSecret(engine, schema));
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

/** What all processes of a schema seal notifications with. */
async function readSecret(engine: Engine, schema: string): Promise<string> {
  const { secret } = await engine.runForRow(prepare(`select secret from ${schema}.installation`), []);
  return secret ?? "";
}
