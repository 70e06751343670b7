import { TransportError } from "@toolwire/protocol";
import { isPutOff } from "../../connection/put-off.ts";
import { wait } from "../../waiting.ts";
import { HttpStatusError } from "../status-error.ts";

/** How long to wait before each further attempt to deliver an answer. */
const PAUSES_MS = [50, 200, 800];

/**
 * Delivers the answer to a question of the server. If its connection breaks, or the server puts it off, it is posted again: a
 * question is answered by its id, so a second answer changes nothing. `isWanted` says whether that is still of any use. Rejects
 * with what the last attempt failed by.
 */
export async function deliverAnswer(
  post: () => Promise<void>,
  isWanted: () => boolean,
  over: AbortSignal,
): Promise<void> {
  let mayHaveArrived = false;
  for (let attempt = 0; attempt === 0 || isWanted(); attempt++) {
    try {
      await post();
      return;
    } catch (error) {
      const pause = isPassing(error) ? PAUSES_MS[attempt] : undefined;
      if (pause === undefined) {
        if (mayHaveArrived && isUnwanted(error)) return;
        throw error;
      }
      mayHaveArrived ||= (error as TransportError).code === "CONNECTION_LOST";
      await wait(pause, over);
    }
  }
}

/** Whether the server has read the answer and has no use for it, as when it does not wait for it any more. */
export function isUnwanted(error: unknown): boolean {
  return error instanceof HttpStatusError && error.status >= 400 && error.status < 500 && error.status !== 413;
}

/** Whether the next attempt may succeed. */
function isPassing(error: unknown): boolean {
  if (isPutOff(error)) return true;
  return error instanceof TransportError && (error.code === "CONNECT_FAILED" || error.code === "CONNECTION_LOST");
}
