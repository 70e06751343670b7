import { AuthError, ProtocolViolation, TransportError } from "../errors.ts";
import { JunkLimit } from "../framing/junk-limit.ts";
import { encodeMessage } from "../messages/encode.ts";
import { closedError } from "../messages/errors.ts";
import { expectBytes, expectMilliseconds } from "../options.ts";
import type { Channel, ChannelReceiver, Outgoing } from "../transport/channel.ts";
import { CloseCode, explainClose } from "./close-codes.ts";
import { createDeferred, type Deferred } from "./deferred.ts";
import { deliverFrame, type Side } from "./deliver-text.ts";
import { TurnLimit } from "./turn-limit.ts";

/** A connection that carries whole texts, one message each: the parts of a WebSocket that a channel needs. */
export interface FrameSocket {
  send(text: string): void;
  /** Starts the closing handshake; `SocketEvents.closed` follows. */
  close(code: number, reason: string): void;
  /** Ends the connection without one. */
  terminate(): void;
  /** The number of bytes that were accepted but not handed to the network. */
  readonly bufferedAmount: number;
  /** Whether it accepts texts. It stops without an event when the peer begins to close. Absent: yes. */
  readonly isOpen?: boolean | undefined;
  /** Stops and resumes delivery, where the platform can. */
  pause?(): void;
  resume?(): void;
  /**
   * Runs a callback in the next turn of the event loop, for platforms that deliver several frames in one. With it, only so many
   * are handled in a turn, so that a peer that never stops sending cannot keep the whole process busy.
   */
  nextTurn?(callback: () => void): void;
}

/** The events of a {@link FrameSocket}, as its channel receives them. */
export interface SocketEvents {
  /** A text frame arrived. */
  text(text: string): void;
  /** A binary frame arrived, which this binding does not use. */
  binary(): void;
  /** Fewer bytes wait than before. Platforms without such an event are polled. */
  drained(): void;
  /** The connection has ended, with the close code and reason of RFC 6455. */
  closed(code: number, reason: string): void;
}

/** The options of {@link createSocketChannel}. */
export interface SocketChannelOptions {
  /** Which end of the connection this is; see {@link Side}. */
  readonly side: Side;
  /** The most bytes that may wait for a peer that does not read; beyond that, the connection ends. Default 64 MiB. */
  readonly maxQueuedBytes?: number | undefined;
  /** Milliseconds to wait for the peer's half of the closing handshake. Default 2000. */
  readonly closeTimeout?: number | undefined;
}

/** The bytes that may wait for a slow peer until `send` returns promises and a server stops reading. */
const HIGH_WATER = 1024 * 1024;

/** The interval at which a platform without an event for draining is polled, in milliseconds. */
const POLL_MS = 20;

/**
 * Opens the connection of a channel and returns the socket, once messages can be sent on it. If the channel is closed
 * before that, the signal is aborted.
 */
export type ConnectSocket = (events: SocketEvents, signal: AbortSignal) => FrameSocket | Promise<FrameSocket>;

/**
 * Makes a channel over a WebSocket-like connection, with one JSON-RPC message per text frame. `connect` is called when
 * the channel is opened.
 */
export function createSocketChannel(connect: ConnectSocket, options: SocketChannelOptions): Channel {
  return new SocketChannel(connect, options);
}

