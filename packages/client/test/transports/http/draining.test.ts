import { MetaKey } from "@toolwire/protocol";
import { Caller } from "@toolwire/protocol/internal";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Agent, fetch } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connect } from "../../../src/index.ts";
import type { HttpBackend, HttpRequest, ResponseSink } from "../../../src/transports/http/backend.ts";
import { openLegacyHttp } from "../../../src/legacy/http/transport.ts";
import { HttpTransport } from "../../../src/transports/http/transport.ts";
import { HttpClient } from "../../../src/transports/http/client.ts";
import type { Fetch } from "../../../src/http.ts";
import { listen, openEvents, sendJson } from "./listen.ts";
import { createUndiciTransport } from "./backends.ts";

const MODERN = { _meta: { [MetaKey.ProtocolVersion]: "2026-07-28" } };
const STREAM = (name: string) => (name === "content-type" ? "text/event-stream" : undefined);

interface Sent {
  readonly request: HttpRequest;
  readonly id: number;
  readonly sink: ResponseSink;
}

/** A transport whose server is a function, and how many answers were cut off. */
function serve(answer: (sent: Sent) => void): { caller: Caller; transport: HttpTransport; cutOff: () => number } {
  let cutOff = 0;
  const backend: HttpBackend = {
    spareConnections: 0,
    send(request, sink) {
      const { id } = JSON.parse(request.body ?? "{}") as { id: number };
      queueMicrotask(() => answer({ request, id, sink }));
      return { mayBeSent: true, abort: () => void cutOff++ };
    },
    async close() {},
  };
  const transport = new HttpTransport(new HttpClient(new URL("http://example.com/mcp"), {}, backend), openLegacyHttp);
  void transport.open({});
  onTestFinished(() => transport.close());
  return { caller: new Caller(transport), transport, cutOff: () => cutOff };
}

function write(sink: ResponseSink, id: number, fields = ""): void {
  const response = { jsonrpc: "2.0", id, result: {} };
  sink.chunk(new TextEncoder().encode(`${fields}data: ${JSON.stringify(response)}\n\n`));
}

describe("streams that stay open after their response", () => {
  /** Connects to a server that ends no stream, and calls it more often than there are connections. */
  async function callMany(count: number, open: (url: string) => ReturnType<typeof connect>): Promise<number> {
    const left: ServerResponse[] = [];
    const { url } = await listen(({ message }, response) => {
      const about = { jsonrpc: "2.0", id: message?.id };
      if (message?.method !== "tools/call") {
        const result = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
        return sendJson(response, { ...about, result });
      }
      left.push(response);
      openEvents(response)({ ...about, result: { resultType: "complete", content: [] } });
    });
    const client = await open(url);
    onTestFinished(() => client.close());
    for (let call = 0; call < count; call++) await client.callTool("t");
    for (const response of left) if (!response.closed) await once(response, "close");
    return left.length;
  }

  it("streams that stay open after their response keep no connection of the pool from later calls", async () => {
    const ended = await callMany(6, (url) => connect(() => createUndiciTransport(url, { connections: 2 })));
    expect(ended).toBe(6);
  });

  it("streams that stay open keep none of the six connections of a browser from later calls", async () => {
    const dispatcher = new Agent({ connections: 6, pipelining: 1 });
    onTestFinished(() => dispatcher.destroy());
    const six = ((url: URL, init: object) => fetch(url, { ...init, dispatcher })) as unknown as Fetch;
    expect(await callMany(15, (url) => connect(url, { http: { fetch: six }, memory: false }))).toBe(15);
  });

  it("streams that stay open after their response are given a moment to end, which saves the connection", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const open: ResponseSink[] = [];
    const { caller, cutOff } = serve(({ id, sink }) => {
      sink.head(200, STREAM);
      write(sink, id);
      open.push(sink);
    });
    for (let call = 0; call < 2; call++) await caller.call("tools/call", { ...MODERN, name: "t" });
    open[0]?.end();
    expect(cutOff()).toBe(0);
    vi.advanceTimersByTime(1000);
    expect(cutOff()).toBe(1);
  });
});

it("streams that break after their response are waited for no longer", async () => {
  const { caller, transport, cutOff } = serve(({ id, sink }) => {
    sink.head(200, STREAM);
    write(sink, id);
    sink.failed(new Error("reset"));
  });
  await caller.call("tools/call", { ...MODERN, name: "t" });
  await transport.close();
  expect(cutOff()).toBe(0);
});

it("streams whose response came by another stream are not waited for", async () => {
  const { caller, transport, cutOff } = serve(({ request, id, sink }) => {
    const { method, headers } = request;
    sink.head(200, id === 1 ? () => undefined : STREAM);
    if (id === 1) {
      const result = { protocolVersion: "2025-11-25" };
      sink.chunk(new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", id, result })));
      sink.end();
    } else if (method === "GET") write(sink, Number(headers["last-event-id"]));
    else {
      sink.chunk(new TextEncoder().encode(`id: ${id}\nretry: 1\ndata:\n\n`));
      sink.end();
    }
  });
  await caller.call("initialize", { protocolVersion: "2025-11-25" });
  await caller.call("tools/call", { name: "t" });
  // The other stream is closed at once.
  const before = cutOff();
  await transport.close();
  expect(cutOff()).toBe(before);
});
