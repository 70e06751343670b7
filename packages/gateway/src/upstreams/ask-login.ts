import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ToolError, type Context } from "@toolwire/server";

/** How long a call waits for a person who has gone to the page, and how often it looks, in milliseconds. */
const WAIT = 45_000;
const LOOK_INTERVAL = 300;

/** The login that a call needs. */
export interface NeededLogin {
  readonly upstream: string;
  /** Makes a link to the page on which it begins. */
  link(): Promise<string>;
  /** Whether it was made since the call has begun to wait. */
  isDone(): Promise<boolean>;
}

/**
 * Asks a caller to log in at an upstream, and waits for it. Clients that can show pages are given the link as a question; others
 * read it in the error.
 *
 * @throws ToolError if the login was declined, or is not finished
 */
export async function askForLogin(ctx: Context, login: NeededLogin): Promise<void> {
  const { upstream } = login;
  const key = `connect ${upstream}`.slice(0, 100);
  // If the tool runs again for the response, the question has to be the same.
  const [url, elicitationId] = await ctx.once(`${key} link`, async () => [await login.link(), randomUUID()] as const);
  if (ctx.clientCapabilities.elicitation?.url === undefined) throw needsLogin(upstream, url);
  const message = `This tool needs access to your account at ${upstream}. Log in on this page, then go on.`;
  const { action } = await ctx.tryElicit(key, { message, url, elicitationId });
  if (action !== "accept") {
    throw new ToolError(`Error: The caller does not want to connect an account at ${upstream}, which this tool needs.`);
  }
  const end = performance.now() + WAIT;
  while (!(await login.isDone())) {
    if (performance.now() > end) throw needsLogin(upstream, url);
    await delay(LOOK_INTERVAL, undefined, { signal: ctx.signal });
  }
  if (ctx.era === "legacy") {
    await ctx.notify({ method: "notifications/elicitation/complete", params: { elicitationId } });
  }
}

function needsLogin(upstream: string, url: string): ToolError {
  return new ToolError(
    `Error: You have not connected your account at ${upstream}. Open this link in a browser and log in, then call the tool ` +
      `again. It is for you alone, works once, and for ten minutes: ${url}`,
  );
}
