import { encodeEvent } from "@toolwire/protocol/framing";
import type { EventStream } from "../../../bindings/http/events.ts";
import type { Cluster } from "../../../cluster/cluster.ts";
import type { LoggedEvents } from "../../../cluster/events.ts";
import { reach } from "./reach.ts";

/** How many events are read at once. */
export const READ_LIMIT = 100;

/** How often the log is read again without being told of an event, and how many times before the writer is asked whether it is there. */
const POLL_MS = 2000;
const POLLS_PER_CHECK = 5;

/** How long after a failure the engine is tried again; longer with each. */
const RETRY_MS = 200;

/** How often in a row the engine may fail. */
const MOST_FAILURES = 10;

/** What is read, and for whom. */
export interface TailOptions {
  readonly session: string;
  readonly stream: string;
  /** The last event that the client has seen. */
  readonly after: number;
  /** The number of this reader. One with a greater number takes its place. */
  readonly reader: number;
  /** Whether the stream may have more events than the log has now. */
  readonly mayFollow: boolean;
  /** Asks the node that writes the stream whether more may follow. */
  readonly ask: () => Promise<boolean>;
}

/** Sends a stream that another node writes, from the log, until it ends. */
export class LogTail {
  readonly #cluster: Cluster;
  readonly #options: TailOptions;
  #sent: number;
  #mayFollow: boolean;
  #isGone = false;
  #isAwake = false;
  #wake: (() => void) | undefined;

  constructor(cluster: Cluster, options: TailOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#sent = options.after;
    this.#mayFollow = options.mayFollow;
  }

  /** There may be more to read. */
  wake(): void {
    this.#isAwake = true;
    this.#wake?.();
  }

  /** The client is gone. */
  detach(): void {
    this.#isGone = true;
    this.wake();
  }

  /** Sends what there is and what follows, and ends the connection. Never rejects. */
  async run(connection: EventStream): Promise<void> {
    let failures = 0;
    let quiet = 0;
    while (!this.#isGone && connection.isOpen && failures < MOST_FAILURES) {
      try {
        const isAsked = quiet >= POLLS_PER_CHECK;
        if (isAsked) this.#mayFollow = await this.#options.ask();
        const sent = this.#sent;
        // Read after the writer was asked: what it has written before it ended is in the log.
        if (!(await this.#sendNext(connection))) break;
        quiet = isAsked || this.#sent > sent ? 0 : quiet + 1;
        failures = 0;
      } catch {
        failures += 1;
      }
      await this.#untilAwake(failures > 0 ? RETRY_MS * failures : POLL_MS);
    }
    if (!this.#isGone) connection.end();
  }

  /** Sends what the log has. Returns whether more may follow. */
  async #sendNext(connection: EventStream): Promise<boolean> {
    const { session, stream, reader } = this.#options;
    let read: LoggedEvents | undefined;
    do {
      this.#isAwake = false;
      read = await reach(this.#cluster.events.read(session, stream, this.#sent, READ_LIMIT));
      if (read === undefined || read.reader > reader || this.#isGone) return false;
      for (const { sequence, data } of read.events) {
        await connection.write(encodeEvent({ event: "message", id: `${stream}-${sequence}`, data }));
        this.#sent = sequence;
      }
      if (read.isComplete) return false;
    } while (read.events.length > 0 && connection.isOpen);
    return this.#mayFollow;
  }

  /** Waits until there may be more, but not for long: a message that says so may be lost. */
  #untilAwake(ms: number): Promise<void> {
    if (this.#isAwake || this.#isGone) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
