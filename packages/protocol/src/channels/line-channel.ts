import { ErrorCode, TransportError, type ProtocolViolation } from "../errors.ts";
import { type DecodeUtf8, DEFAULT_MAX_BYTES } from "../framing/frame-bytes.ts";
import { JunkLimit } from "../framing/junk-limit.ts";
import { createLineDecoder, type LineDecoder } from "../framing/lines.ts";
import { encodeParts } from "../messages/encode.ts";
import { closedError, MalformedMessage } from "../messages/errors.ts";
import { expectBytes, expectMilliseconds } from "../options.ts";
import type { Channel, ChannelReceiver, Outgoing } from "../transport/channel.ts";
import { createDeferred } from "./deferred.ts";
import { deliverFrame, type Side } from "./deliver-text.ts";
import { LineWriter, type TextSink } from "./line-writer.ts";
import { TurnLimit } from "./turn-limit.ts";

/** A source of bytes: the parts of a Node readable stream, such as `process.stdin` or a socket, that are used here. */
export interface ByteSource {
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  on(event: "end" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  pause(): unknown;
  resume(): unknown;
  /** Whether the stream has emitted `end`. */
  readonly readableEnded?: boolean;
  /** Whether the stream has emitted `close`. */
  readonly closed?: boolean;
}

/** The options of {@link createLineChannel}. */
export interface LineChannelOptions {
  /** Which end of the connection this is; see {@link Side}. */
  readonly side: Side;
  /** The longest line accepted, in bytes. A server answers a longer one with an error. Default 4 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** The most bytes that may wait for a peer that does not read; beyond that, the connection ends. Default 256 MiB. */
  readonly maxQueuedBytes?: number | undefined;
  /** Milliseconds that `close` gives the peer to read queued messages. Default 2000. */
  readonly closeTimeout?: number | undefined;
  /** A decoder faster than `TextDecoder`. */
  readonly decode?: DecodeUtf8 | undefined;
  /** Runs a callback very soon, after everything that can be sent right now was sent. Default `queueMicrotask`. */
  readonly schedule?: ((flush: () => void) => void) | undefined;
  /**
   * Runs a callback in the next turn of the event loop: `setImmediate`. With it, only so many messages are handled in one
   * turn, so that a peer that never stops sending cannot keep the whole process busy.
   */
  readonly yield?: ((resume: () => void) => void) | undefined;
}

/** The bytes that may wait for a slow peer until a server stops reading. */
const PAUSE_BYTES = 1024 * 1024;

/** The time that a client goes on reading after writing has failed, in milliseconds. */
const LAST_WORDS_MS = 1000;

/**
 * Makes a channel over any two byte streams, with one JSON-RPC message per line, as in the stdio binding. The
 * specification asks other byte streams (Unix sockets, TCP) to use the same framing, so it works for them, too.
 *
 * A peer may end its direction and go on reading. A server then still answers requests in flight, if the stream allows it:
 * create servers of `node:net` with `allowHalfOpen: true`.
 */
export function createLineChannel(input: ByteSource, output: TextSink, options: LineChannelOptions): Channel {
  return new LineChannel(input, output, options);
}

class LineChannel implements Channel {
  readonly #input: ByteSource;
  readonly #output: TextSink;
  readonly #options: LineChannelOptions;
  readonly #maxMessageBytes: number;
  readonly #maxQueuedBytes: number;
  readonly #closeTimeout: number;
  readonly #writer: LineWriter;
  #receiver: ChannelReceiver | undefined;
  #limit: TurnLimit<string> | undefined;
  /** Whether a server does not read because its client does not. */
  #isHeldBack = false;
  /** Limits lines that are not messages. A server answers these, and need not limit them. */
  #noise: JunkLimit | undefined;
  #hasEnded = false;
  #isClosing = false;
  #isClosed = false;
  /** Resolves when the connection has ended. */
  readonly #exit = createDeferred();
  #closeTimer: ReturnType<typeof setTimeout> | undefined;
  /** Present once writing has failed. */
  #lastWords: { readonly reason: Error; readonly timer: ReturnType<typeof setTimeout> } | undefined;

