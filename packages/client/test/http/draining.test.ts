import { MetaKey } from "@toolwire/protocol";
import { Caller } from "@toolwire/protocol/engine";
import { expect, it, onTestFinished } from "vitest";
import type { HttpPort, HttpRequest, HttpSink } from "../../src/http/port.ts";
import { HttpTransport } from "../../src/http/transport.ts";

/** As many as may be drained at once. */
const MANY = 64;

const MODERN = { _meta: { [MetaKey.ProtocolVersion]: "2026-07-28" } };
const STREAM = (name: string) => (name === "content-type" ? "text/event-stream" : undefined);

interface Sent {
  readonly request: HttpRequest;
  readonly id: number;
  readonly sink: HttpSink;
}

/** A transport whose server is a function, and how many answers were cut off. */
function serve(answer: (sent: Sent) => void): { caller: Caller; cutOff: () => number } {
  let cutOff = 0;
  const port: HttpPort = {
    send(request, sink) {
      const { id } = JSON.parse(request.body ?? "{}") as { id: number };
      queueMicrotask(() => answer({ request, id, sink }));
      return { abort: () => ++cutOff > 0 };
    },
    async close() {},
  };
  const transport = new HttpTransport("http://example.com/mcp", {}, { port });
  void transport.open({});
  onTestFinished(() => transport.close());
  return { caller: new Caller(transport), cutOff: () => cutOff };
}

function write(sink: HttpSink, id: number, fields = ""): void {
  const response = { jsonrpc: "2.0", id, result: {} };
  sink.chunk(new TextEncoder().encode(`${fields}data: ${JSON.stringify(response)}\n\n`));
}

it("streams that break after their response are waited for no longer", async () => {
  let breaks = true;
  const { caller, cutOff } = serve(({ id, sink }) => {
    sink.head(200, STREAM);
    write(sink, id);
    if (breaks) sink.failed(new Error("reset"));
  });
  for (let call = 0; call < MANY; call++) await caller.call("tools/call", { ...MODERN, name: "t" });
  breaks = false;
  await caller.call("tools/call", { ...MODERN, name: "t" });
  expect(cutOff()).toBe(0);
});

it("nor are those whose response came by another stream", async () => {
  const interrupted: number[] = [];
  const { caller, cutOff } = serve(({ request, id, sink }) => {
    const { method, headers } = request;
    sink.head(200, id === 1 ? () => undefined : STREAM);
    if (id === 1) {
      const result = { protocolVersion: "2025-11-25" };
      sink.chunk(new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", id, result })));
      sink.end();
    } else if (method === "GET") write(sink, Number(headers["last-event-id"]));
    else if (interrupted.length === MANY) write(sink, id);
    else {
      interrupted.push(id);
      sink.chunk(new TextEncoder().encode(`id: ${id}\nretry: 1\ndata:\n\n`));
      sink.end();
    }
  });
  await caller.call("initialize", { protocolVersion: "2025-11-25" });
  await Promise.all(Array.from({ length: MANY }, () => caller.call("tools/call", { name: "t" })));
  const before = cutOff();
  await caller.call("tools/call", { name: "t" });
  expect(cutOff()).toBe(before);
});
