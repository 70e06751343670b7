import type { Message } from "@toolwire/protocol";
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { bundleFixture } from "../../../../../test/bundle-fixture.ts";
import { MODERN_META, textOf } from "../../raw-peer.ts";
import { ServerChild } from "./server-child.ts";

const fixture = await bundleFixture(new URL("./fixtures/server.ts", import.meta.url));

function start(options: object = {}): ServerChild {
  return new ServerChild(process.execPath, [fixture], { STDIO_OPTIONS: JSON.stringify(options) });
}

/** Opens a connection the way clients of 2025-11-25 do. */
async function startLegacy(options: object = {}): Promise<ServerChild> {
  const server = start(options);
  server.send({
    jsonrpc: "2.0",
    id: "init",
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: { elicitation: {} },
      clientInfo: { name: "test", version: "1.0.0" },
    },
  });
  expect(await server.response("init")).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
  server.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return server;
}

function isQuestion(message: Message): boolean {
  return "method" in message && message.method === "elicitation/create";
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("2026-07-28, basic/transports/stdio", () => {
  it("reads messages from stdin and writes messages to stdout, one a line", async () => {
    const server = start();
    server.call(1, "echo", { text: "one" });
    server.call("two", "echo", { text: "two" });
    expect(textOf(await server.response(1))).toBe("one");
    expect(textOf(await server.response("two"))).toBe("two");
    expect(server.lines).toHaveLength(2);
  });

  it("MUST: messages contain no embedded newlines", async () => {
    const server = start();
    const text = "first\nsecond\r\nthird\u2028fourth\u2029fifth\u0085sixth";
    server.call(1, "echo", { text });
    expect(textOf(await server.response(1))).toBe(text);
    expect(server.lines).toHaveLength(1);
  });

  it("MUST: messages are UTF-8 in both directions, also where chunks cut characters", async () => {
    const server = start();
    const text = "Grüße, 世界 🌍";
    const request = { name: "echo", arguments: { text }, _meta: MODERN_META };
    const bytes = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: request })}\n`);
    for (let index = 0; index < bytes.length; index += 7) server.write(bytes.subarray(index, index + 7));
    expect(textOf(await server.response(1))).toBe(text);
  });

  it("MAY: the server writes UTF-8 to stderr", async () => {
    const server = start();
    server.call(1, "complain");
    await server.response(1);
    await server.until(() => server.stderr.includes("just saying, größer"));
    expect(server.lines).toHaveLength(1);
  });

  it("MUST NOT: nothing but messages goes to stdout, whatever a handler prints", async () => {
    const server = start();
    server.call(1, "print");
    expect(textOf(await server.response(1))).toBe("printed");
    server.call(2, "print");
    await server.response(2);
    await server.until(() => server.stderr.split("callback ran").length === 3);
    expect(server.messages).toHaveLength(2);
    for (const way of [
      "console.log",
      "console.info",
      "console.debug",
      "console.dir",
      "console.table",
      "bytes",
      "write",
    ]) {
      expect(server.stderr).toContain(way);
    }
    expect(server.stderr.match(/belongs to the protocol/g)).toHaveLength(1);
  });

  it("MUST NOT: the server writes no requests to stdout; what it asks travels in the answer", async () => {
    const server = start();
    server.call(1, "ask");
    expect(await server.response(1)).toMatchObject({ result: { resultType: "input_required" } });
    expect(server.messages.filter((message) => "method" in message)).toEqual([]);
  });

  it("SHOULD: a cancelled request is stopped; MUST NOT: nothing more is sent for it", async () => {
    const server = start();
    server.call(1, "hold", { name: "first" });
    server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "enough" } });
    server.call(2, "cancellations");
    expect(textOf(await server.response(2))).toBe("first");
    server.call(3, "release");
    await server.response(3);
    server.process.stdin.end();
    await server.ended();
    expect(server.messages.map((message) => "id" in message && message.id)).toEqual([2, 3]);
  });

  it("SHOULD: the server exits promptly when its input is closed", async () => {
    const server = start();
    server.call(1, "echo", { text: "hello" });
    await server.response(1);
    server.process.stdin.end();
    expect(await server.ended()).toBe(0);
    expect(server.stderr).toContain("cleaned up");
  });

  it("ends open subscriptions as the server goes away", async () => {
    const server = start();
    const params = { notifications: { toolsListChanged: true }, _meta: MODERN_META };
    server.send({ jsonrpc: "2.0", id: "sub", method: "subscriptions/listen", params });
    await server.until(() => server.lines.length === 1);
    server.process.stdin.end();
    expect(await server.ended()).toBe(0);
    expect(server.messages.at(-1)).toMatchObject({ id: "sub", result: {} });
  });
});

describe("2025-11-25, basic/transports#stdio", () => {
  it("serves the handshake and what follows on the same streams", async () => {
    const server = await startLegacy();
    server.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "echo", arguments: { text: "a\nb" } } });
    expect(textOf(await server.response(2))).toBe("a\nb");
    expect(server.lines).toHaveLength(2);
  });

  it("MUST NOT: nothing but messages goes to stdout", async () => {
    const server = await startLegacy();
    server.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "print" } });
    await server.response(2);
    expect(server.messages).toHaveLength(2);
  });

  it("pushes what it asks to the client, and reads the answer from the same stream", async () => {
    const server = await startLegacy();
    server.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "ask" } });
    await server.until(() => server.messages.some(isQuestion));
    const question = server.messages.find(isQuestion) as Message & { id: number };
    server.send({ jsonrpc: "2.0", id: question.id, result: { action: "accept", content: { answer: "fine" } } });
    expect(textOf(await server.response(2))).toBe("fine");
  });

  it("lifecycle: closing the input ends the server", async () => {
    const server = await startLegacy();
    server.process.stdin.end();
    expect(await server.ended()).toBe(0);
  });

  it("lifecycle: SIGTERM ends the server", async () => {
    const server = await startLegacy();
    server.process.kill("SIGTERM");
    expect(await server.ended()).toBe(0);
  });
});

describe("the end of a server", () => {
  it("finishes what is in the works at the end of input", async () => {
    const server = start();
    server.call(1, "hold", { name: "first" });
    server.call(2, "release");
    server.process.stdin.end();
    expect(await server.ended()).toBe(0);
    expect(new Set(server.messages.map((message) => "id" in message && message.id))).toEqual(new Set([1, 2]));
  });

  it("finishes what is in the works on SIGINT and SIGTERM", async () => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      const server = start({ closeTimeout: 600_000 });
      server.call(1, "outlast");
      server.call(2, "echo", { text: "there" });
      await server.response(2);
      server.process.kill(signal);
      expect(await server.ended()).toBe(0);
      expect(textOf(await server.response(1))).toBe("outlasted");
    }
  });

  it("refuses what it is asked after SIGTERM, and ends though a client goes on asking", async () => {
    const server = await startLegacy({ closeTimeout: 600_000 });
    server.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "ask" } });
    await server.until(() => server.messages.some(isQuestion));
    const question = server.messages.find(isQuestion) as Message & { id: number };
    server.process.kill("SIGTERM");
    await server.until(() => server.stderr.includes("told to end"));
    server.send({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "hold", arguments: { name: "x" } } });
    expect(await server.response(3)).toMatchObject({
      error: { message: expect.stringContaining("Nothing was run") as string, data: { reason: "shutting-down" } },
    });
    server.send({ jsonrpc: "2.0", id: question.id, result: { action: "accept", content: { answer: "fine" } } });
    expect(await server.ended()).toBe(0);
    expect(textOf(await server.response(2))).toBe("fine");
  });

  it("takes the answers to its questions while it shuts down", async () => {
    const server = await startLegacy({ closeTimeout: 600_000 });
    server.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "ask" } });
    await server.until(() => server.messages.some(isQuestion));
    const question = server.messages.find(isQuestion) as Message & { id: number };
    server.process.kill("SIGTERM");
    server.send({ jsonrpc: "2.0", id: question.id, result: { action: "accept", content: { answer: "fine" } } });
    expect(textOf(await server.response(2))).toBe("fine");
    expect(await server.ended()).toBe(0);
  });

  it("does not wait for answers of a client that can send none any more", async () => {
    const asking = await startLegacy({ closeTimeout: 600_000 });
    asking.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "ask" } });
    await asking.until(() => asking.messages.some(isQuestion));
    asking.process.stdin.end();
    expect(await asking.ended()).toBe(0);

    // Here the input ends before the handler has come to its question.
    const aboutToAsk = await startLegacy({ closeTimeout: 600_000 });
    aboutToAsk.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "ask" } });
    aboutToAsk.process.stdin.end();
    expect(await aboutToAsk.ended()).toBe(0);

    for (const server of [asking, aboutToAsk]) {
      const answer = await server.response(2);
      expect(answer).toMatchObject({ result: { isError: true } });
      expect(textOf(answer)).toContain("The client did not answer elicitation/create");
    }
  });

  it("does not wait beyond its deadline", async () => {
    const server = start({ closeTimeout: 50 });
    server.call(1, "hold", { name: "forever" });
    server.call(2, "echo", { text: "there" });
    await server.response(2);
    server.process.stdin.end();
    expect(await server.ended()).toBe(0);
    expect(server.lines).toHaveLength(1);
  });

  it("ends at once when told a second time", async () => {
    const server = start({ closeTimeout: 600_000 });
    server.call(1, "hold", { name: "forever" });
    server.call(2, "echo", { text: "there" });
    await server.response(2);
    server.process.kill("SIGINT");
    server.process.kill("SIGTERM");
    expect([130, 143]).toContain(await server.ended());
  });

  it("ends at once when it is told after the end of its input, which has told it already", async () => {
    const server = await startLegacy({ closeTimeout: 600_000 });
    server.send({
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "hold", arguments: { name: "forever" } },
    });
    server.send({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "ask" } });
    await server.until(() => server.messages.some(isQuestion));
    server.process.stdin.end();
    // It gives up its question, so it has noticed the end.
    await server.response(3);
    server.process.kill("SIGTERM");
    expect(await server.ended()).toBe(143);
  });

  it("exits when nobody reads its output any more", async () => {
    const server = start({ closeTimeout: 600_000 });
    server.call(1, "echo", { text: "there" });
    await server.response(1);
    server.process.stdout.destroy();
    server.call(2, "repeat", { times: 1_000_000 });
    expect(await server.ended()).toBe(0);
  });

  it.skipIf(process.platform === "win32")("exits when its parent dies, even if its input stays open", async () => {
    // The server's input is not the parent's: this test holds the other end, and keeps it open.
    const script = `
      const { spawn } = require("node:child_process");
      const child = spawn(process.execPath, [${JSON.stringify(fixture)}], { stdio: [3, "inherit", "inherit"] });
      console.error("server is process", child.pid);
      setInterval(() => {}, 60_000);
    `;
    const parent = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "pipe", "pipe"] });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const input = parent.stdio[3] as Socket;
    onTestFinished(() => void input.destroy());
    const [stdout, stderr] = [parent.stdout!, parent.stderr!];
    let said = "";
    stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    onTestFinished(() => {
      const pid = Number(/process (\d+)/.exec(said)?.[1]);
      if (isRunning(pid)) process.kill(pid, "SIGKILL");
    });
    const params = { name: "echo", arguments: { text: "there" }, _meta: MODERN_META };
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`);
    const [answer] = (await once(stdout, "data")) as [Buffer];
    expect(answer.toString()).toContain("there");
    // Both processes hold these streams; they end when the last has gone.
    const gone = Promise.all([once(stdout, "end"), once(stderr, "end")]);
    parent.kill("SIGKILL");
    await gone;
    expect(said).toContain("cleaned up");
  });
});

