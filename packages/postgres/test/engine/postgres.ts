import { findPostgres, startPostgres, type PostgresServer } from "@toolwire/engines";
import pg from "pg";
import postgres from "postgres";
import { postgresCluster, type PostgresClusterOptions } from "../../src/index.ts";
import type { Cluster } from "@toolwire/server/cluster";

/** Starts a Postgres for one file of tests. */
export function start(): Promise<PostgresServer> {
  return startPostgres(process.env["TOOLWIRE_TEST_POSTGRES_BIN"] ?? findPostgres().bin);
}

/** A node of a test, with a client of its own. */
export interface Node extends Cluster {
  /** Closes the node and its client. */
  end(): Promise<void>;
}

/** How to join a cluster with one of the clients. */
export type Join = (url: string, options?: PostgresClusterOptions) => Promise<Node>;

export const joinByPg: Join = async (url, options) => {
  const pool = new pg.Pool({ connectionString: url, max: 6 });
  return toNode(postgresCluster(pool, options), () => pool.end());
};

export const joinByPostgresJs: Join = async (url, options) => {
  const sql = postgres(url, { max: 6, onnotice() {} });
  return toNode(postgresCluster(sql, options), () => sql.end({ timeout: 1 }));
};

async function toNode(joining: Promise<Cluster>, endClient: () => Promise<void>): Promise<Node> {
  try {
    const cluster = await joining;
    const end = async (): Promise<void> => {
      await cluster.close();
      await endClient();
    };
    return { ...cluster, end };
  } catch (error) {
    await endClient();
    throw error;
  }
}
