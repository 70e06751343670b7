import fc from "fast-check";
import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { PassThrough, Writable } from "node:stream";
import { once } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { PreparedJson, UnsentError } from "../../src/internal.ts";
import { TransportError, UsageError, type Channel, type Outgoing } from "../../src/index.ts";
import { createLineChannel, type LineChannelOptions } from "../../src/channels/index.ts";
import { TURN_MESSAGES } from "../../src/channels/turn-limit.ts";
import { RecordingReceiver } from "./recording-receiver.ts";

const PING: Outgoing = { jsonrpc: "2.0", id: 1, method: "ping" };

interface Rig {
  readonly channel: Channel;
  readonly input: PassThrough;
  readonly output: SlowSink;
  readonly receiver: RecordingReceiver;
}

/** Stops the clock, so that whatever comes, comes within a second, however busy the machine is. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Takes writes down, and lets the test decide when each is done. */
class SlowSink extends Writable {
  readonly writes: string[] = [];
  isHeld = false;
  #release: (() => void) | undefined;

  constructor() {
    super({ highWaterMark: 64, decodeStrings: false });
  }

  override _write(chunk: string | Uint8Array, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.writes.push(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk));
    if (this.isHeld) this.#release = () => done();
    else done();
  }

  /** Lets go of what is held, and of all that follows. */
  release(): void {
    this.isHeld = false;
    this.#release?.();
  }
}

function rig(options: Partial<LineChannelOptions> = {}, receiver = new RecordingReceiver()): Rig {
  const input = new PassThrough();
  const output = new SlowSink();
  const channel = createLineChannel(input, output, { side: "server", ...options });
  void channel.open(receiver);
  return { channel, input, output, receiver };
}