class SocketChannel implements Channel, SocketEvents {
  readonly #connect: ConnectSocket;
  readonly #connecting = new AbortController();
  readonly #side: Side;
  /** Limits frames that are not messages. A server answers these, and need not limit them. */
  readonly #noise: JunkLimit | undefined;
  readonly #maxQueued: number;
  readonly #closeTimeout: number;
  #socket: FrameSocket | undefined;
  #receiver: ChannelReceiver | undefined;
  #isClosing = false;
  #isClosed = false;
  /** The reason why this side ends the connection, unless `close` was called. */
  #reason: Error | undefined;
  /** Resolves when the connection has ended. */
  readonly #exit = createDeferred();
  #closeTimer: ReturnType<typeof setTimeout> | undefined;
  /** Present while the peer reads more slowly than this side writes. */
  #backlog: Deferred | undefined;
  #poll: ReturnType<typeof setInterval> | undefined;
  readonly #limit = new TurnLimit<string>({
    deliver: (text) => this.#deliver(text),
    pause: (next) => this.#pauseTurn(next),
    resume: () => {
      if (!this.#isHeldBack) this.#socket?.resume?.();
    },
  });

  constructor(connect: ConnectSocket, options: SocketChannelOptions) {
    this.#connect = connect;
    this.#side = options.side;
    this.#noise = options.side === "client" ? new JunkLimit() : undefined;
    this.#maxQueued = expectBytes("maxQueuedBytes", options.maxQueuedBytes, 64 * 1024 * 1024);
    this.#closeTimeout = expectMilliseconds("closeTimeout", options.closeTimeout, 2000);
  }

  open(receiver: ChannelReceiver): void | Promise<void> {
    this.#receiver = receiver;
    const socket = this.#connect(this, this.#connecting.signal);
    if (!(socket instanceof Promise)) {
      this.#socket = socket;
      return;
    }
    return socket.then((connected) => {
      this.#socket = connected;
      if (!this.#isClosing) return;
      // Closed while connecting, or ended because of its first frames.
      connected.terminate();
      throw this.#reason ?? closedError();
    });
  }

  send(message: Outgoing): void | Promise<void> {
    const socket = this.#socket;
    if (this.#isClosing || socket === undefined || socket.isOpen === false) throw closedError();
    socket.send(encodeMessage(message));
    return socket.bufferedAmount > HIGH_WATER ? this.#holdBack(socket) : undefined;
  }

  close(reason?: Error): Promise<void> {
    // A close frame has room for 123 bytes (RFC 6455, section 5.5), and a character has up to 3.
    if (reason instanceof AuthError) this.#end(CloseCode.PolicyViolation, reason.message.slice(0, 40));
    else if (this.#side === "client") this.#end(CloseCode.Normal, "");
    else this.#end(CloseCode.GoingAway, "the server is going away");
    return this.#exit.promise;
  }

  // Called by the socket.

  text(text: string): void {
    if (this.#isClosing) return;
    this.#limit.deliver(text);
    this.#limit.count(text.length);
  }

  binary(): void {
    this.#limit.after(() => {
      const message = "A binary frame arrived; each message travels as one text frame.";
      this.#end(CloseCode.UnsupportedData, "text frames only", new ProtocolViolation("INVALID_MESSAGE", message));
    });
  }

  drained(): void {
    if (this.#backlog === undefined || (this.#socket?.bufferedAmount ?? 0) > HIGH_WATER / 2) return;
    this.#release();
    if (this.#side === "server" && !this.#limit.isPaused) this.#socket?.resume?.();
  }

  closed(code: number, reason: string): void {
    // Once this side has ended the connection, nothing that waits is delivered any more.
    if (this.#isClosing) this.#close(code, reason);
    else this.#limit.after(() => this.#close(code, reason));
  }

  /** Whether a server does not read because its client does not. */
  get #isHeldBack(): boolean {
    return this.#side === "server" && this.#backlog !== undefined;
  }

  #deliver(text: string): void {
    if (this.#isClosing || this.#receiver === undefined) return;
    const tooMuch = deliverFrame(text, this.#receiver, this.#side, this.#noise);
    if (tooMuch !== undefined) this.#end(CloseCode.PolicyViolation, "too much that is no message", tooMuch);
  }

  #pauseTurn(next: () => void): boolean {
    const socket = this.#socket;
    if (socket?.nextTurn === undefined) return false;
    socket.pause?.();
    socket.nextTurn(next);
    return true;
  }

  #close(code: number, reason: string): void {
    if (this.#isClosed) return;
    const why = this.#isClosing ? this.#reason : explainClose(code, reason);
    this.#isClosing = true;
    this.#isClosed = true;
    clearTimeout(this.#closeTimer);
    this.#release();
    this.#exit.resolve();
    this.#receiver?.closed(why);
  }

  #holdBack(socket: FrameSocket): Promise<void> {
    if (this.#backlog === undefined) {
      this.#backlog = createDeferred();
      this.#poll = setInterval(() => this.drained(), POLL_MS);
      if (this.#side === "server") socket.pause?.();
    }
    const { promise } = this.#backlog;
    if (socket.bufferedAmount > this.#maxQueued) {
      const message = `The peer does not read: more than ${this.#maxQueued} bytes wait for it. The connection was ended.`;
      this.#end(CloseCode.TryAgainLater, "too much waits for you to read", new TransportError("OVERLOADED", message));
    }
    return promise;
  }

  #release(): void {
    clearInterval(this.#poll);
    this.#backlog?.resolve();
    this.#backlog = undefined;
  }

  #end(code: number, text: string, reason?: Error): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#reason = reason;
    if (reason !== undefined) this.#receiver?.outputEnded?.();
    const socket = this.#socket;
    if (socket === undefined) {
      this.#connecting.abort(closedError());
      this.closed(CloseCode.Abnormal, "");
      return;
    }
    this.#closeTimer = setTimeout(() => socket.terminate(), this.#closeTimeout);
    // A paused socket would never receive the other half of the closing handshake.
    socket.resume?.();
    socket.close(code, text);
  }
}
