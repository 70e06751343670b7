/** The memory of a server: its era, or that it only speaks the HTTP+SSE pair of 2024-11-05. */
export type RememberedEra = "modern" | "legacy" | "sse-pair";

/**
 * Remembers which era servers speak, so that a legacy server is probed once and not at every connection. A wrong entry
 * does no harm: the server is then probed again. Keys are URLs without query, and command lines.
 */
export interface ServerMemory {
  get(server: string): RememberedEra | undefined;
  set(server: string, era: RememberedEra): void;
  delete(server: string): void;
}

/** Makes a memory that lasts as long as the process. Beyond `maxServers`, it forgets the server that was set least recently. */
export function createServerMemory(options: { readonly maxServers?: number | undefined } = {}): ServerMemory {
  const maxServers = options.maxServers ?? 1000;
  const eras = new Map<string, RememberedEra>();
  return {
    get: (server) => eras.get(server),
    set(server, era) {
      // A `Map` keeps the order of insertion, so the first key is the oldest.
      eras.delete(server);
      eras.set(server, era);
      for (const oldest of eras.keys()) {
        if (eras.size <= maxServers) return;
        eras.delete(oldest);
      }
    },
    delete: (server) => void eras.delete(server),
  };
}

/** The memory that all clients of a process share unless told otherwise. */
export const sharedMemory: ServerMemory = /* @__PURE__ */ createServerMemory();
