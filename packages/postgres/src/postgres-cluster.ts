import {
  expectBoolean,
  expectBytes,
  expectMilliseconds,
  expectOptions,
  type OptionNames,
} from "@toolwire/protocol/internal";
import { type Cluster, createNodeName } from "@toolwire/server/cluster";
import { nameChannels, PostgresBus } from "./bus/bus.ts";
import { Listening } from "./bus/listening.ts";
import { openDatabase, type PostgresClient } from "./client/open-database.ts";
import { Engine } from "./engine/engine.ts";
import { expectTables } from "./schema/expect-tables.ts";
import { expectSchema } from "./schema/identifier.ts";
import { PostgresEvents } from "./stores/events.ts";
import { PostgresSessions } from "./stores/sessions.ts";
import { PostgresKeys, PostgresLimits, PostgresOnce } from "./stores/stores.ts";
import { Presence } from "./upkeep/presence.ts";
import { Sweeper } from "./upkeep/sweeper.ts";

/** The options of {@link postgresCluster}. */
export interface PostgresClusterOptions {
  /** The schema that holds the tables: one for each cluster that uses the database. Default `toolwire`. */
  readonly schema?: string | undefined;
  /** Whether missing tables are created. Default true. See {@link postgresSchema} for creating them beforehand. */
  readonly createTables?: boolean | undefined;
  /** How many milliseconds Postgres may take for a statement. Default 2000. */
  readonly deadline?: number | undefined;
  /** The largest message between nodes, in bytes. Default 5 MiB, somewhat more than a request may have by default. */
  readonly maxMessageBytes?: number | undefined;
}

const OPTIONS: OptionNames<PostgresClusterOptions> = {
  schema: true,
  createTables: true,
  deadline: true,
  maxMessageBytes: true,
};

/**
 * Joins the cluster of all nodes that use a schema of a Postgres database. Takes a pool of `pg`, of which it keeps one connection to
 * listen, or the `sql` of `postgres`. Closing the cluster leaves the client open.
 *
 * @example
 * ```ts
 * const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"] });
 * const cluster = await postgresCluster(pool);
 * await serveHttp(server, { port: 3000, cluster });
 * ```
 *
 * @throws UsageError if it is given something else, or the tables are missing and the role may not create them
 * @throws ClusterError if Postgres cannot be reached
 */
export async function postgresCluster(client: PostgresClient, options: PostgresClusterOptions = {}): Promise<Cluster> {
  expectOptions("postgresCluster", options, OPTIONS);
  const schema = expectSchema(options.schema);
  const mayCreate = expectBoolean("createTables", options.createTables, true);
  const deadline = expectMilliseconds("deadline", options.deadline, 2000, 1);
  const maxMessageBytes = expectBytes("maxMessageBytes", options.maxMessageBytes, 5 * 1024 * 1024);
  const engine = new Engine(openDatabase(client, "postgresCluster"), deadline);
  const node = new PostgresNode(engine, schema, maxMessageBytes);
  try {
    await expectTables(engine, schema, mayCreate);
    await node.join();
  } catch (error) {
    node.leave();
    throw error;
  }
  return {
    node: node.name,
    sessions: new PostgresSessions(engine, schema),
    events: new PostgresEvents(engine, schema),
    bus: node.bus,
    limits: new PostgresLimits(engine, schema),
    once: new PostgresOnce(engine, schema),
    keys: new PostgresKeys(engine, schema),
    close: () => node.close(),
  };
}

/** What a node does on its own: it listens, its heart beats, and it deletes what has ended. */
class PostgresNode {
  readonly name: string = createNodeName();
  readonly bus: PostgresBus;
  readonly #engine: Engine;
  readonly #listening: Listening;
  readonly #presence: Presence;
  readonly #sweeper: Sweeper;
  #closing: Promise<void> | undefined;

  constructor(engine: Engine, schema: string, maxMessageBytes: number) {
    this.#engine = engine;
    this.bus = new PostgresBus(this.name, engine, schema, maxMessageBytes);
    const channels = nameChannels(schema);
    const { all } = channels;
    const own = channels.of(this.name);
    this.#presence = new Presence(
      engine,
      schema,
      this.name,
      { own, all },
      {
        beaten: (secret, log) => this.bus.update(secret, log),
        deaf: () => this.#listening.restore(),
      },
    );
    this.#listening = new Listening(engine, [all, own], {
      heard: (payload, channel) => {
        if (channel === own && payload.startsWith("p")) this.#presence.hear(payload);
        else this.bus.hear(payload, channel);
      },
      again: () => this.#presence.restart(),
    });
    this.#sweeper = new Sweeper(engine, schema);
  }

  async join(): Promise<void> {
    await this.#listening.begin();
    await this.#presence.begin();
    this.#sweeper.begin();
  }

  /** Tells the others, and leaves. */
  close(): Promise<void> {
    this.#closing ??= this.#presence
      .leave()
      .catch(() => {})
      .then(() => this.leave());
    return this.#closing;
  }

  /** Lets go of everything. */
  leave(): void {
    this.#presence.close();
    this.#sweeper.close();
    this.bus.close();
    this.#listening.close();
    this.#engine.close();
  }
}
