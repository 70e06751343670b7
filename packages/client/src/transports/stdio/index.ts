/**
 * The client's half of the stdio binding: servers that run as child processes.
 *
 * @packageDocumentation
 */
export type { ProcessOptions, SpawnOptions } from "./spawn-server.ts";
export { spawnServer, type ServerProcess } from "./spawn-server.ts";
