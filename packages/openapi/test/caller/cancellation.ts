import type { AbortListener, Cancellation } from "@toolwire/server";
import { expect } from "vitest";
import type { HttpCaller } from "../../src/caller/http-caller.ts";
import { answerJson, startApi } from "../test-api.ts";
import { failureOf, send } from "./send.ts";

/** A cancellation that a test decides on. */
class ManualCancellation implements Cancellation {
  readonly listeners = new Set<AbortListener>();
  #isAborted = false;

  onAbort(listener: AbortListener): void {
    if (this.#isAborted) listener.aborted(new Error("The test has aborted it."));
    else this.listeners.add(listener);
  }

  offAbort(listener: AbortListener): void {
    this.listeners.delete(listener);
  }

  abort(): void {
    this.#isAborted = true;
    for (const listener of this.listeners) listener.aborted(new Error("The test has aborted it."));
  }
}

/** Makes calls through a caller that has one connection, and cancels them: one that was sent, one that waits, and a new one. */
export async function cancelCalls(
  caller: HttpCaller,
): Promise<{ failures: string[]; sent: number; listening: number }> {
  let closed = 0;
  await using api = await startApi((response, { url }) => {
    if (url === "/answered") answerJson(response, {});
    else response.on("close", () => (closed += 1));
  });
  const [answered, first, second] = [new ManualCancellation(), new ManualCancellation(), new ManualCancellation()];
  await send(caller, api.origin, { path: "/answered" }, { cancellation: answered });
  const sent = failureOf(send(caller, api.origin, {}, { cancellation: first }));
  const waiting = failureOf(send(caller, api.origin, {}, { cancellation: second }));
  await expect.poll(() => api.seen.length).toBe(2);
  second.abort();
  const failures = [await waiting, await failureOf(send(caller, api.origin, {}, { cancellation: second }))];
  first.abort();
  failures.push(await sent);
  await expect.poll(() => closed).toBe(1);
  const listening = answered.listeners.size + first.listeners.size + second.listeners.size;
  return { failures, sent: api.seen.length, listening };
}
