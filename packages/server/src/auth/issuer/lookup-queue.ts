import { CallerShares, defaultShare } from "../../bindings/admission/callers.ts";
import { VerificationUnavailable } from "../tokens/verified.ts";
import { mayShareWork } from "./shared-work.ts";

/** How many tokens are asked about at the same time: strangers can send any number of texts that may be tokens. */
const MAX_RUNNING = 100;
/** How many more may wait for their turn, */
const MAX_WAITING = 1000;
/** and for how long: bindings give up on a request after ten seconds, and the response of the issuer may take five. */
const MAX_WAIT_MS = 4000;

/** A look-up that waits for its turn. */
interface Waiting {
  readonly network: string | undefined;
  begin(): void;
}

/**
 * Bounds how many tokens an issuer is asked about at once. Those beyond that wait for their turn. A network may hold only a share of
 * what runs and of what waits, so that a stranger who sends made-up tokens does not keep others from being let in.
 */
export class LookupQueue {
  readonly #issuer: string;
  #running = 0;
  readonly #runningByNetwork = new CallerShares(defaultShare(MAX_RUNNING));
  readonly #waiting = new Set<Waiting>();
  readonly #waitingByNetwork = new CallerShares(defaultShare(MAX_WAITING));

  constructor(issuer: string) {
    this.#issuer = issuer;
  }

  /**
   * Does a look-up, now or in its turn.
   *
   * @throws VerificationUnavailable if too many wait already, or the turn does not come in time
   */
  async run<T>(network: string | undefined, work: () => Promise<T>): Promise<T> {
    if (this.#hasRoom(network)) this.#take(network);
    else await this.#wait(network);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#runningByNetwork.release(network);
      this.#beginNext();
    }
  }

  #hasRoom(network: string | undefined): boolean {
    return this.#running < MAX_RUNNING && this.#runningByNetwork.hasRoom(network);
  }

  #take(network: string | undefined): void {
    this.#running += 1;
    this.#runningByNetwork.take(network);
  }

  #wait(network: string | undefined): Promise<void> {
    // Where no request may wait for another one, nobody would wake it.
    if (!mayShareWork() || this.#waiting.size >= MAX_WAITING || !this.#waitingByNetwork.hasRoom(network)) {
      return Promise.reject(new VerificationUnavailable(`${this.#issuer} is asked about too many tokens already`));
    }
    this.#waitingByNetwork.take(network);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
        this.#waitingByNetwork.release(network);
      };
      const timer = setTimeout(() => {
        leave();
        reject(new VerificationUnavailable(`${this.#issuer} answers about tokens too slowly`));
      }, MAX_WAIT_MS);
      const waiting: Waiting = {
        network,
        begin: () => {
          leave();
          this.#take(network);
          resolve();
        },
      };
      this.#waiting.add(waiting);
    });
  }

  /** Begins the first look-up whose network has room. */
  #beginNext(): void {
    for (const waiting of this.#waiting) {
      if (this.#hasRoom(waiting.network)) return waiting.begin();
    }
  }
}
