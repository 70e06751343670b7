import { CloseCode } from "./close-codes.ts";
import type { FrameSocket, SocketEvents } from "./socket-channel.ts";

/** What is used of a socket of the `ws` library. */
export interface WsSocket {
  on(event: "message", listener: (data: { toString(): string }, isBinary: boolean) => void): unknown;
  on(event: "close", listener: (code: number, reason: { toString(): string }) => void): unknown;
  on(event: "error", listener: (error: Error & { readonly code?: unknown }) => void): unknown;
  on(event: "ping", listener: (data: Uint8Array) => void): unknown;
  send(text: string): void;
  ping(): void;
  pong(data: Uint8Array, mask: boolean | undefined, sent: () => void): void;
  close(code: number, reason: string): void;
  terminate(): void;
  pause(): void;
  resume(): void;
  readonly bufferedAmount: number;
  /** 1 while it is open. */
  readonly readyState: number;
}

/** The network socket below it: what is used of a Node `net.Socket`. */
export interface NetworkSocket {
  on(event: "drain" | "timeout", listener: () => void): unknown;
  /** How many bytes have arrived. */
  readonly bytesRead: number;
  cork(): void;
  uncork(): void;
  setTimeout(ms: number): unknown;
}

/** A socket of the `ws` library, and what goes with it. */
export interface WsConnection {
  /** Open, and made with `autoPong: false`: pings are answered here. */
  readonly socket: WsSocket;
  readonly stream: NetworkSocket;
  readonly heartbeat: Heartbeat;
  readonly turns: Turns;
}

/** What this side has told the peer when `ws` found fault with a frame. */
const CODES_OF_ERRORS: Readonly<Record<string, number>> = {
  WS_ERR_INVALID_UTF8: CloseCode.InvalidData,
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: CloseCode.TooLarge,
};

/**
 * Attaches a socket of the `ws` library to a channel. The first frame of a turn leaves at once, so that the peer has
 * something to do; those that follow leave together, in one system call.
 */
export function attachWsSocket(connection: WsConnection, events: SocketEvents): FrameSocket {
  const { socket, stream, heartbeat, turns } = connection;
  let drains = 0;
  let isTimed = false;
  const beating: Beating = {
    // Any byte is a sign of life: a large message can take longer than a ping may.
    signs: () => stream.bytesRead + drains,
    ping() {
      if (isTimed) stream.setTimeout(0);
      isTimed = false;
      socket.ping();
    },
    terminate() {
      if (isTimed) return;
      if (socket.bufferedAmount === 0) {
        socket.terminate();
        return;
      }
      // The ping waits behind what the peer has not read yet, or its pong behind what we do not read meanwhile. As long
      // as the peer reads at all, be it ever so slowly, it lives; the stream notices when it stops.
      isTimed = true;
      stream.setTimeout(heartbeat.intervalMs);
    },
  };
  heartbeat.watch(beating);
  stream.on("drain", () => {
    drains += 1;
    events.drained();
  });
  stream.on("timeout", () => socket.terminate());
  socket.on("message", (data, isBinary) => {
    if (isBinary) events.binary();
    else events.text(data.toString());
  });
  answerPings(socket);
  // An error is always followed by `close`, whose code then tells nothing.
  let failure: { readonly code: number; readonly reason: string } | undefined;
  socket.on("error", (error) => {
    failure ??= { code: CODES_OF_ERRORS[String(error.code)] ?? CloseCode.Abnormal, reason: error.message };
  });
  socket.on("close", (code, reason) => {
    heartbeat.forget(beating);
    if (failure === undefined) events.closed(code, reason.toString());
    else events.closed(failure.code, failure.reason);
  });

  let lastTurn = -1;
  let isCorked = false;
  const uncork = (): void => {
    isCorked = false;
    stream.uncork();
  };
  return {
    send(text) {
      const { now } = turns;
      if (now !== lastTurn) lastTurn = now;
      else if (!isCorked) {
        isCorked = true;
        stream.cork();
        turns.atEnd(uncork);
      }
      socket.send(text);
    },
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    get bufferedAmount() {
      return socket.bufferedAmount;
    },
    get isOpen() {
      return socket.readyState === 1;
    },
  };
}

/**
 * Answers pings, one at a time: while a pong is on its way, only the latest ping is kept (RFC 6455, section 5.5.3). A peer
 * that sends pings and reads nothing would otherwise have us queue pongs without end.
 */
function answerPings(socket: WsSocket): void {
  let isBusy = false;
  let latest: Uint8Array | undefined;
  const answer = (): void => {
    const data = latest;
    isBusy = data !== undefined;
    latest = undefined;
    if (data !== undefined) socket.pong(data, undefined, answer);
  };
  socket.on("ping", (data) => {
    latest = data;
    if (!isBusy) answer();
  });
}

/** A connection whose life is checked. */
export interface Beating {
  /** Grows with every sign of life. */
  signs(): number;
  /** Asks for a sign of life. */
  ping(): void;
  /** Ends the connection: no sign of life came. */
  terminate(): void;
}

/**
 * Notices connections whose other end vanished without a word: a laptop that went to sleep, a NAT that forgot. Pings
 * all of them once an interval, and ends what has been silent since the last ping. One timer for any number of them.
 */
export class Heartbeat {
  /** Milliseconds from one ping to the next. */
  readonly intervalMs: number;
  /** The signs of life of each connection, as of the last ping. */
  readonly #signs = new Map<Beating, number>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(intervalMs: number) {
    this.intervalMs = intervalMs;
  }

  watch(connection: Beating): void {
    this.#signs.set(connection, NaN);
    this.#timer ??= setInterval(() => this.#check(), this.intervalMs);
  }

  /** The connection has ended. */
  forget(connection: Beating): void {
    this.#signs.delete(connection);
    if (this.#signs.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    for (const [connection, before] of this.#signs) {
      const signs = connection.signs();
      if (signs === before) connection.terminate();
      else {
        this.#signs.set(connection, signs);
        connection.ping();
      }
    }
  }
}

/** Counts turns of the event loop, for work that is better done once per turn. */
export class Turns {
  readonly #schedule: (callback: () => void) => void;
  readonly #atEnd: (() => void)[] = [];
  #isScheduled = false;
  #number = 0;

  /** `schedule` runs a callback at the end of a turn: `setImmediate`. */
  constructor(schedule: (callback: () => void) => void) {
    this.#schedule = schedule;
  }

  /** The number of this turn. */
  get now(): number {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      this.#schedule(this.#end);
    }
    return this.#number;
  }

  /** Does something when this turn ends. */
  atEnd(work: () => void): void {
    this.#atEnd.push(work);
  }

  readonly #end = (): void => {
    this.#isScheduled = false;
    this.#number += 1;
    for (const work of this.#atEnd.splice(0)) work();
  };
}
