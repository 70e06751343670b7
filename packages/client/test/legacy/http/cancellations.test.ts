import { setMaxListeners } from "node:events";
import type { ServerResponse } from "node:http";
import { Caller } from "@toolwire/protocol/internal";
import { expect, it, onTestFinished } from "vitest";
import { createSsePairChannel } from "../../../src/http.ts";
import { Peer } from "../../transports/stdio/peer.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { listen, openEvents, sendJson, type Seen } from "../../transports/http/listen.ts";
import { createFetchTransport, createUndiciTransport } from "../../transports/http/backends.ts";

const CALLS = 5000;

/** A server that never answers a call, and takes note of cancellations: which came, and how many at a time. */
class PatientServer {
  readonly called: unknown[] = [];
  readonly cancelled: unknown[] = [];
  mostAtOnce = 0;
  readonly #allAreHere = withResolvers<void>();
  readonly #allAreCancelled = withResolvers<void>();
  readonly #most: number;
  #atOnce = 0;

  /** `most` is how many calls are expected to arrive. */
  constructor(most: number) {
    this.#most = most;
  }

  get allAreHere(): Promise<void> {
    return this.#allAreHere.promise;
  }

  /** Resolves when as many calls were cancelled as have arrived. */
  get allAreCancelled(): Promise<void> {
    return this.#allAreCancelled.promise;
  }

  /** Takes a call or a cancellation; false if it is neither. */
  take({ message }: Seen, response: ServerResponse): boolean {
    if (message?.method === "tools/call") {
      this.called.push(message.id);
      if (this.called.length === this.#most) this.#allAreHere.resolve();
      return true;
    }
    if (message?.method !== "notifications/cancelled") return false;
    this.cancelled.push(message.params?.["requestId"]);
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#atOnce);
    setImmediate(() => {
      this.#atOnce -= 1;
      response.writeHead(202).end();
      if (this.cancelled.length === this.called.length) this.#allAreCancelled.resolve();
    });
    return true;
  }
}

async function giveUpAll(caller: Caller, server: PatientServer, count: number): Promise<void> {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const calls = Array.from({ length: count }, () => caller.call("tools/call", {}, { signal: stop.signal }));
  const outcomes = Promise.allSettled(calls);
  await server.allAreHere;
  stop.abort(new Error("enough"));
  expect((await outcomes).every(({ status }) => status === "rejected")).toBe(true);
  await server.allAreCancelled;
}

it.each([
  // By `fetch`, each call has a connection of its own at once.
  ["fetch", createFetchTransport, 200, 200],
  ["undici", createUndiciTransport, CALLS, 128],
] as const)("calls given up at once by %s are cancelled a few at a time, if they were sent", async (...row) => {
  const [, create, count, most] = row;
  const server = new PatientServer(most);
  const sockets = new Set<unknown>();
  const { url } = await listen((seen, response, request) => {
    if (seen.message?.method === "notifications/cancelled") sockets.add(request.socket);
    if (server.take(seen, response)) return;
    const { method, message } = seen;
    if (message?.method === "initialize") {
      sendJson(response, { jsonrpc: "2.0", id: message.id, result: { protocolVersion: "2025-11-25" } });
    } else response.writeHead(method === "GET" ? 405 : 202).end();
  });
  const transport = create(url);
  void transport.open({});
  onTestFinished(() => transport.close());
  const caller = new Caller(transport, { timeout: 60_000 });
  await caller.call("initialize", { protocolVersion: "2025-11-25" });
  await transport.notify({ jsonrpc: "2.0", method: "notifications/initialized" });
  await giveUpAll(caller, server, count);
  await transport.close();
  expect(server.called).toHaveLength(most);
  expect(server.cancelled).toHaveLength(server.called.length);
  expect(new Set(server.cancelled)).toEqual(new Set(server.called));
  expect(server.mostAtOnce).toBeLessThanOrEqual(4);
  expect(sockets.size).toBeLessThanOrEqual(16);
});

it("calls given up at once over the HTTP+SSE pair are cancelled a few at a time, if they were sent", async () => {
  const server = new PatientServer(64);
  const { url } = await listen((seen, response) => {
    if (server.take(seen, response)) return;
    openEvents(response);
    response.write("event: endpoint\ndata: /post\n\n");
  });
  const { caller, multiplexer } = await Peer.open(createSsePairChannel(url));
  await giveUpAll(caller, server, CALLS);
  await multiplexer.close();
  expect(server.called).toHaveLength(64);
  expect(server.cancelled).toHaveLength(server.called.length);
  expect(new Set(server.cancelled)).toEqual(new Set(server.called));
  expect(server.mostAtOnce).toBeLessThanOrEqual(4);
});