describe("hostile input", () => {
  it("answers a line above the limit with an error, and goes on", async () => {
    const server = start({ maxMessageBytes: 1000 });
    server.call(1, "echo", { text: "x".repeat(100_000) });
    server.call(2, "echo", { text: "short" });
    expect(await server.response(undefined)).toMatchObject({ error: { code: -32600 } });
    expect(textOf(await server.response(2))).toBe("short");
  });

  it("holds no memory for a line that never ends", async () => {
    const server = start({ maxMessageBytes: 10_000 });
    const chunk = Buffer.alloc(1024 * 1024, "x");
    for (let sent = 0; sent < 200; sent += 1) {
      if (!server.process.stdin.write(chunk)) await once(server.process.stdin, "drain");
    }
    server.write("\n");
    server.call(1, "echo", { text: "alive" });
    expect(textOf(await server.response(1))).toBe("alive");
    expect(server.messages.filter((message) => "error" in message)).toHaveLength(1);
  });

  it("answers what is no UTF-8, no JSON and no message, each with its code, and goes on", async () => {
    const server = start();
    server.write(Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d, 0x0a]));
    server.write("{\n");
    server.write('{"jsonrpc":"2.0","id":5}\n');
    server.write('{"jsonrpc":"2.0","id":6,"method":"tools/call","params":[]}\n');
    server.write(`${"[".repeat(100_000)}\n`);
    server.write("\r\n\n\n");
    server.call(7, "echo", { text: "alive" });
    expect(textOf(await server.response(7))).toBe("alive");
    const errors = server.messages.flatMap((message) => ("error" in message ? [[message.id, message.error.code]] : []));
    expect(errors).toEqual([
      [undefined, -32700],
      [undefined, -32700],
      [5, -32600],
      [6, -32600],
      [undefined, -32700],
    ]);
  });

  it("survives a flood of notifications and of cancellations", async () => {
    const server = start();
    const lines: string[] = [];
    for (let id = 0; id < 20_000; id += 1) {
      lines.push(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}\n`);
      lines.push('{"jsonrpc":"2.0","method":"notifications/whatever"}\n');
    }
    server.write(lines.join(""));
    server.call("after", "echo", { text: "alive" });
    expect(textOf(await server.response("after"))).toBe("alive");
    expect(server.lines).toHaveLength(1);
  });

  it("stops reading from a client that does not read, and loses nothing", async () => {
    const server = start();
    server.process.stdout.pause();
    const { stdin } = server.process;
    // Each short request makes a long answer. Sooner or later the server has to let the requests wait in the pipe.
    let sent = 0;
    let isStuck = false;
    while (sent < 100_000 && !isStuck) {
      sent += 1;
      server.call(sent, "repeat", { times: 10_000 });
      isStuck = stdin.writableLength > 4 * 1024 * 1024;
      if (sent % 1000 === 0) await new Promise(setImmediate);
    }
    expect(isStuck).toBe(true);
    server.process.stdout.resume();
    await server.until(() => server.lines.length === sent);
    const ids = new Set(server.lines.map((line) => (JSON.parse(line) as { id: number }).id));
    expect(ids.size).toBe(sent);
  }, 60_000);
});

describe("many calls at once", () => {
  it("matches ten thousand answers that come in random order", async () => {
    const server = start();
    const count = 10_000;
    const lines = Array.from({ length: count }, (_, id) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: "hold", arguments: { name: `call ${id}` }, _meta: MODERN_META },
      }),
    );
    server.write(`${lines.join("\n")}\n`);
    server.call("go", "release");
    await server.until(() => server.lines.length === count + 1);
    const answers = server.messages.filter((message) => "id" in message && message.id !== "go");
    expect(answers.every((answer) => "id" in answer && textOf(answer) === `call ${answer.id}`)).toBe(true);
    const ids = answers.map((answer) => ("id" in answer ? answer.id : undefined));
    expect(ids).not.toEqual(ids.toSorted((a, b) => Number(a) - Number(b)));
    expect(new Set(ids).size).toBe(count);
  }, 60_000);
});
