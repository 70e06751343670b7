/** Sockets of the `ws` library as frame sockets of a channel: writes gathered per turn, pings, dead peers detected. */

import { CloseCode } from "./close-codes.ts";
import type { FrameSocket, SocketEvents } from "./socket-channel.ts";

/** The parts of a socket of the `ws` library that are used here. */
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

/** The network socket below it: the parts of a Node `net.Socket` that are used here. */
export interface NetworkSocket {
  on(event: "drain" | "timeout", listener: () => void): unknown;
  /** The number of bytes received. */
  readonly bytesRead: number;
  cork(): void;
  uncork(): void;
  setTimeout(ms: number): unknown;
}

/** A socket of the `ws` library, with the objects that serve it. */
export interface WsConnection {
  /** Open, and made with `autoPong: false`: pings are answered here. */
  readonly socket: WsSocket;
  readonly stream: NetworkSocket;
  readonly heartbeat: Heartbeat;
  readonly turns: EventLoopTurns;
}

/** The close codes that `ws` sends to the peer for errors of its own. */
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
  const pinged: PingedConnection = {
    // Any byte shows that the peer is alive: a large message can take longer than a ping may.
    countReceived: () => stream.bytesRead + drains,
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
      // The ping waits behind data that the peer has not read yet. As long as the peer reads at all, however slowly, it is
      // alive; the timeout of the stream fires when it stops.
      isTimed = true;
      stream.setTimeout(heartbeat.intervalMs);
    },
  };
  heartbeat.watch(pinged);
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
  // An error is always followed by `close`, whose code is then meaningless.
  let failure: { readonly code: number; readonly reason: string } | undefined;
  socket.on("error", (error) => {
    failure ??= { code: CODES_OF_ERRORS[String(error.code)] ?? CloseCode.Abnormal, reason: error.message };
  });
  socket.on("close", (code, reason) => {
    heartbeat.forget(pinged);
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
    nextTurn: (callback) => turns.atEnd(callback),
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
 * that sends pings and reads nothing would otherwise fill the queue with pongs.
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

/** A connection that is pinged. */
export interface PingedConnection {
  /** A number that grows whenever something is received. */
  countReceived(): number;
  /** Sends a ping. */
  ping(): void;
  /** Ends the connection, from which nothing was received. */
  terminate(): void;
}

/**
 * Detects connections whose peer vanished without closing: a laptop that went to sleep, a NAT entry that expired. Pings
 * all connections once an interval, with one timer, and ends those that have been silent since the last ping.
 */
export class Heartbeat {
  /** Milliseconds from one ping to the next. */
  readonly intervalMs: number;
  /** The result of `countReceived` for each connection, as of the last ping. */
  readonly #received = new Map<PingedConnection, number>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(intervalMs: number) {
    this.intervalMs = intervalMs;
  }

  watch(connection: PingedConnection): void {
    this.#received.set(connection, NaN);
    this.#timer ??= setInterval(() => this.#check(), this.intervalMs);
  }

  /** Stops pinging a connection that has ended. */
  forget(connection: PingedConnection): void {
    this.#received.delete(connection);
    if (this.#received.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    for (const [connection, before] of this.#received) {
      const received = connection.countReceived();
      if (received === before) connection.terminate();
      else {
        this.#received.set(connection, received);
        connection.ping();
      }
    }
  }
}

/** Numbers the turns of the event loop, for work that is done once per turn. */
export class EventLoopTurns {
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
    this.#awaitEnd();
    return this.#number;
  }

  /** Calls back when this turn ends. */
  atEnd(work: () => void): void {
    this.#awaitEnd();
    this.#atEnd.push(work);
  }

  #awaitEnd(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#schedule(this.#end);
  }

  readonly #end = (): void => {
    this.#isScheduled = false;
    this.#number += 1;
    for (const work of this.#atEnd.splice(0)) work();
  };
}
