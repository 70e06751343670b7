/**
 * The client's half of the stdio binding: servers that run as child processes.
 *
 * @packageDocumentation
 */
export { spawnServer, type ServerProcess, type SpawnOptions } from "./spawn-server.ts";
export type { ProcessOptions } from "./start-process.ts";
