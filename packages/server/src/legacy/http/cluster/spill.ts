import type { Cluster } from "../../../cluster/cluster.ts";
import type { LoggedEvent } from "../../../cluster/events.ts";
import { reach, tellNode } from "./reach.ts";

/** How long the log keeps what a client has not got, and how much of one stream, as the event store in memory does. */
export const KEPT_FOR_MS: number = 5 * 60_000;
const MAX_BYTES = 256 * 1024;

/** How often a failed write is tried again, and how long after the first failure. */
const MOST_TRIES = 6;
const FIRST_PAUSE_MS = 250;

/**
 * Writes one stream to the log, from the moment at which its connection broke: a stream with a healthy connection writes nothing.
 * There is one writer, the node whose handler answers, so events come in order.
 */
export class Spill {
  /** The node that reads the stream for its client, if one does. */
  reader: string | undefined;
  readonly #cluster: Cluster;
  readonly #session: string;
  readonly #stream: string;
  readonly #onFailure: (error: unknown) => void;
  #waiting: LoggedEvent[] = [];
  #isComplete = false;
  #isCompleteKept = false;
  #writing: Promise<void> | undefined;

  constructor(cluster: Cluster, session: string, stream: string, onFailure: (error: unknown) => void) {
    this.#cluster = cluster;
    this.#session = session;
    this.#stream = stream;
    this.#onFailure = onFailure;
  }

  add(events: readonly LoggedEvent[]): void {
    for (const { sequence, data } of events) this.#waiting.push({ sequence, data });
    this.#write();
  }

  /** Nothing follows. */
  finish(): void {
    this.#isComplete = true;
    this.#write();
  }

  /** Whether everything is in the log, and nothing follows. */
  get isDone(): boolean {
    return this.#isCompleteKept && this.#writing === undefined;
  }

  /** Resolves when what there is so far is in the log, or could not be put there. */
  async written(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  #write(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeAll(): Promise<void> {
    // What is added in the same turn goes along: an answer, and that it is the last.
    await Promise.resolve();
    while (this.#waiting.length > 0 || this.#isComplete !== this.#isCompleteKept) {
      const events = this.#waiting;
      const isLast = this.#isComplete;
      this.#waiting = [];
      if (!(await this.#append(events, isLast))) return;
      this.#isCompleteKept = isLast;
      const { reader } = this;
      if (reader !== undefined) {
        tellNode(this.#cluster, reader, "legacy.appended", { session: this.#session, stream: this.#stream });
      }
    }
  }

  async #append(events: readonly LoggedEvent[], isLast: boolean): Promise<boolean> {
    const options = { ttl: KEPT_FOR_MS, maxBytes: MAX_BYTES, isLast };
    for (let tried = 1; ; tried += 1) {
      try {
        await reach(this.#cluster.events.append(this.#session, this.#stream, events, options));
        return true;
      } catch (error) {
        if (tried < MOST_TRIES) await pause(FIRST_PAUSE_MS * 2 ** (tried - 1));
        else {
          this.#onFailure(error);
          this.#isCompleteKept = this.#isComplete;
          this.#waiting = [];
          return false;
        }
      }
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
