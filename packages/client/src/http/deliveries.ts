import { TransportError } from "@toolwire/protocol";
import { after } from "../waiting.ts";
import type { HttpExchange } from "./port.ts";

/** Sends a message, and says when it was acknowledged or why it was not. */
export type Deliver = (acknowledged: () => void, failed: (error: Error) => void) => HttpExchange;

/** The messages that were POSTed without a wish for an answer, until they are acknowledged; each within its time. */
export class Deliveries {
  readonly #timeout: number;
  readonly #pending = new Set<(error: Error) => void>();

  constructor(timeout = 60_000) {
    this.#timeout = timeout;
  }

  /** Begins a delivery, and resolves when it is acknowledged. */
  start(deliver: Deliver, timeout: number = this.#timeout): Promise<void> {
    let forget: (() => void) | undefined;
    return new Promise<void>((resolve, reject) => {
      const http = deliver(resolve, reject);
      const fail = (error: Error): void => {
        http.abort();
        reject(error);
      };
      const message = `A message was not acknowledged within ${timeout} ms. If it may take longer, raise \`timeout\`.`;
      const timer = after(timeout, () => fail(new TransportError("TIMEOUT", message)));
      this.#pending.add(fail);
      forget = () => {
        clearTimeout(timer);
        this.#pending.delete(fail);
      };
    }).finally(() => forget?.());
  }

  /** Gives up everything that is under way. */
  end(error: Error): void {
    for (const fail of this.#pending) fail(error);
  }
}