describe("reading", () => {
  it("delivers messages, however the bytes are cut", async () => {
    const messages = [
      { jsonrpc: "2.0" as const, id: "a", method: "tools/call", params: { text: "Grüße, 世界 🌍\nnext" } },
      { jsonrpc: "2.0" as const, method: "notifications/cancelled", params: { requestId: 1 } },
      { jsonrpc: "2.0" as const, id: 7, result: {} },
    ];
    const bytes = Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        const { input, receiver } = rig();
        const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        for (const [index, edge] of edges.slice(1).entries()) input.write(bytes.subarray(edges[index], edge));
        await receiver.until(() => receiver.messages.length === messages.length);
        expect(receiver.messages).toEqual(messages);
        expect(receiver.complaints).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it("delivers a JSON array as a batch", async () => {
    const { input, receiver } = rig();
    input.write(`[${JSON.stringify(PING)}, 5]\n`);
    await receiver.until(() => receiver.batches.length === 1);
    expect(receiver.batches[0]?.[0]).toEqual(PING);
    expect(receiver.batches[0]?.[1]).toMatchObject({ code: "INVALID_MESSAGE" });
  });

  it("reports lines that are not JSON, not messages or not UTF-8, and goes on", async () => {
    const { input, receiver } = rig();
    input.write("Server started!\n");
    input.write('{"jsonrpc":"1.0","id":3,"method":"ping"}\n');
    input.write(Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]));
    input.write(`${JSON.stringify(PING)}\n`);
    await receiver.until(() => receiver.messages.length === 1);
    expect(receiver.complaints.map(({ rpcCode, id, mayAnswer }) => ({ rpcCode, id, mayAnswer }))).toEqual([
      { rpcCode: -32700, id: undefined, mayAnswer: true },
      { rpcCode: -32600, id: 3, mayAnswer: true },
      { rpcCode: -32700, id: undefined, mayAnswer: true },
    ]);
  });

  it("lets a client answer only messages that have an id", async () => {
    const { input, receiver } = rig({ side: "client" });
    input.write("Server started!\n");
    input.write(Buffer.from([0xff, 0x0a]));
    input.write('{"jsonrpc":"1.0","id":3,"method":"roots/list"}\n');
    await receiver.until(() => receiver.complaints.length === 3);
    expect(receiver.complaints.map(({ mayAnswer }) => mayAnswer)).toEqual([false, false, true]);
  });

  it("gives up as a client on a peer that sends nothing but noise, of which it tells the beginning", async () => {
    stopClock();
    const { channel, input, receiver } = rig({ side: "client" });
    input.write("y\n".repeat(100_000));
    await receiver.until(() => receiver.endings.length === 1);
    expect(receiver.endings[0]).toMatchObject({
      code: "OVERLOADED",
      message: expect.stringContaining('"y"') as string,
    });
    expect(receiver.complaints).toHaveLength(10);
    expect(() => channel.send(PING)).toThrow(expect.objectContaining({ code: "CLOSED" }));
  });

  it("gives up on noise that is no UTF-8, too, and says nothing more after that", async () => {
    stopClock();
    const { input, receiver } = rig({ side: "client" });
    input.write(Buffer.from([0xff, 0x0a].concat(...Array.from({ length: 20_000 }, () => [0xff, 0x0a]))));
    await receiver.until(() => receiver.endings.length === 1);
    expect(receiver.complaints).toHaveLength(10);
  });

  it("does not try to read noise once it has told of some, unless it looks like a message", async () => {
    const { input, receiver } = rig({ side: "client" });
    const parse = vi.spyOn(JSON, "parse");
    onTestFinished(() => parse.mockRestore());
    input.write(
      `${"log\n".repeat(5_000)}${JSON.stringify(PING)}\n${"log\n".repeat(2_000)} \t${JSON.stringify(PING)}\n`,
    );
    await receiver.until(() => receiver.messages.length === 2);
    expect(receiver.complaints).toHaveLength(20);
    expect(parse).toHaveBeenCalledTimes(22);
  });

  it("bears any amount of noise that has messages in between, and tells of what may be awaited", async () => {
    const { input, receiver } = rig({ side: "client" });
    for (let round = 0; round < 3; round++) {
      input.write(`${"log\n".repeat(900)}{"jsonrpc":"2.0","id":7,"result":5}\n${JSON.stringify(PING)}\n`);
    }
    await receiver.until(() => receiver.messages.length === 3);
    expect(receiver.complaints.filter(({ id }) => id === 7)).toHaveLength(3);
    expect(receiver.complaints).toHaveLength(33);
    expect(receiver.endings).toEqual([]);
  });

  it("answers all the noise as a server", async () => {
    const { input, receiver } = rig();
    input.write("y\n".repeat(2000));
    await receiver.until(() => receiver.complaints.length === 2000);
    expect(receiver.endings).toEqual([]);
  });

  it.each(["client", "server"] as const)(
    "lets others have their turn as a %s while a peer talks without end, and loses nothing",
    async (side) => {
      for (const text of ["", "x".repeat(20_000)]) {
        const turns: (() => void)[] = [];
        const { input, receiver } = rig({ side, yield: (next) => turns.push(next) });
        const line = (number: number): string =>
          `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/x", params: { number, text } })}\n`;
        for (let number = 0; number < 1000; number += 1) input.write(line(number));
        input.end();
        let before = 0;
        while (receiver.endings.length === 0) {
          await new Promise(setImmediate);
          expect(receiver.messages.length - before).toBeLessThanOrEqual(TURN_MESSAGES);
          before = receiver.messages.length;
          if (turns.length > 0) expect(input.isPaused()).toBe(true);
          turns.shift()?.();
        }
        expect(receiver.messages.map((message) => "params" in message && message.params)).toEqual(
          Array.from({ length: 1000 }, (_, number) => ({ number, text })),
        );
      }
    },
  );

  it("delivers the last messages of a peer that has gone, before it says so", async () => {
    const { input, receiver } = rig({ side: "client", yield: setImmediate });
    input.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/x" })}\n`.repeat(1000));
    await receiver.until(() => receiver.messages.length > 0);
    input.destroy(new Error("gone"));
    await receiver.until(() => receiver.endings.length === 1);
    expect(receiver.messages).toHaveLength(1000);
    expect(receiver.endings[0]?.message).toContain("gone");
  });

  it("answers a line above the limit as a server, and goes on", async () => {
    const { input, receiver } = rig({ maxMessageBytes: 100 });
    input.write(`"${"x".repeat(5000)}"\n${JSON.stringify(PING)}\n`);
    await receiver.until(() => receiver.messages.length === 1);
    expect(receiver.complaints).toHaveLength(1);
    expect(receiver.complaints[0]).toMatchObject({ rpcCode: -32600, mayAnswer: true });
    expect(receiver.complaints[0]?.message).toContain("100 bytes");
    expect(receiver.endings).toEqual([]);
  });

  it("ends the connection at a line above the limit as a client, since it may be an awaited answer", async () => {
    const { input, receiver } = rig({ side: "client", maxMessageBytes: 100 });
    input.write(`"${"x".repeat(5000)}"\n${JSON.stringify(PING)}\n`);
    await receiver.until(() => receiver.endings.length === 1);
    expect(receiver.endings[0]).toMatchObject({ code: "OVERLOADED" });
    expect(receiver.messages).toEqual([]);
  });

  it("delivers a last line without line ending, then closes", async () => {
    const { input, receiver, output } = rig();
    input.end(JSON.stringify(PING));
    await receiver.until(() => receiver.endings.length === 1);
    expect(receiver.messages).toEqual([PING]);
    expect(receiver.endings).toEqual([undefined]);
    expect(output.writableFinished).toBe(true);
  });

  it("still sends after the end of input if somebody wants to finish", async () => {
    let hasEnded = false;
    const receiver = Object.assign(new RecordingReceiver(), { inputEnded: () => void (hasEnded = true) });
    const { channel, input, output } = rig({}, receiver);
    input.end(`${JSON.stringify(PING)}\n`);
    await once(input, "close");
    expect(hasEnded).toBe(true);
    expect(receiver.endings).toEqual([]);
    void channel.send({ jsonrpc: "2.0", id: 1, result: {} });
    await channel.close();
    expect(output.writes).toEqual(['{"jsonrpc":"2.0","id":1,"result":{}}\n']);
    expect(receiver.endings).toEqual([undefined]);
  });

  it("tells when the input breaks", async () => {
    const { input, receiver, channel } = rig();
    input.destroy(new Error("cable cut"));
    await receiver.until(() => receiver.endings.length === 1);
    expect(receiver.endings[0]).toMatchObject({ code: "CONNECTION_LOST" });
    expect(receiver.endings[0]?.message).toContain("cable cut");
    expect(() => channel.send(PING)).toThrow(expect.objectContaining({ code: "CLOSED" }));
  });
});

