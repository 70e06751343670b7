import type { ConnectTarget } from "@toolwire/client";
import { createMemoryChannels, serveChannel } from "@toolwire/server/channel";
import { createFixture } from "../fixture/server.ts";
import { runClient, type Meeting } from "../steps/client-steps.ts";
import { loginSteps, type LoginTask } from "../steps/login-steps.ts";
import { takeSteps, type Outcomes } from "../steps/outcomes.ts";

/** The task of a client, wherever it runs. */
export interface ClientTask {
  readonly meeting: Meeting;
  /** A server elsewhere, by URL or command; absent: one in the same runtime, through memory. */
  readonly target?: string | { readonly command: string; readonly args: readonly string[] } | undefined;
  /** A protected server elsewhere, which is called as well. */
  readonly login?: LoginTask | undefined;
}

/** Does it. */
export async function runTask({ meeting, target, login }: ClientTask): Promise<Outcomes> {
  const outcomes = await runClient(target ?? serveInMemory(), meeting);
  return login === undefined ? outcomes : { ...outcomes, ...(await takeSteps(loginSteps(login, meeting.revision))) };
}

function serveInMemory(): ConnectTarget {
  const [near, far] = createMemoryChannels();
  serveChannel(createFixture(), far);
  return near;
}
