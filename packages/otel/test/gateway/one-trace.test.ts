/** A call through a gateway is one trace: from its caller, through the gateway, to the upstream. */
import { connect } from "@toolwire/client";
import { createGateway } from "@toolwire/gateway";
import { clientTelemetry } from "@toolwire/otel/client";
import { gatewayTelemetry } from "@toolwire/otel/gateway";
import { serverTelemetry } from "@toolwire/otel/server";
import { createServer, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { Collector, Kind } from "../collector.ts";

let collector: Collector;

beforeEach(async () => {
  collector = await Collector.start();
});
afterEach(() => collector.stop());

/** The `_meta` that the upstream got last. */
let received: object = {};

async function serveUpstream(): Promise<string> {
  const upstream = createServer({
    name: "upstream",
    version: "1",
    observe: serverTelemetry({ trust: () => true }),
    tools: {
      echo: tool({
        run(_, { _meta }) {
          received = _meta;
          return "echo";
        },
      }),
    },
  });
  const served = await serveHttp(upstream, { port: 0 });
  onTestFinished(() => served.close());
  return served.url;
}

async function serveGateway(options: Parameters<typeof gatewayTelemetry>[0]) {
  const gateway = await createGateway(
    {
      version: 1,
      listen: { port: 0 },
      admin: false,
      analytics: { store: "memory" },
      network: { allow: ["127.0.0.1"] },
      servers: { door: { upstreams: { up: { url: await serveUpstream(), prefix: "up" } } } },
    },
    { observe: gatewayTelemetry(options) },
  );
  onTestFinished(() => gateway.close());
  return gateway;
}

describe.each(["modern", "legacy"] as const)("a %s caller of a gateway", (era) => {
  test("has one trace with the upstream, and the call log names it", async () => {
    const gateway = await serveGateway({ trust: () => true });
    const client = await connect(`${gateway.url}/mcp/door`, { era, memory: false, observe: clientTelemetry() });
    onTestFinished(() => client.close());
    const logged: (string | undefined)[] = [];
    onTestFinished(gateway.storage.calls.follow(({ traceId }) => void logged.push(traceId)));
    await client.callTool("up_echo");
    await expect
      .poll(async () => (await collector.spans()).filter(({ name }) => name === "tools/call up_echo").length)
      .toBe(2);
    const spans = await collector.spans();
    const find = (name: string, kind: number) => spans.find((span) => span.name === name && span.kind === kind);
    const sent = find("tools/call up_echo", Kind.Client);
    const taken = find("tools/call up_echo", Kind.Server);
    const passed = find("tools/call echo", Kind.Client);
    const served = find("tools/call echo", Kind.Server);
    expect([taken, passed, served].map((span) => span?.parentSpanId)).toEqual(
      [sent, taken, passed].map((span) => span?.spanId),
    );
    expect(new Set([sent, taken, passed, served].map((span) => span?.traceId))).toEqual(new Set([sent?.traceId]));
    expect(logged).toEqual([sent?.traceId]);
  });
});

test("a caller that is not trusted has its trace linked, and its state and baggage reach no upstream", async () => {
  const gateway = await serveGateway({});
  const client = await connect(`${gateway.url}/mcp/door`, { memory: false });
  onTestFinished(() => client.close());
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const _meta = {
    traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    tracestate: "vendor=of-a-stranger",
    baggage: "user=ada",
    "com.example/kept": 1,
  };
  await client.callTool("up_echo", {}, { _meta });
  expect(received).toMatchObject({ "com.example/kept": 1 });
  expect(received).not.toHaveProperty("tracestate");
  expect(received).not.toHaveProperty("baggage");
  expect(JSON.stringify(received)).not.toContain(traceId);
  const taken = (await collector.spans()).find(
    ({ name, kind }) => name === "tools/call up_echo" && kind === Kind.Server,
  );
  expect(taken?.links).toMatchObject([{ traceId }]);
  expect(taken?.traceId).not.toBe(traceId);
});
