import { keepNewest } from "../cache/keep-newest.ts";

/** What was found out about a server: its era, or that it only speaks the HTTP+SSE pair of 2024-11-05. */
export type RememberedEra = "modern" | "legacy" | "sse-pair";

/**
 * Remembers what servers speak, so that a legacy server is probed once and not at every connection. A wrong memory does
 * no harm: the server is probed again. Keys are URLs without query, and command lines.
 */
export interface ServerMemory {
  get(server: string): RememberedEra | undefined;
  set(server: string, era: RememberedEra): void;
  delete(server: string): void;
}

/** A memory that lasts as long as the process, and forgets whom it has not met for longest. */
export function createServerMemory(options: { readonly maxServers?: number | undefined } = {}): ServerMemory {
  const maxServers = options.maxServers ?? 1000;
  const eras = new Map<string, RememberedEra>();
  return {
    get: (server) => eras.get(server),
    set: (server, era) => keepNewest(eras, server, era, maxServers),
    delete: (server) => void eras.delete(server),
  };
}

/** The memory that all clients of a process share unless told otherwise. */
export const sharedMemory: ServerMemory = /* @__PURE__ */ createServerMemory();
