import { whenAborted } from "@toolwire/protocol/internal";
import { inTime } from "../waiting.ts";
import type { HttpExchange } from "./port.ts";

/** Sends a message, and says when it was acknowledged or why it was not. */
export type Deliver = (acknowledged: () => void, failed: (error: Error) => void) => HttpExchange;

/** The messages that were POSTed without a wish for an answer, until they are acknowledged; each within its time. */
export class Deliveries {
  readonly #timeout: number;
  readonly #over = new AbortController();

  constructor(timeout = 60_000) {
    this.#timeout = timeout;
  }

  /** Begins a delivery, and resolves when it is acknowledged. */
  start(deliver: Deliver, timeout: number = this.#timeout): Promise<void> {
    const message = `A message was not acknowledged within ${timeout} ms. If it may take longer, raise \`timeout\`.`;
    return inTime(timeout, message, [this.#over.signal], (limit) => {
      return new Promise<void>((resolve, reject) => {
        const http = deliver(resolve, reject);
        whenAborted(limit, () => http.abort());
      });
    });
  }

  /** Gives up everything that is under way. */
  end(error: Error): void {
    this.#over.abort(error);
  }
}
