/**
 * Engines for tests and measurements: real ones, on loopback, in temporary folders, of which nothing is left afterwards.
 *
 * @packageDocumentation
 */
export { findPort } from "./free-port.ts";
export { findPostgres, type FoundPostgres } from "./find-postgres.ts";
export { type PostgresServer, startPostgres } from "./postgres-server.ts";
