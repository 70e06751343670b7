/**
 * Keeps tasks in Postgres, for servers that run on several machines or end before their tasks do.
 *
 * @packageDocumentation
 */
export type { PgClient, PgPool } from "../client/pg.ts";
export type { PostgresJs, PostgresJsQuery } from "../client/postgres-js.ts";
export type { PostgresClient } from "../client/open-database.ts";
export { postgresTaskStore, type PostgresTaskStore, type PostgresTaskStoreOptions } from "./postgres-task-store.ts";
