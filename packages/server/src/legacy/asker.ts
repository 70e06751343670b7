import { TransportError, type Exchanger } from "@toolwire/protocol";
import { Caller } from "@toolwire/protocol/engine";
import { ToolError } from "../errors.ts";
import type { Session } from "./session.ts";

/** A way to send requests to the client. */
export type Way = Pick<Exchanger, "exchange">;

/** How long an answer is awaited. */
export interface Patience {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

/** Beyond this, timers fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** What sends the questions of one session, from the first to the end of the session. */
export class Asker {
  readonly #session: Session;
  /** One for all, because the ids of all that is asked must differ. */
  readonly #caller: Caller;
  readonly #ending = new AbortController();
  readonly #waiting: (() => void)[] = [];

  constructor(session: Session, way: Way) {
    this.#session = session;
    this.#caller = new Caller(way);
    if (session.isClosed) this.end();
  }

  /** Sends a request, as soon as the client is ready for requests. */
  async ask(method: string, params: object | undefined, { signal, timeout }: Patience, way: Way): Promise<object> {
    const over = AbortSignal.any([signal, this.#ending.signal]);
    if (!this.#session.isReady) await this.#untilReady({ signal: over, timeout });
    return this.#caller.call(method, params, { signal: over, timeout }, way);
  }

  /** The client is ready for requests. */
  start(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** The session has ended. */
  end(): void {
    this.#ending.abort(new TransportError("CLOSED", "The session was closed before the client answered."));
  }

  async #untilReady({ signal, timeout }: Patience): Promise<void> {
    signal.throwIfAborted();
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push(resolve);
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      const giveUp = (): void =>
        reject(new ToolError("The client has not sent `notifications/initialized`, so it could not be asked."));
      timer = setTimeout(giveUp, Math.min(timeout, LONGEST_TIMER));
    }).finally(() => clearTimeout(timer));
  }
}
