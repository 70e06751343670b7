import type { ConnectTarget } from "@toolwire/client";
import { createMemoryChannels, serveChannel } from "@toolwire/server/channel";
import { createFixture } from "../fixture/server.ts";
import { runClient, type Meeting } from "../steps/client-steps.ts";
import type { Outcomes } from "../steps/outcomes.ts";

/** The task of a client, wherever it runs. */
export interface ClientTask {
  readonly meeting: Meeting;
  /** A server elsewhere, by URL or command; absent: one in the same runtime, through memory. */
  readonly target?: string | { readonly command: string; readonly args: readonly string[] } | undefined;
}

/** Does it. */
export function runTask({ meeting, target }: ClientTask): Promise<Outcomes> {
  return runClient(target ?? serveInMemory(), meeting);
}

function serveInMemory(): ConnectTarget {
  const [near, far] = createMemoryChannels();
  serveChannel(createFixture(), far);
  return near;
}