  constructor(input: ByteSource, output: TextSink, options: LineChannelOptions) {
    this.#input = input;
    this.#output = output;
    this.#options = options;
    this.#maxMessageBytes = expectBytes("maxMessageBytes", options.maxMessageBytes, DEFAULT_MAX_BYTES);
    this.#maxQueuedBytes = expectBytes("maxQueuedBytes", options.maxQueuedBytes, 256 * 1024 * 1024);
    this.#closeTimeout = expectMilliseconds("closeTimeout", options.closeTimeout, 2000);
    this.#writer = new LineWriter(output, options.schedule ?? queueMicrotask);
  }

  open(receiver: ChannelReceiver): void {
    this.#receiver = receiver;
    if (this.#options.side === "client") this.#noise = new JunkLimit();
    const limit = new TurnLimit<string>({
      deliver: (text) => this.#deliver(text, receiver),
      pause: (next) => this.#pauseTurn(next),
      resume: () => {
        if (!this.#isHeldBack) this.#input.resume();
      },
    });
    this.#limit = limit;
    const decoder = this.#createDecoder(receiver, limit);
    const output = this.#output;
    output.on("drain", () => this.#drain());
    output.on("error", (error) => this.#failWriting(lost("write to", error)));
    output.on("close", () => this.#failWriting(lost("write to")));
    const input = this.#input;
    input.on("error", (error) => limit.after(() => this.#fail(lost("read from", error))));
    input.on("end", () => this.#end(decoder, limit, receiver));
    input.on("close", () => {
      if (!this.#hasEnded) limit.after(() => this.#fail(lost("read from")));
    });
    input.on("data", (chunk) => {
      if (this.#isClosing) return;
      decoder.push(chunk);
      limit.count(chunk.length);
    });
    // Streams that have ended before emit no further event.
    if (input.readableEnded === true) queueMicrotask(() => this.#end(decoder, limit, receiver));
    else if (input.closed === true) queueMicrotask(() => this.#fail(lost("read from")));
    if (output.closed === true) queueMicrotask(() => this.#failWriting(lost("write to")));
  }

  send(message: Outgoing): void | Promise<void> {
    if (this.#isClosing) throw closedError();
    if (this.#lastWords !== undefined) throw this.#lastWords.reason;
    const writer = this.#writer;
    const isBehind = writer.drained !== undefined;
    writer.write(encodeParts(message));
    if (writer.drained === undefined) return;
    this.#limitQueue();
    return isBehind && this.#options.side === "client" ? writer.taken : writer.drained;
  }

  close(): Promise<void> {
    if (!this.#isClosing) {
      this.#isClosing = true;
      this.#closeTimer = setTimeout(() => this.#abandon(), this.#closeTimeout);
      this.#writer.end(() => this.#finish());
    }
    return this.#exit.promise;
  }

  #createDecoder(receiver: ChannelReceiver, limit: TurnLimit<string>): LineDecoder {
    const { decode } = this.#options;
    const maxBytes = this.#maxMessageBytes;
    return createLineDecoder(
      {
        line: (text) => limit.deliver(text),
        error: (violation) => limit.after(() => this.#refuse(violation, receiver)),
      },
      decode === undefined ? { maxBytes } : { maxBytes, decode },
    );
  }

  #deliver(text: string, receiver: ChannelReceiver): void {
    if (!this.#isClosed) this.#failIf(deliverFrame(text, receiver, this.#options.side, this.#noise));
  }

  /** Handles a line that is too long or not UTF-8. */
  #refuse(violation: ProtocolViolation, receiver: ChannelReceiver): void {
    if (this.#isClosed) return;
    const { side } = this.#options;
    if (violation.code !== "TOO_LARGE") {
      if (this.#noise?.isReported(violation) !== false) {
        const options = { cause: violation, mayAnswer: side === "server" };
        receiver.malformed(new MalformedMessage(ErrorCode.ParseError, violation.message, options));
      }
      this.#failIf(this.#noise?.add(violation.message));
      return;
    }
    const message =
      `A message is larger than the ${this.#maxMessageBytes} bytes allowed on this connection. ` +
      "Send less at once, or raise `maxMessageBytes` on the receiving side.";
    if (side === "server") {
      receiver.malformed(new MalformedMessage(ErrorCode.InvalidRequest, message, { cause: violation }));
    } else {
      // It may have been a response: ending the connection fails the call, which would otherwise never return.
      this.#fail(new TransportError("OVERLOADED", message, { cause: violation }));
    }
  }

  #failIf(tooMuch: TransportError | undefined): void {
    if (tooMuch !== undefined) this.#fail(tooMuch);
  }

  #pauseTurn(next: () => void): boolean {
    const { yield: nextTurn } = this.#options;
    if (nextTurn === undefined) return false;
    this.#input.pause();
    nextTurn(next);
    return true;
  }

  #end(decoder: LineDecoder, limit: TurnLimit<string>, receiver: ChannelReceiver): void {
    this.#hasEnded = true;
    if (this.#isClosing) return;
    decoder.end();
    limit.after(() => this.#inputEnded(receiver));
  }

  #inputEnded(receiver: ChannelReceiver): void {
    if (this.#isClosing) return;
    if (this.#lastWords !== undefined) this.#fail(this.#lastWords.reason);
    else if (receiver.inputEnded === undefined) void this.close();
    else receiver.inputEnded();
  }

  #drain(): void {
    this.#writer.drain();
    if (this.#isHeldBack && this.#writer.waitingBytes <= PAUSE_BYTES) {
      this.#isHeldBack = false;
      if (this.#limit?.isPaused !== true) this.#input.resume();
    }
  }

  /** Limits the bytes that wait for a slow peer. */
  #limitQueue(): void {
    const bytes = this.#writer.waitingBytes;
    if (bytes > this.#maxQueuedBytes) {
      const message = `The peer does not read: more than ${this.#maxQueuedBytes} bytes wait for it. The connection was ended.`;
      this.#fail(new TransportError("OVERLOADED", message));
    } else if (bytes > PAUSE_BYTES && !this.#isHeldBack && this.#options.side === "server") {
      this.#isHeldBack = true;
      this.#input.pause();
    }
  }

  /** A server that cannot write ends. A client reads on for a while: a dying server may have sent a last message. */
  #failWriting(reason: Error): void {
    if (this.#options.side === "server" || this.#isClosing) return this.#fail(reason);
    if (this.#hasEnded) return this.#limit?.after(() => this.#fail(reason));
    if (this.#lastWords !== undefined) return;
    this.#lastWords = { reason, timer: setTimeout(() => this.#fail(reason), LAST_WORDS_MS) };
    this.#receiver?.outputEnded?.();
  }

  #fail(reason: Error): void {
    if (!this.#isClosed) this.#abandon(this.#isClosing ? undefined : reason);
  }

  #abandon(reason?: Error): void {
    this.#finish(reason);
    this.#output.destroy();
  }

  #finish(reason?: Error): void {
    if (this.#isClosed) return;
    this.#isClosing = true;
    this.#isClosed = true;
    this.#writer.drop();
    // Empties the pipe, so that the peer is not blocked by a full one.
    if (this.#isHeldBack) this.#input.resume();
    this.#isHeldBack = false;
    clearTimeout(this.#closeTimer);
    clearTimeout(this.#lastWords?.timer);
    this.#exit.resolve();
    this.#receiver?.closed(reason);
  }
}

function lost(action: "read from" | "write to", cause?: Error): TransportError {
  const detail = cause === undefined ? "" : `: ${cause.message}`;
  return new TransportError("CONNECTION_LOST", `The connection broke: could not ${action} the peer${detail}.`, {
    cause,
  });
}