describe("streams that were over before the channel was opened", () => {
  async function openOver(side: "client" | "server", endStreams: (input: PassThrough, output: SlowSink) => void) {
    const [input, output, receiver] = [new PassThrough(), new SlowSink(), new RecordingReceiver()];
    const over = Promise.race([once(input, "close"), once(output, "close")]);
    endStreams(input, output);
    await over;
    void createLineChannel(input, output, { side }).open(receiver);
    await receiver.until(() => receiver.endings.length > 0);
    return receiver.endings;
  }

  it.each(["client", "server"] as const)("close a %s if the peer has ended", async (side) => {
    expect(await openOver(side, (input) => void input.resume().end())).toEqual([undefined]);
  });

  it.each(["client", "server"] as const)("close a %s if they broke, with the reason", async (side) => {
    for (const broken of ["input", "output"] as const) {
      const endings = await openOver(side, (input, output) => void { input, output }[broken].destroy());
      expect(endings).toMatchObject([{ code: "CONNECTION_LOST" }]);
    }
  });
});

describe("writing", () => {
  it("sends one message a line, without line breaks inside", async () => {
    const { channel, output } = rig();
    void channel.send({ jsonrpc: "2.0", id: 1, result: { text: "a\nb\r\nc\u2028d" } });
    await channel.close();
    const text = output.writes.join("");
    expect(text.split("\n")).toHaveLength(2);
    expect(JSON.parse(text)).toEqual({ jsonrpc: "2.0", id: 1, result: { text: "a\nb\r\nc\u2028d" } });
  });

  it("writes what is sent in one turn at once", async () => {
    const { channel, output } = rig();
    for (let id = 0; id < 5; id += 1) void channel.send({ jsonrpc: "2.0", id, result: {} });
    await Promise.resolve();
    expect(output.writes).toHaveLength(1);
    expect(output.writes[0]?.split("\n")).toHaveLength(6);
  });

  it("lets the first of many answers leave early, and the rest in ever larger pieces", async () => {
    const { channel, output } = rig();
    for (let id = 0; id < 64; id += 1) void channel.send({ jsonrpc: "2.0", id, result: { text: "x".repeat(200) } });
    await Promise.resolve();
    const sizes = output.writes.map((text) => text.length);
    expect(sizes[0]).toBeLessThan(2000);
    expect(sizes.slice(0, -1)).toEqual(sizes.slice(0, -1).toSorted((a, b) => a - b));
    expect(sizes.length).toBeLessThan(8);
    expect(output.writes.join("").split("\n")).toHaveLength(65);
  });

  it("does not wait for the turn to end once there is plenty to write", () => {
    const { channel, output } = rig();
    void channel.send({ jsonrpc: "2.0", id: 1, result: { text: "x".repeat(20_000) } });
    expect(output.writes).toHaveLength(1);
  });

  it("makes senders wait while the peer does not read, and loses nothing", async () => {
    const { channel, output } = rig();
    output.isHeld = true;
    const sent: number[] = [];
    void channel.send({ jsonrpc: "2.0", id: 0, result: { text: "x".repeat(20_000) } });
    const waits: (void | Promise<void>)[] = [];
    for (let id = 1; id <= 100; id += 1) {
      waits.push(channel.send({ jsonrpc: "2.0", id, result: {} }));
      sent.push(id);
    }
    expect(waits.every((wait) => wait instanceof Promise)).toBe(true);
    output.release();
    for (const wait of waits) await wait;
    await channel.close();
    const ids = output.writes
      .join("")
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: number }).id);
    expect(ids).toEqual([0, ...sent]);
  });

  it("stops reading as a server while its answers pile up, and resumes", async () => {
    const { channel, input, output, receiver } = rig();
    output.isHeld = true;
    const large = { text: "x".repeat(600_000) };
    for (let id = 0; id < 3; id += 1) void channel.send({ jsonrpc: "2.0", id, result: large });
    expect(input.isPaused()).toBe(true);
    input.write(`${JSON.stringify(PING)}\n`);
    output.release();
    await receiver.until(() => receiver.messages.length === 1);
    expect(input.isPaused()).toBe(false);
  });

  it("never stops reading as a client, or both sides could wait for each other", () => {
    const { channel, input, output } = rig({ side: "client" });
    output.isHeld = true;
    for (let id = 0; id < 3; id += 1) void channel.send({ jsonrpc: "2.0", id, result: { text: "x".repeat(600_000) } });
    expect(input.isPaused()).toBe(false);
  });

  it("ends the connection when too much waits for a peer that does not read", async () => {
    const { channel, output, receiver } = rig({ maxQueuedBytes: 10_000 });
    output.isHeld = true;
    const waits: (void | Promise<void>)[] = [];
    for (let id = 0; id < 1000 && receiver.endings.length === 0; id += 1) {
      waits.push(channel.send({ jsonrpc: "2.0", id, result: { text: "x".repeat(1000) } }));
    }
    expect(receiver.endings).toHaveLength(1);
    expect(receiver.endings[0]).toMatchObject({ code: "OVERLOADED" });
    expect(output.destroyed).toBe(true);
    for (const wait of waits) await wait;
    await channel.close();
    expect(receiver.endings).toHaveLength(1);
  });

  it.each([
    ["x", 1],
    ["é", 2],
    ["€", 3],
    ["😀", 4],
  ])("counts what waits in bytes, as %s takes them", (character, bytes) => {
    const text = character.repeat(1200 / bytes);
    const message = { jsonrpc: "2.0", id: 1, result: { text } } as const;
    const size = Buffer.byteLength(JSON.stringify(message)) + 1;
    const { channel, output, receiver } = rig({ maxQueuedBytes: 5 * size });
    output.isHeld = true;
    // The stream has taken the first. The next five fill the queue to its last byte.
    for (let count = 0; count < 6; count += 1) void channel.send(message);
    expect(receiver.endings).toEqual([]);
    void channel.send(message);
    expect(receiver.endings).toMatchObject([{ code: "OVERLOADED" }]);
  });

  it("keeps the order of prepared results and all else, also behind a slow peer", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 12 }), fc.boolean(), async (arePrepared, isHeld) => {
        const { channel, output } = rig();
        output.isHeld = isHeld;
        const prepared = new PreparedJson({ text: "Grüße ".repeat(1000) });
        for (const [id, isPrepared] of arePrepared.entries()) {
          void channel.send(isPrepared ? { jsonrpc: "2.0", id, result: prepared } : { ...PING, id });
        }
        output.release();
        await channel.close();
        const lines = output.writes.join("").split("\n").slice(0, -1);
        const expected = arePrepared.map((isPrepared, id) =>
          isPrepared ? { jsonrpc: "2.0", id, result: prepared.value } : { ...PING, id },
        );
        expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(expected);
      }),
    );
  });

  it("queues nothing of a message that JSON cannot hold", async () => {
    const { channel, output } = rig();
    expect(() => channel.send({ jsonrpc: "2.0", id: 1, result: { n: 1n } })).toThrow(TypeError);
    void channel.send(PING);
    await channel.close();
    expect(output.writes.join("")).toBe(`${JSON.stringify(PING)}\n`);
  });

  it("delivers what is queued before it closes, also behind a slow peer", async () => {
    const { channel, output, receiver } = rig();
    output.isHeld = true;
    void channel.send({ jsonrpc: "2.0", id: 0, result: { text: "x".repeat(20_000) } });
    void channel.send(PING);
    const closing = channel.close();
    expect(channel.close()).toBe(closing);
    expect(() => channel.send(PING)).toThrow(TransportError);
    output.release();
    await closing;
    expect(output.writes.at(-1)).toBe(`${JSON.stringify(PING)}\n`);
    expect(receiver.endings).toEqual([undefined]);
  });

  it("does not wait forever for a peer that does not read what is queued", async () => {
    const { channel, output, receiver } = rig({ closeTimeout: 10 });
    output.isHeld = true;
    void channel.send(PING);
    await channel.close();
    expect(output.destroyed).toBe(true);
    expect(receiver.endings).toEqual([undefined]);
  });

  it("ends at once as a server when writing fails", async () => {
    const { channel, output, receiver } = rig();
    output.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    await receiver.until(() => receiver.endings.length === 1);
    expect(receiver.endings[0]).toMatchObject({ code: "CONNECTION_LOST" });
    expect(() => channel.send(PING)).toThrow(TransportError);
  });

  it("still delivers to a client the last messages of a dying server", async () => {
    const { channel, input, output, receiver } = rig({ side: "client" });
    output.destroy(new Error("write EPIPE"));
    await new Promise((resolve) => output.once("close", resolve));
    expect(receiver.warnings).toBe(1);
    expect(receiver.endings).toEqual([]);
    expect(() => channel.send(PING)).toThrow(expect.objectContaining({ code: "CONNECTION_LOST" }));
    input.end('{"jsonrpc":"2.0","id":1,"result":{}}\n');
    await receiver.until(() => receiver.endings.length === 1);
    expect(receiver.messages).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
    expect(receiver.endings[0]).toMatchObject({ code: "CONNECTION_LOST" });
  });

  it("tells a client which messages never left the queue, and of no other that they did not", async () => {
    const { channel, input, output } = rig({ side: "client" });
    output.isHeld = true;
    // Larger than what the stream takes at once, so that the next ones wait here.
    const written = channel.send({ jsonrpc: "2.0", method: "n", params: { text: "x".repeat(1000) } });
    const waiting = [channel.send(PING), channel.send(PING)];
    input.destroy(new Error("cable cut"));
    await expect(Promise.resolve(written)).resolves.toBeUndefined();
    for (const sent of waiting) await expect(Promise.resolve(sent)).rejects.toBeInstanceOf(UnsentError);
    expect(output.writes).toHaveLength(1);
  });

  it("tells a client of no message that it was dropped which was written after a while", async () => {
    const { channel, output } = rig({ side: "client" });
    output.isHeld = true;
    void channel.send({ jsonrpc: "2.0", method: "n", params: { text: "x".repeat(1000) } });
    const waiting = channel.send(PING);
    output.release();
    await expect(Promise.resolve(waiting)).resolves.toBeUndefined();
    // The same holds for messages that are written when it is closed.
    output.isHeld = true;
    void channel.send({ jsonrpc: "2.0", method: "n", params: { text: "x".repeat(1000) } });
    const last = channel.send(PING);
    const closing = channel.close();
    output.release();
    await closing;
    await expect(Promise.resolve(last)).resolves.toBeUndefined();
    expect(output.writes.join("").match(/"ping"/g)).toHaveLength(2);
  });
});

describe("options", () => {
  it.each([{ maxQueuedBytes: Number.NaN }, { maxQueuedBytes: 0 }, { maxMessageBytes: -1 }])("refuses %o", (options) => {
    expect(() => rig(options)).toThrow(UsageError);
  });
});

describe("over TCP, with the same framing", () => {
  it("carries messages both ways and ends cleanly", async () => {
    const accepted = new RecordingReceiver();
    const listener = createServer(
      (socket) => void createLineChannel(socket, socket, { side: "server" }).open(accepted),
    );
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    onTestFinished(() => void listener.close());
    const socket: Socket = connect((listener.address() as AddressInfo).port, "127.0.0.1");
    const channel = createLineChannel(socket, socket, { side: "client" });
    const receiver = new RecordingReceiver();
    void channel.open(receiver);
    void channel.send(PING);
    await accepted.until(() => accepted.messages.length === 1);
    await channel.close();
    await accepted.until(() => accepted.endings.length === 1);
    expect(accepted.endings).toEqual([undefined]);
    expect(receiver.endings).toEqual([undefined]);
  });
});
