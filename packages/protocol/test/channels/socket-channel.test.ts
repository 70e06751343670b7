import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TransportError, UsageError, type Channel, type Outgoing } from "../../src/index.ts";
import {
  CloseCode,
  createSocketChannel,
  explainClose,
  type FrameSocket,
  type SocketChannelOptions,
  type SocketEvents,
} from "../../src/channels/index.ts";
import { TURN_MESSAGES } from "../../src/channels/turn-limit.ts";
import { Heartbeat, type PingedConnection } from "../../src/internal.ts";
import { RecordingReceiver } from "./recording-receiver.ts";

const PING: Outgoing = { jsonrpc: "2.0", id: 1, method: "ping" };

/** A socket whose network is the test. */
class FakeSocket implements FrameSocket {
  readonly log: string[] = [];
  bufferedAmount = 0;
  isOpen = true;
  events: SocketEvents | undefined;
  answersClose = true;

  send(text: string): void {
    this.log.push(text);
  }
  close(code: number, reason: string): void {
    this.log.push(`close ${code} ${reason}`.trim());
    if (this.answersClose) queueMicrotask(() => this.events?.closed(code, reason));
  }
  terminate(): void {
    this.log.push("terminate");
    this.events?.closed(CloseCode.Abnormal, "");
  }
  pause(): void {
    this.log.push("pause");
  }
  resume(): void {
    this.log.push("resume");
  }
}

function rig(options: Partial<SocketChannelOptions> = {}): {
  channel: Channel;
  socket: FakeSocket;
  receiver: RecordingReceiver;
} {
  const socket = new FakeSocket();
  const receiver = new RecordingReceiver();
  const channel = createSocketChannel(
    (events) => {
      socket.events = events;
      return socket;
    },
    { side: "server", ...options },
  );
  void channel.open(receiver);
  return { channel, socket, receiver };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("messages", () => {
  it("sends one message a frame", () => {
    const { channel, socket } = rig();
    void channel.send(PING);
    void channel.send([{ jsonrpc: "2.0", id: 1, result: {} }]);
    expect(socket.log).toEqual([JSON.stringify(PING), '[{"jsonrpc":"2.0","id":1,"result":{}}]']);
  });

  it("delivers messages, batches and complaints", () => {
    const { socket, receiver } = rig();
    socket.events?.text(JSON.stringify(PING));
    socket.events?.text(`[${JSON.stringify(PING)}]`);
    socket.events?.text("hello");
    expect(receiver.messages).toEqual([PING]);
    expect(receiver.batches).toEqual([[PING]]);
    expect(receiver.complaints).toHaveLength(1);
  });

  it.each(["client", "server"] as const)(
    "handles only so many messages in a turn as a %s, and tells of the end after the last",
    async (side) => {
      const { socket, receiver } = rig({ side });
      const turns: (() => void)[] = [];
      Object.assign(socket, { nextTurn: (next: () => void) => turns.push(next) });
      for (let count = 0; count < 4 * TURN_MESSAGES + 44; count += 1) socket.events?.text(JSON.stringify(PING));
      socket.events?.closed(CloseCode.Abnormal, "");
      expect(receiver.messages).toHaveLength(TURN_MESSAGES);
      expect(socket.log).toEqual(["pause"]);
      const counts: number[] = [];
      for (let next = turns.shift(); next !== undefined; next = turns.shift()) {
        expect(receiver.endings).toEqual([]);
        next();
        counts.push(receiver.messages.length);
      }
      expect(counts).toEqual([2, 3, 4].map((turn) => turn * TURN_MESSAGES).concat(4 * TURN_MESSAGES + 44));
      expect(socket.log.at(-1)).toBe("resume");
      expect(receiver.endings).toHaveLength(1);
    },
  );

  it("does not read on as a server for a client that does not read, though its turn is over", async () => {
    const { channel, socket } = rig();
    const turns: (() => void)[] = [];
    Object.assign(socket, { nextTurn: (next: () => void) => turns.push(next) });
    for (let count = 0; count < TURN_MESSAGES; count += 1) socket.events?.text(JSON.stringify(PING));
    socket.bufferedAmount = 2 * 1024 * 1024;
    void channel.send(PING);
    turns.shift()?.();
    expect(socket.log).not.toContain("resume");
    socket.bufferedAmount = 0;
    socket.events?.drained();
    expect(socket.log.at(-1)).toBe("resume");
  });

  it("gives up as a client on a peer that sends nothing but noise, of which it tells the beginning", async () => {
    const { socket, receiver } = rig({ side: "client" });
    for (let count = 0; count < 20_000; count++) socket.events?.text("y");
    await receiver.until(() => receiver.endings.length === 1);
    expect(socket.log.filter((line) => line.startsWith("close"))).toEqual(["close 1008 too much that is no message"]);
    expect(receiver.endings[0]).toMatchObject({
      code: "OVERLOADED",
      message: expect.stringContaining('"y"') as string,
    });
    expect(receiver.complaints).toHaveLength(10);
  });

  it("says so, too, where the noise comes before the channel is open", async () => {
    const socket = new FakeSocket();
    const channel = createSocketChannel(
      async (events) => {
        for (let count = 0; count < 10_000; count++) events.text("y");
        return socket;
      },
      { side: "client" },
    );
    await expect(channel.open(new RecordingReceiver())).rejects.toMatchObject({ code: "OVERLOADED" });
    expect(socket.log).toEqual(["terminate"]);
  });

  it("bears noise that takes its time, or has messages in between", () => {
    const { socket, receiver } = rig({ side: "client" });
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 9_999; count++) socket.events?.text("y");
      if (round === 0) socket.events?.text(JSON.stringify(PING));
      else vi.advanceTimersByTime(1001);
    }
    expect(receiver.messages).toEqual([PING]);
    expect(receiver.complaints).toHaveLength(20);
    expect(receiver.endings).toEqual([]);
  });

  it("answers all the noise as a server", () => {
    const { socket, receiver } = rig();
    for (let count = 0; count < 20_000; count++) socket.events?.text("y");
    expect(receiver.complaints).toHaveLength(20_000);
    expect(receiver.endings).toEqual([]);
  });

  it("refuses binary frames with code 1003", async () => {
    const { channel, socket, receiver } = rig();
    socket.events?.binary();
    await channel.close();
    expect(socket.log).toContain("close 1003 text frames only");
    expect(receiver.endings).toEqual([expect.objectContaining({ code: "INVALID_MESSAGE" })]);
  });
});

