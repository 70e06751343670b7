import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Systems take the ports of outgoing connections from a range above this one. A port from there could be taken while its
 * server is down.
 */
const PORTS = { first: 20_000, count: 10_000 } as const;

const MAX_ATTEMPTS = 100;

/** Finds a loopback port that nobody uses, and that nobody gets by chance. */
export async function findPort(): Promise<number> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    const probe = createServer().listen(port, "127.0.0.1");
    try {
      await once(probe, "listening");
      probe.close();
      await once(probe, "close");
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
  }
  throw new Error(`Found no free port from ${PORTS.first} on in ${MAX_ATTEMPTS} attempts.`);
}
