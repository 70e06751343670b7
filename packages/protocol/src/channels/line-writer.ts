import { TransportError } from "../errors.ts";
import type { EncodedParts } from "../messages/encode.ts";
import { UnsentError } from "../messages/errors.ts";
import { createDeferred, type Deferred } from "./deferred.ts";

/** A stream that takes text and writes it as UTF-8: the parts of a Node writable stream that are used here. */
export interface TextSink {
  /** Returns false when it wants the next text only after `drain`. Bytes are text in UTF-8 already. */
  write(text: string | Uint8Array): boolean;
  /** Holds back everything that is written until `uncork`, so that it leaves in one piece. */
  cork(): void;
  uncork(): void;
  /** Ends the stream once everything written has left; `done` is called then, or if that fails. */
  end(done: () => void): unknown;
  /** Drops everything that has not left yet. */
  destroy(): unknown;
  /** Whether the stream has emitted `close`. */
  readonly closed?: boolean;
  on(event: "drain" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

const encoder = new TextEncoder();

/** Enough to fill one system call; waiting for more would only keep the peer idle. In UTF-16 code units. */
const FLUSH_LENGTH = 16 * 1024;

/** The first of many responses leave early, so that the peer has something to do while the others are made. */
const FIRST_FLUSH_LENGTH = 256;

/** The wait for a peer that reads more slowly than this side writes. */
interface Backlog extends Deferred {
  /** Whether the queued lines were dropped in the end, rather than written. */
  isDropped: boolean;
  /** The same wait, for senders that need to know whether their lines were dropped. */
  taken?: Promise<void>;
}

/** Writes lines to a stream. Lines that are made together leave together, and no more than the stream takes. */
export class LineWriter {
  readonly #output: TextSink;
  readonly #schedule: (flush: () => void) => void;
  readonly #flushScheduled: () => void;
  /** The text to write next. Long texts that were prepared as bytes are in `#parts`, with everything before them. */
  #queued = "";
  #parts: (string | Uint8Array)[] = [];
  #partsLength = 0;
  /** The bytes of lines that wait for the peer. Lines that wait for the end of the tick are not counted. */
  #waitingBytes = 0;
  /** How much is written at once. It grows with every flush, as there is more to send without a pause. */
  #flushLength = FIRST_FLUSH_LENGTH;
  #isScheduled = false;
  /** Present while the peer reads more slowly than this side writes. */
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
    return this.#backlog?.promise;
  }

  /** The same for lines that were added while it did not: rejects if they are dropped and never reach the stream. */
  get taken(): Promise<void> | undefined {
    const backlog = this.#backlog;
    if (backlog === undefined) return undefined;
    if (backlog.taken === undefined) {
      backlog.taken = backlog.promise.then(() => {
        if (backlog.isDropped) throw new UnsentError(new TransportError("CONNECTION_LOST", "The connection broke."));
      });
      // Senders may ignore the promise; its rejection must not end the process.
      backlog.taken.catch(() => {});
    }
    return backlog.taken;
  }

  /** How many bytes wait here for a peer that does not read. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Writes a message as one line, very soon. While the stream does not take more, it waits here. */
  write(encoded: string | EncodedParts): void {
    if (this.#backlog === undefined) {
      this.#queue(encoded);
      this.#flushSoon();
      return;
    }
    // Only lines that wait are counted: counting takes time, and the others leave at once. A long line is counted by
    // writing it as bytes, which the stream would have to do later.
    const isLong = typeof encoded === "string" && encoded.length >= FLUSH_LENGTH;
    const line = isLong ? { before: "", bytes: encoder.encode(encoded), after: "" } : encoded;
    this.#waitingBytes += countBytes(line) + 1;
    this.#queue(line);
  }

  #queue(encoded: string | EncodedParts): void {
    if (typeof encoded === "string") {
      this.#queued += `${encoded}\n`;
      return;
    }
    const { before, bytes, after } = encoded;
    const text = this.#queued + before;
    if (text !== "") this.#parts.push(text);
    this.#parts.push(bytes);
    this.#partsLength += text.length + bytes.length;
    this.#queued = `${after}\n`;
  }

  /** The stream takes more. */
  drain(): void {
    const released = this.#backlog;
    if (released === undefined) return;
    this.#backlog = undefined;
    this.#flush();
    released.resolve();
  }

  /** Writes the rest and ends the stream. `done` is called when all of it has left, or cannot. */
  end(done: () => void): void {
    if (this.#queued !== "") this.#writeAll();
    this.#output.end(done);
  }

  /** Drops the rest, which the peer will not read. */
  drop(): void {
    const backlog = this.#backlog;
    if (backlog !== undefined) backlog.isDropped = this.#queued !== "";
    this.#clear();
    this.#backlog = undefined;
    backlog?.resolve();
  }

  #flushSoon(): void {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      this.#schedule(this.#flushScheduled);
    }
    if (this.#partsLength + this.#queued.length < this.#flushLength) return;
    this.#flushLength = Math.min(2 * this.#flushLength, FLUSH_LENGTH);
    this.#flush();
  }

  #flush(): void {
    if (this.#backlog === undefined && this.#queued !== "" && !this.#writeAll()) {
      this.#backlog = { ...createDeferred(), isDropped: false };
    }
  }

  /** Writes everything that is queued. Returns false when the peer has to read some of it first. */
  #writeAll(): boolean {
    const text = this.#queued;
    const parts = this.#parts;
    const hasParts = this.#partsLength > 0;
    this.#clear();
    if (!hasParts) return this.#output.write(text);
    this.#output.cork();
    for (const part of parts) this.#output.write(part);
    const isAccepted = this.#output.write(text);
    this.#output.uncork();
    return isAccepted;
  }

  #clear(): void {
    this.#queued = "";
    this.#waitingBytes = 0;
    if (this.#partsLength === 0) return;
    this.#parts = [];
    this.#partsLength = 0;
  }
}

/** The length of a line in UTF-8. */
function countBytes(encoded: string | EncodedParts): number {
  if (typeof encoded === "string") return countUtf8(encoded);
  // The text around prepared bytes is an id and punctuation.
  return countUtf8(encoded.before) + encoded.bytes.length + encoded.after.length;
}

/** Characters beyond ASCII, which need more than one byte. */
const NOT_ASCII = /[^\0-\x7f]/;

function countUtf8(text: string): number {
  if (!NOT_ASCII.test(text)) return text.length;
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // A surrogate is half of a character of four bytes. JSON.stringify leaves no lone ones.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