describe("a connection that is about to end", () => {
  it("takes nothing any more once the peer has begun to close, of which no event tells", () => {
    const { channel, socket } = rig({ side: "client" });
    socket.isOpen = false;
    expect(() => channel.send(PING)).toThrow(expect.objectContaining({ code: "CLOSED" }));
    expect(socket.log).toEqual([]);
  });

  it("says at once that nothing can be sent, while the peer takes its time", () => {
    const { channel, socket, receiver } = rig({ side: "client" });
    socket.answersClose = false;
    socket.events?.binary();
    expect(receiver.warnings).toBe(1);
    expect(receiver.endings).toEqual([]);
    expect(() => channel.send(PING)).toThrow(expect.objectContaining({ code: "CLOSED" }));
    vi.advanceTimersByTime(2000);
    expect(receiver.endings).toHaveLength(1);
  });
});

describe("backpressure", () => {
  it("makes senders wait, stops reading as a server, and resumes when asked again", async () => {
    const { channel, socket } = rig();
    socket.bufferedAmount = 2 * 1024 * 1024;
    const wait = channel.send(PING);
    expect(wait).toBeInstanceOf(Promise);
    expect(socket.log.at(-1)).toBe("pause");
    socket.bufferedAmount = 0;
    await vi.advanceTimersByTimeAsync(1000);
    await wait;
    expect(socket.log.at(-1)).toBe("resume");
    expect(channel.send(PING)).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("resumes at once where the platform tells of draining", async () => {
    const { channel, socket } = rig();
    socket.bufferedAmount = 2 * 1024 * 1024;
    const wait = channel.send(PING);
    socket.bufferedAmount = 1024;
    socket.events?.drained();
    await wait;
    expect(socket.log.at(-1)).toBe("resume");
  });

  it("goes on waiting until no more than half of what it takes is left", async () => {
    const { channel, socket } = rig();
    socket.events?.drained();
    expect(socket.log).toEqual([]);
    socket.bufferedAmount = 10_000_000;
    let isReleased = false;
    const waiting = Promise.resolve(channel.send(PING)).then(() => (isReleased = true));
    socket.bufferedAmount = 9_000_000;
    socket.events?.drained();
    await Promise.resolve();
    expect(isReleased).toBe(false);
    expect(socket.log).not.toContain("resume");
    socket.bufferedAmount = 0;
    socket.events?.drained();
    await waiting;
    expect(socket.log).toContain("resume");
  });

  it("never stops reading as a client", () => {
    const { channel, socket } = rig({ side: "client" });
    socket.bufferedAmount = 2 * 1024 * 1024;
    void channel.send(PING);
    expect(socket.log).not.toContain("pause");
  });

  it("ends the connection with code 1013 when too much waits", async () => {
    const { channel, socket, receiver } = rig({ maxQueuedBytes: 2 * 1024 * 1024 });
    socket.bufferedAmount = 3 * 1024 * 1024;
    const wait = channel.send(PING);
    await channel.close();
    await wait;
    expect(socket.log.find((entry) => entry.startsWith("close"))).toMatch(/^close 1013/);
    expect(receiver.endings).toEqual([expect.objectContaining({ code: "OVERLOADED" })]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("refuses invalid limits", () => {
    expect(() => rig({ maxQueuedBytes: Number.NaN })).toThrow(UsageError);
  });
});

describe("the end", () => {
  it.each([
    ["client", "close 1000"],
    ["server", "close 1001 the server is going away"],
  ] as const)("says so as a %s, without a reason to anybody here", async (side, expected) => {
    const { channel, socket, receiver } = rig({ side });
    await channel.close();
    await channel.close();
    expect(socket.log.filter((entry) => entry.startsWith("close"))).toEqual([expected]);
    expect(receiver.endings).toEqual([undefined]);
    expect(() => channel.send(PING)).toThrow(TransportError);
  });

  it("does not wait forever for a peer that does not answer the closing handshake", async () => {
    const { channel, socket, receiver } = rig();
    socket.answersClose = false;
    const closing = channel.close();
    await vi.advanceTimersByTimeAsync(2000);
    await closing;
    expect(socket.log).toContain("terminate");
    expect(receiver.endings).toEqual([undefined]);
  });

  it("hears of the peer's end once, with its meaning", () => {
    const { socket, receiver } = rig({ side: "client" });
    socket.events?.closed(1001, "restarting");
    socket.events?.closed(1006, "");
    expect(receiver.endings).toEqual([expect.objectContaining({ code: "CONNECTION_LOST" })]);
    expect(receiver.endings[0]?.message).toContain('(1001, "restarting")');
  });

  it("ends a connection that was closed while it was being opened", async () => {
    const socket = new FakeSocket();
    const receiver = new RecordingReceiver();
    let resolve = (_socket: FrameSocket): void => {};
    const connected = new Promise<FrameSocket>((settle) => {
      resolve = settle;
    });
    let given: AbortSignal | undefined;
    const connect = (_events: unknown, signal: AbortSignal): Promise<FrameSocket> => {
      given = signal;
      return connected;
    };
    const channel = createSocketChannel(connect, { side: "client" });
    const opening = channel.open(receiver);
    await channel.close();
    expect(given?.aborted).toBe(true);
    resolve(socket);
    await expect(opening).rejects.toMatchObject({ code: "CLOSED" });
    expect(socket.log).toEqual(["terminate"]);
    expect(receiver.endings).toEqual([undefined]);
  });
});

describe("a channel that was closed", () => {
  it("does not tell the signal of its socket once that was connected", async () => {
    let given: AbortSignal | undefined;
    const socket = new FakeSocket();
    const connect = (events: SocketEvents, signal: AbortSignal): FrameSocket => {
      socket.events = events;
      given = signal;
      return socket;
    };
    const channel = createSocketChannel(connect, { side: "client" });
    void channel.open(new RecordingReceiver());
    void channel.close();
    expect(given?.aborted).toBe(false);
  });
});

describe("close codes", () => {
  it.each([1000, 1005])("takes %i as meant", (code) => {
    expect(explainClose(code, "")).toBeUndefined();
  });

  it.each([
    [1001, "CONNECTION_LOST"],
    [1003, "CONNECTION_LOST"],
    [1006, "CONNECTION_LOST"],
    [1007, "CONNECTION_LOST"],
    [1008, "CONNECTION_LOST"],
    [1009, "OVERLOADED"],
    [1011, "CONNECTION_LOST"],
    [1013, "OVERLOADED"],
    [4009, "OVERLOADED"],
    [4999, "CONNECTION_LOST"],
  ])("explains %i", (code, expected) => {
    expect(explainClose(code, "")).toMatchObject({ code: expected, message: expect.stringContaining(String(code)) });
  });
});

describe("heartbeat", () => {
  it("ends only connections that have been silent since the last ping", () => {
    const heartbeat = new Heartbeat(1000);
    const log: string[] = [];
    let bytes = 0;
    const connect = (name: string, signs: () => number): PingedConnection => ({
      countReceived: signs,
      ping: () => void log.push(`ping ${name}`),
      terminate: () => void log.push(`end ${name}`),
    });
    const lively = connect("lively", () => bytes);
    const silent = connect("silent", () => 0);
    heartbeat.watch(lively);
    heartbeat.watch(silent);
    vi.advanceTimersByTime(1000);
    bytes += 1;
    vi.advanceTimersByTime(1000);
    expect(log).toEqual(["ping lively", "ping silent", "ping lively", "end silent"]);
    heartbeat.forget(silent);
    heartbeat.forget(lively);
    expect(vi.getTimerCount()).toBe(0);
  });
});
