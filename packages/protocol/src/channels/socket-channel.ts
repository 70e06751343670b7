import { ProtocolViolation, TransportError } from "../errors.ts";
import { encodeMessage } from "../messages/encode.ts";
import { closedError } from "../messages/errors.ts";
import { expectBytes, expectMilliseconds } from "../options.ts";
import { Noise } from "../framing/junk-limit.ts";
import type { Channel, ChannelReceiver, Outgoing } from "../transport/channel.ts";
import { CloseCode, explainClose } from "./close-codes.ts";
import { deliverFrame, type Side } from "./deliver-text.ts";
import { createDeferred, type Deferred } from "./deferred.ts";

/** A connection that carries whole texts, one message each: what a channel needs of a WebSocket. */
export interface FrameSocket {
  send(text: string): void;
  /** Starts the closing handshake; `SocketEvents.closed` follows. */
  close(code: number, reason: string): void;
  /** Ends the connection without one. */
  terminate(): void;
  /** How many bytes have been taken but not handed to the network. */
  readonly bufferedAmount: number;
  /** Whether it takes texts. Once the peer has begun to close, it does not, and no event tells. Absent: yes. */
  readonly isOpen?: boolean | undefined;
  /** Stops and resumes delivery, where the platform can. */
  pause?(): void;
  resume?(): void;
}

/** What a {@link FrameSocket} tells its channel. */
export interface SocketEvents {
  /** A text frame arrived. */
  text(text: string): void;
  /** A binary frame arrived, which this binding does not know. */
  binary(): void;
  /** Fewer bytes wait than before. Platforms that cannot tell are asked from time to time. */
  drained(): void;
  /** The connection has ended, with the close code and reason of RFC 6455. */
  closed(code: number, reason: string): void;
}

/** The options of {@link createSocketChannel}. */
export interface SocketChannelOptions {
  /** Which end of the connection this is; see {@link Side}. */
  readonly side: Side;
  /** How many bytes may wait for a peer that does not read; beyond it the connection ends. Default 64 MiB. */
  readonly maxQueuedBytes?: number | undefined;
  /** Milliseconds to wait for the peer's half of the closing handshake. Default 2000. */
  readonly closeTimeout?: number | undefined;
}

/** How much may wait for a slow peer until senders are asked to wait and a server stops reading. */
const HIGH_WATER = 1024 * 1024;

/** How often a platform that reports no draining is asked, in milliseconds. */
const POLL_MS = 20;

/**
 * Opens the connection of a channel and hands over the socket, once messages can be sent on it. If the channel is
 * closed before that, the signal is aborted: then nobody wants the socket any more.
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
  /** What the peer has said that is no message; a server answers that, and need not count it. */
  readonly #noise: Noise | undefined;
  readonly #maxQueued: number;
  readonly #closeTimeout: number;
  #socket: FrameSocket | undefined;
  #receiver: ChannelReceiver | undefined;
  #isClosing = false;
  #isClosed = false;
  /** Why this side ends the connection, where it is not because somebody asked for it. */
  #reason: Error | undefined;
  /** Opens when the connection has ended. */
  readonly #exit = createDeferred();
  #closeTimer: ReturnType<typeof setTimeout> | undefined;
  /** Present while the peer reads more slowly than we write. */
  #backlog: Deferred | undefined;
  #poll: ReturnType<typeof setInterval> | undefined;

  constructor(connect: ConnectSocket, options: SocketChannelOptions) {
    this.#connect = connect;
    this.#side = options.side;
    this.#noise = options.side === "client" ? new Noise() : undefined;
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
      // Closed while connecting, or given up at its first words.
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

  close(): Promise<void> {
    if (this.#side === "client") this.#end(CloseCode.Normal, "");
    else this.#end(CloseCode.GoingAway, "the server is going away");
    return this.#exit.promise;
  }

  // What the socket tells.

  text(text: string): void {
    if (this.#isClosing || this.#receiver === undefined) return;
    const tooMuch = deliverFrame(text, this.#receiver, this.#side, this.#noise);
    if (tooMuch !== undefined) this.#end(CloseCode.PolicyViolation, "too much that is no message", tooMuch);
  }

  binary(): void {
    const message = "A binary frame arrived; each message travels as one text frame.";
    this.#end(CloseCode.UnsupportedData, "text frames only", new ProtocolViolation("INVALID_MESSAGE", message));
  }

  drained(): void {
    if (this.#backlog === undefined || (this.#socket?.bufferedAmount ?? 0) > HIGH_WATER / 2) return;
    this.#release();
    if (this.#side === "server") this.#socket?.resume?.();
  }

  closed(code: number, reason: string): void {
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
    // A socket that is paused would never see the other half of the handshake.
    socket.resume?.();
    socket.close(code, text);
  }
}
