/**
 * Requests that come on a connection before those ahead of them are answered (RFC 9112, section 9.3.2). `node:http` keeps
 * their answers until it is their turn, for ever if an answer ahead of them never ends, and stops reading once it keeps
 * enough of them.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { eventually } from "../../../../../../test/eventually.ts";
import { tool } from "../../../../src/index.ts";
import { serveHttp, type ServeHttpOptions } from "../../../../src/http.ts";
import { LegacyClient, modern } from "../client.ts";
import { createFixture, type Fixture } from "../fixture-server.ts";
import type { Target } from "../platforms.ts";
import { memoryUsed } from "../../../memory-used.ts";
import { RawConnection } from "./raw-client.ts";

interface Rig extends Fixture, Target {
  /** How often the tool `big` has run. */
  runs(): number;
  /** Resolves when so many requests have been looked at. */
  hasSeen(count: number): Promise<void>;
}

/** Serves the fixture, with a tool `big` that returns so many characters. All callers are one. */
async function serve(options: ServeHttpOptions = {}): Promise<Rig> {
  const fixture = createFixture();
  let runs = 0;
  let seen = 0;
  const big = tool({
    input: z.object({ size: z.number() }),
    run({ size }) {
      runs += 1;
      return "x".repeat(size);
    },
  });
  fixture.server.tools.add("big", big);
  const http = await serveHttp(fixture.server, {
    port: 0,
    closeTimeout: 1000,
    authenticate() {
      seen += 1;
      return { id: "ada" };
    },
    ...options,
  });
  onTestFinished(() => http.close());
  return {
    ...fixture,
    ...http,
    runs: () => runs,
    hasSeen: (count) => eventually(() => expect(seen).toBeGreaterThanOrEqual(count)),
    send: (init) => fetch(http.url, init),
  };
}

/** A request as it goes over the wire. */
function wire({ headers, body = "" }: RequestInit & { body?: string }): string {
  const fields = [...new Headers(headers)].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${fields}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function call(id: string | number, name: string, args: object = {}): string {
  return wire(modern("tools/call", { name, arguments: args }, { id }));
}

const LISTEN = wire(modern("subscriptions/listen", { notifications: { toolsListChanged: true } }, { id: "listen" }));

const ECHO = modern("tools/call", { name: "echo", arguments: { text: "here" } }, { id: "echo" });

function statuses({ text }: RawConnection): string[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status = ""]) => status);
}

test("requests behind an answer that is not complete are not begun, so that their answers cannot pile up", async () => {
  const target = await serve();
  const connection = await RawConnection.open(target.url);
  connection.write(LISTEN + Array.from({ length: 20 }, (_, id) => call(id, "big", { size: 2_000_000 })).join(""));
  await target.hasSeen(21);
  await connection.until("acknowledged");
  expect(target.runs()).toBe(0);
  connection.socket.destroy();
});

test("requests behind another are answered in order, one after the other", async () => {
  const target = await serve();
  const connection = await RawConnection.open(target.url);
  connection.write(call(0, "wait") + [1, 2, 3].map((id) => call(id, "big", { size: 100_000 })).join(""));
  await target.hasSeen(4);
  expect(target.runs()).toBe(0);
  target.release();
  await connection.until('"id":3');
  const ids = [...connection.text.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
  expect(ids).toEqual([0, 1, 2, 3]);
  expect(target.runs()).toBe(3);
  connection.socket.destroy();
});

test("requests that wait behind another count as requests in flight of their caller, until they are given up", async () => {
  const target = await serve({ maxInFlightPerClient: 3 });
  const connection = await RawConnection.open(target.url);
  connection.write(LISTEN + call(1, "echo") + call(2, "echo"));
  await target.hasSeen(3);
  expect((await target.send(ECHO)).status).toBe(429);
  connection.socket.destroy();
  await eventually(async () => expect((await target.send(ECHO)).status).toBe(200));
});

test("a batch that waits behind another request counts for as many as it has, and is served in its turn", async () => {
  const target = await serve({ maxInFlightPerClient: 4 });
  const client = await LegacyClient.open(target, "2025-03-26");
  const batch = [1, 2].map((id) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "big", arguments: { size: 10 } },
  }));
  const connection = await RawConnection.open(target.url);
  const headers = { ...client.headers, "content-type": "application/json" };
  const seen = 2;
  connection.write(call(0, "wait") + wire({ headers, body: JSON.stringify(batch) }));
  await target.hasSeen(seen + 2);
  expect((await client.send(batch.map((each) => ({ ...each, id: each.id + 10 })))).status).toBe(429);
  expect((await target.send(ECHO)).status).toBe(200);
  expect(target.runs()).toBe(0);
  target.release();
  await connection.until('"id":2');
  expect(statuses(connection)).toEqual(["200", "200"]);
  connection.socket.destroy();
});

