import { TransportError } from "../errors.ts";
import type { EncodedParts } from "../messages/encode.ts";
import { UnsentError } from "../messages/errors.ts";
import { createGate, type Gate } from "./deferred.ts";

/** Where text goes to, as UTF-8: what is used of a Node writable stream, such as `process.stdout` or a socket. */
export interface TextSink {
  /** Returns false when it wants the next text only after `drain`. Bytes are text in UTF-8 already. */
  write(text: string | Uint8Array): boolean;
  /** Holds back what is written until `uncork`, so that it leaves in one piece. */
  cork(): void;
  uncork(): void;
  /** Ends the stream once everything written has left; `done` is called then, or if that fails. */
  end(done: () => void): unknown;
  /** Drops what has not left yet. */
  destroy(): unknown;
  /** Whether it has told that it is closed. */
  readonly closed?: boolean;
  on(event: "drain" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Enough to fill one system call; waiting for more would only keep the peer idle. */
const FLUSH_LENGTH = 16 * 1024;

/** The first of many answers leave early, so that the peer has something to do while the others are made. */
const FIRST_FLUSH_LENGTH = 256;

/** What waits for a peer that reads more slowly than we write. */
interface Backlog extends Gate {
  /** Whether it was dropped in the end, rather than written. */
  isDropped: boolean;
  /** The same gate, for those who want to know that. */
  taken?: Promise<void>;
}

/** Writes lines to a stream: those that are made together in one piece, and no more of them than the stream takes. */
export class LineWriter {
  readonly #output: TextSink;
  readonly #schedule: (flush: () => void) => void;
  readonly #flushScheduled: () => void;
  /** What is to be written next. Long texts that were prepared as bytes stand in `#parts`, with all that comes before. */
  #queued = "";
  #parts: (string | Uint8Array)[] = [];
  #partsLength = 0;
  /** How much is written at once: the more, the longer there is something to send without a pause. */
  #flushLength = FIRST_FLUSH_LENGTH;
  #isScheduled = false;
  /** Present while the peer reads more slowly than we write. */
  #backlog: Backlog | undefined;

  /** `schedule` runs a callback very soon, after everything that can be sent right now was sent. */
  constructor(output: TextSink, schedule: (flush: () => void) => void) {
    this.#output = output;
    this.#schedule = schedule;
    this.#flushScheduled = () => {
      this.#isScheduled = false;
      this.#flushLength = FIRST_FLUSH_LENGTH;
      this.#flush();
    };
  }

  /** Resolves when the stream takes more; `undefined` while it does. */
  get drained(): Promise<void> | undefined {
    return this.#backlog?.opened;
  }

  /** The same for lines that were added while it did not: rejects if they are dropped here, and never reach the stream. */
  get taken(): Promise<void> | undefined {
    const backlog = this.#backlog;
    if (backlog === undefined) return undefined;
    if (backlog.taken === undefined) {
      backlog.taken = backlog.opened.then(() => {
        if (backlog.isDropped) throw new UnsentError(new TransportError("CONNECTION_LOST", "The connection broke."));
      });
      // Whoever does not care need not listen.
      backlog.taken.catch(() => {});
    }
    return backlog.taken;
  }

  /** How much waits here, in UTF-16 code units. */
  get queuedLength(): number {
    return this.#partsLength + this.#queued.length;
  }

  /** Writes a message as one line, very soon; while the stream does not take more, it waits here. */
  write(encoded: string | EncodedParts): void {
    if (typeof encoded === "string") this.#queued += `${encoded}\n`;
    else {
      const { before, bytes, after } = encoded;
      const text = this.#queued + before;
      this.#parts.push(text, bytes);
      this.#partsLength += text.length + bytes.length;
      this.#queued = `${after}\n`;
    }
    if (this.#backlog === undefined) this.#flushSoon();
  }

  /** The stream takes more. */
  drain(): void {
    const released = this.#backlog;
    if (released === undefined) return;
    this.#backlog = undefined;
    this.#flush();
    released.open();
  }

  /** Writes what is left, and ends the stream; `done` is called when all of it has left, or cannot. */
  end(done: () => void): void {
    if (this.#queued !== "") this.#writeAll();
    this.#output.end(done);
  }

  /** Drops what is left: nobody will read it. */
  drop(): void {
    const backlog = this.#backlog;
    if (backlog !== undefined) backlog.isDropped = this.queuedLength > 0;
    this.#queued = "";
    this.#parts = [];
    this.#partsLength = 0;
    this.#backlog = undefined;
    backlog?.open();
  }

  #flushSoon(): void {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      this.#schedule(this.#flushScheduled);
    }
    if (this.queuedLength < this.#flushLength) return;
    this.#flushLength = Math.min(2 * this.#flushLength, FLUSH_LENGTH);
    this.#flush();
  }

  #flush(): void {
    if (this.#backlog === undefined && this.#queued !== "" && !this.#writeAll()) {
      this.#backlog = { ...createGate(), isDropped: false };
    }
  }

  /** Writes everything that is queued. Returns false when the peer has to read some of it first. */
  #writeAll(): boolean {
    const text = this.#queued;
    this.#queued = "";
    if (this.#partsLength === 0) return this.#output.write(text);
    const parts = this.#parts;
    this.#parts = [];
    this.#partsLength = 0;
    this.#output.cork();
    for (const part of parts) this.#output.write(part);
    const isAccepted = this.#output.write(text);
    this.#output.uncork();
    return isAccepted;
  }
}
