/**
 * A cluster whose nodes meet in Postgres.
 *
 * @packageDocumentation
 */
export type { PgClient, PgPool } from "./client/pg.ts";
export type { PostgresJs, PostgresJsQuery } from "./client/postgres-js.ts";
export type { PostgresClient } from "./client/open-database.ts";
export { postgresCluster, type PostgresClusterOptions } from "./postgres-cluster.ts";
export { postgresSchema, type PostgresSchemaOptions } from "./schema/tables.ts";
