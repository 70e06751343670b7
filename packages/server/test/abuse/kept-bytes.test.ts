/** The memory that a server keeps for its callers has a limit in bytes, by session, by connection and by caller. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { BOTH, initialize, LegacyClient, modern, post } from "../bindings/http/client.ts";
import { toolCall } from "../raw-peer.ts";
import { encodePost, reach } from "./callers.ts";
import { MeasuredProcess } from "./measured-process.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** Sends a text over a connection of its own, and reads nothing of what comes back. */
async function sendUnread(url: string, text: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.pause().write(text);
  return socket;
}

/** A request of a caller as it goes over the wire. */
function encode({ headers, body }: RequestInit & { body: string }, caller: string): string {
  return encodePost([["authorization", caller], ...new Headers(headers)], body);
}

describe("a session", () => {
  test("keeps a few kilobytes of whatever its client says about itself", async () => {
    const process = await MeasuredProcess.start();
    const target = reach({ url: process.http }, "mallory");
    const open = async (experimental: object): Promise<void> => {
      const response = await target.send(post(initialize("2025-11-25", { experimental }), { accept: BOTH }));
      await response.text();
    };
    await open({});
    const before = await process.settle();
    const talkative = Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`a${index}`, {}]));
    for (let count = 0; count < 100; count += 1) await open(talkative);
    const after = await process.settle();
    expect((after.bytes - before.bytes) / 100).toBeLessThan(16 * KIB);
  });

  test("watches as many resources as fit into its share, however long their URIs are", async () => {
    const process = await MeasuredProcess.start();
    const client = await LegacyClient.open(reach({ url: process.http }, "mallory"));
    const watch = async (name: string): Promise<void> => {
      const response = await client.request("resources/subscribe", { uri: `file:///${name}` }, name.slice(0, 8));
      await response.text();
    };
    // The code that V8 optimizes while it becomes hot counts as memory, too.
    for (let index = 0; index < 1000; index += 1) await watch("first");
    const before = await process.settle();
    for (let index = 0; index < 1000; index += 1) await watch(String(index).padEnd(8000, "x"));
    const after = await process.settle();
    expect(after.bytes - before.bytes).toBeLessThan(512 * KIB);
  });
});

describe("a connection", () => {
  test("holds no more answers that wait for those before them than its queue may", async () => {
    const process = await MeasuredProcess.start();
    const listen = encode(modern("subscriptions/listen", { notifications: { toolsListChanged: true } }), "mallory");
    const call = encode(modern("tools/call", { name: "report", arguments: { size: 2 * MIB } }), "mallory");
    const before = await process.settle();
    for (let count = 0; count < 8; count += 1) await sendUnread(process.http, listen + call.repeat(120));
    const after = await process.settle();
    // The queue of one connection, and the answer that went beyond it, in each of its forms.
    expect((after.bytes - before.bytes) / 8).toBeLessThan(8 * MIB);
  });

  test("keeps nothing of a subscription that asks for more than it may", async () => {
    const process = await MeasuredProcess.start();
    const uris = Array.from({ length: 200 }, (_, index) => `file:///${String(index).padEnd(15_000, "x")}`);
    const listen = encode(
      modern("subscriptions/listen", { notifications: { resourceSubscriptions: uris } }),
      "mallory",
    );
    const before = await process.settle();
    for (let count = 0; count < 40; count += 1) {
      const socket = await sendUnread(process.http, listen);
      socket.resume();
      await once(socket, "data");
    }
    const after = await process.settle();
    expect((after.bytes - before.bytes) / 40).toBeLessThan(256 * KIB);
  });

  test("ends when its queue is full, if it is a WebSocket that is not read", async () => {
    const process = await MeasuredProcess.start();
    const before = await process.settle();
    for (let count = 0; count < 4; count += 1) {
      const socket = new WebSocket(process.websocket, ["mcp"], { headers: { authorization: "mallory" } });
      onTestFinished(() => socket.terminate());
      socket.on("error", () => {});
      await once(socket, "open");
      socket.pause();
      for (let id = 0; id < 60; id += 1) socket.send(JSON.stringify(toolCall(id, "report", { size: MIB })));
    }
    const after = await process.settle();
    expect((after.bytes - before.bytes) / 4).toBeLessThan(8 * MIB);
  });
});
