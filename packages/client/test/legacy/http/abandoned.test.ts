import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect, type Client, type ClientOptions } from "@toolwire/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually } from "../../../../../test/eventually.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { listen, openEvents, sendJson, type Seen } from "../../transports/http/listen.ts";
import { createUndiciTransport } from "../../transports/http/backends.ts";

/** A stream that answers a call, as the server has it. */
interface OpenCall {
  readonly id: number;
  readonly send: (message: object) => void;
  readonly response: ServerResponse;
}

/** A legacy server that opens a stream for every call, and answers only what it is told to. */
class StreamingServer {
  readonly calls: OpenCall[] = [];
  readonly cancelled: unknown[] = [];
  /** The client's answers to what it was asked. */
  readonly replies: unknown[] = [];
  sessions = 0;
  /** A session that it does not know any more. */
  forgotten: string | undefined;

  readonly answer = ({ method, headers, message }: Seen, response: ServerResponse): void => {
    if (this.forgotten !== undefined && headers["mcp-session-id"] === this.forgotten) {
      return void response.writeHead(404).end();
    }
    if (method !== "POST") return void response.writeHead(method === "DELETE" ? 200 : 405).end();
    if (message?.method === "initialize") {
      const capabilities = { tools: { listChanged: true } };
      const result = { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "s", version: "1" } };
      const session = { "mcp-session-id": `s${++this.sessions}` };
      return sendJson(response, { jsonrpc: "2.0", id: message.id, result }, 200, session);
    }
    if (message?.method === "tools/call") {
      const write = openEvents(response);
      this.calls.push({ id: message.id!, response, send: (sent) => write({ jsonrpc: "2.0", ...sent }) });
      return;
    }
    if (message?.method === "notifications/cancelled") this.cancelled.push(message.params?.["requestId"]);
    else if (message?.method === undefined) this.replies.push(message?.result);
    response.writeHead(202).end();
  };

  get open(): OpenCall[] {
    return this.calls.filter(({ response }) => !response.closed);
  }
}

async function connectTo(
  server: StreamingServer,
  options: ClientOptions = {},
  open = (url: string): Parameters<typeof connect>[0] => url,
): Promise<Client> {
  const { url } = await listen(server.answer);
  const client = await connect(open(url), { era: "legacy", memory: false, onDiagnostic: () => {}, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** Makes calls, and cancels all of them when the server has them. */
async function callAndCancel(client: Client, server: StreamingServer, count = 1): Promise<void> {
  const [before, cancelled] = [server.calls.length, server.cancelled.length];
  const stop = new AbortController();
  const calls = Array.from({ length: count }, () => client.callTool("t", {}, { signal: stop.signal }));
  const outcomes = Promise.allSettled(calls);
  await eventually(() => expect(server.calls).toHaveLength(before + count));
  stop.abort(new Error("enough"));
  await outcomes;
  await eventually(() => expect(server.cancelled).toHaveLength(cancelled + count));
}

describe("the stream of a legacy call that was cancelled", () => {
  it("the stream of a legacy call that was cancelled is still heard: bridges send there what belongs to later calls", async () => {
    const server = new StreamingServer();
    const asked: unknown[] = [];
    const changed = withResolvers<void>();
    const client = await connectTo(server, {
      elicitation(question, { request }) {
        asked.push([question.message, request]);
        return { action: "decline" };
      },
      onNotification({ method }) {
        if (method === "notifications/tools/list_changed") changed.resolve();
      },
    });
    await callAndCancel(client, server);
    expect(server.cancelled).toEqual([server.calls[0]!.id]);
    const progress: number[] = [];
    const second = client.callTool("t", {}, { onProgress: (report) => progress.push(report.progress) });
    await eventually(() => expect(server.calls).toHaveLength(2));
    const [bridged, own] = server.calls as [OpenCall, OpenCall];
    bridged.send({ method: "notifications/progress", params: { progressToken: own.id, progress: 1 } });
    bridged.send({ method: "notifications/tools/list_changed" });
    const form = { message: "Sure?", requestedSchema: { type: "object", properties: {} } };
    bridged.send({ id: "q", method: "elicitation/create", params: form });
    await changed.promise;
    await eventually(() => expect(server.replies).toEqual([{ action: "decline" }]));
    own.send({ id: own.id, result: { content: [] } });
    await expect(second).resolves.toEqual({ content: [] });
    expect(progress).toEqual([1]);
    // It is not known for which call the server asks there; for the cancelled one it does not.
    expect(asked).toEqual([["Sure?", undefined]]);
  });

  it("the stream of a legacy call that was cancelled tells nobody of its own progress, and ends with its response", async () => {
    const server = new StreamingServer();
    const heard = vi.fn<() => void>();
    const client = await connectTo(server, { onNotification: heard });
    await callAndCancel(client, server);
    const { id, send, response } = server.calls[0]!;
    send({ method: "notifications/progress", params: { progressToken: id, progress: 1 } });
    const closed = once(response, "close");
    send({ id, result: { content: [] } });
    await closed;
    expect(heard).not.toHaveBeenCalled();
  });

  it("the stream of a legacy call that was cancelled is closed at once if others are open already", async () => {
    const server = new StreamingServer();
    const client = await connectTo(server);
    await callAndCancel(client, server, 20);
    await eventually(() => expect(server.open).toHaveLength(4));
    // The oldest stay, which bridges go on to use.
    const oldest = server.open;
    await callAndCancel(client, server, 5);
    await eventually(() => expect(server.open).toEqual(oldest));
    // A stream that has ended makes room.
    oldest[0]!.response.end();
    await eventually(() => expect(server.open).toHaveLength(3));
    await callAndCancel(client, server, 5);
    await eventually(() => expect(server.open).toHaveLength(4));
  });

  it("the stream of a legacy call that was cancelled keeps no connection from calls where there are few", async () => {
    const server = new StreamingServer();
    const client = await connectTo(server, {}, (url) => () => createUndiciTransport(url, { connections: 2 }));
    await callAndCancel(client, server, 2);
    await callAndCancel(client, server, 2);
    expect(server.calls).toHaveLength(4);
    await eventually(() => expect(server.open).toHaveLength(0));
  });

  it("the stream of a legacy call that was cancelled is closed after some minutes, whatever the server does", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const server = new StreamingServer();
    const client = await connectTo(server, { timeout: Infinity, maxTimeout: Infinity });
    await callAndCancel(client, server);
    vi.advanceTimersByTime(299_000);
    await callAndCancel(client, server);
    expect(server.open).toHaveLength(2);
    vi.advanceTimersByTime(1000);
    await eventually(() => expect(server.open).toEqual([server.calls[1]]));
  });

  it("the stream of a legacy call that was cancelled is closed with the client", async () => {
    const server = new StreamingServer();
    const client = await connectTo(server);
    await callAndCancel(client, server);
    expect(server.open).toHaveLength(1);
    await client.close();
    await eventually(() => expect(server.open).toHaveLength(0));
  });

  it("the stream of a legacy call that was cancelled is closed with its session", async () => {
    const server = new StreamingServer();
    const client = await connectTo(server);
    await callAndCancel(client, server);
    const closed = once(server.calls[0]!.response, "close");
    server.forgotten = "s1";
    await client.notify("notifications/custom");
    await closed;
    expect(server.sessions).toBe(2);
  });
});