test("a request that is cancelled while it waits behind another is never begun", async () => {
  const target = await serve();
  const client = await LegacyClient.open(target);
  const headers = { ...client.headers, "content-type": "application/json" };
  const request = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "big", arguments: { size: 10 } } };
  const connection = await RawConnection.open(target.url);
  connection.write(call(0, "wait") + wire({ headers, body: JSON.stringify(request) }));
  await target.hasSeen(4);
  await client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } });
  target.release();
  await eventually(() => expect(statuses(connection)).toEqual(["200", "200"]));
  expect(target.runs()).toBe(0);
  connection.socket.destroy();
});

test("an answer to a question is heard behind the request that asks it, on the same connection", async () => {
  const target = await serve();
  const client = await LegacyClient.open(target);
  const headers = { ...client.headers, "content-type": "application/json" };
  const connection = await RawConnection.open(target.url);
  const post = (message: object): void =>
    connection.write(wire({ headers, body: JSON.stringify({ jsonrpc: "2.0", ...message }) }));
  post({ id: 2, method: "tools/call", params: { name: "ask", arguments: {} } });
  await connection.until("elicitation/create");
  const [, id] = /"id":(\d+),"method":"elicitation\/create"/.exec(connection.text) ?? [];
  post({ id: Number(id), result: { action: "accept", content: { name: "Ada" } } });
  await connection.until("Hello, Ada!");
  await eventually(() => expect(statuses(connection)).toEqual(["200", "202"]));
  connection.socket.destroy();
});

test.each([
  ["JSON", "auto", (socket: Socket) => socket.resume()],
  ["a stream", "sse", (socket: Socket) => socket.destroy()],
] as const)(
  "an answer as %s counts as a request in flight until its client has taken it, or left",
  async (_, responseMode, end) => {
    const target = await serve({ maxInFlightPerClient: 1, responseMode });
    const { port } = new URL(target.url);
    const socket = connect(Number(port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    socket.pause();
    socket.write(call(1, "big", { size: 30_000_000 }));
    await eventually(() => expect(target.runs()).toBe(1));
    expect((await target.send(ECHO)).status).toBe(429);
    end(socket);
    await eventually(async () => expect((await target.send(ECHO)).status).toBe(200));
  },
);

test("a client that leaves while refusals pile up behind its request is noticed, and the work cancelled", async () => {
  const target = await serve({ maxInFlightPerClient: 2 });
  const connection = await RawConnection.open(target.url);
  connection.write(call(0, "wait"));
  await target.began("wait");
  // Each is refused at once, and none of the refusals can be sent. After so many, Node does not read any further.
  connection.write(Array.from({ length: 1000 }, (_, id) => call(id + 1, "echo")).join(""));
  connection.socket.end();
  expect(String(await target.wasCancelled)).toContain("closed the connection");
  expect(target.cancelled).toEqual(["wait"]);
});

test("a client that leaves while a small request waits behind its own is noticed, and the work cancelled", async () => {
  const target = await serve();
  const connection = await RawConnection.open(target.url);
  connection.write(call(0, "wait") + call(1, "echo"));
  await target.hasSeen(2);
  connection.socket.end();
  expect(String(await target.wasCancelled)).toContain("closed the connection");
});

test("hundreds of requests behind each other are all answered, if the first ones are", async () => {
  const target = await serve();
  const connection = await RawConnection.open(target.url);
  connection.write(Array.from({ length: 600 }, (_, id) => call(id, "echo")).join(""));
  await connection.until('"id":599');
  const ids = [...connection.text.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
  expect(ids).toEqual(Array.from({ length: 600 }, (_, id) => id));
  connection.socket.destroy();
});

test("a stream cannot be opened behind an answer that is not complete", async () => {
  const target = await serve();
  const client = await LegacyClient.open(target);
  const fields = Object.entries({ ...client.headers, accept: "text/event-stream" });
  const connection = await RawConnection.open(target.url);
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  connection.write(`${call(0, "wait")}GET /mcp HTTP/1.1\r\nHost: localhost\r\n${head}\r\n`);
  await target.hasSeen(4);
  target.release();
  await eventually(() => expect(statuses(connection)).toEqual(["200", "429"]));
  expect(connection.text).toContain("use another connection");
  connection.socket.destroy();
});

test("requests that waited on connections that are gone leave nothing behind", async () => {
  const target = await serve({ maxInFlightPerClient: 10_000 });
  const { server } = target;
  server.tools.add("obey", tool({ run: (_args, { signal }) => once(signal, "abort").then(() => "") }));
  const round = async (seen: number): Promise<void> => {
    const text = call(0, "obey") + Array.from({ length: 40 }, (_, id) => call(id + 1, "echo")).join("");
    const connections = await Promise.all(Array.from({ length: 50 }, () => RawConnection.open(target.url)));
    for (const connection of connections) connection.write(text);
    await target.hasSeen(seen);
    for (const connection of connections) connection.socket.destroy();
    await Promise.all(connections.map(({ closed }) => closed));
    await new Promise(setImmediate);
  };
  await round(2050);
  const before = memoryUsed();
  for (const times of [2, 3, 4]) await round(times * 2050);
  // Six thousand requests that wait take about 40 MB.
  expect(memoryUsed() - before).toBeLessThan(8_000_000);
});
