/** Traces and metrics of real clients and servers, through the SDK's OTLP exporters, to a collector on loopback. */
import { createHash } from "node:crypto";
import { context, trace } from "@opentelemetry/api";
import { connect, type Client, type ConnectOptions } from "@toolwire/client";
import { createServer, prompt, resource, RpcError, timeLimit, tool, type ServerDiagnostic } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { clientTelemetry } from "@toolwire/otel/client";
import { serverTelemetry, type ServerTelemetryOptions } from "@toolwire/otel/server";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { Collector, Kind, type ExportedSpan } from "./collector.ts";

let collector: Collector;

beforeEach(async () => {
  collector = await Collector.start();
});
afterEach(() => collector.stop());

const TOKEN = "secret-token-of-ada";
const ARGUMENT = "argument-that-is-nobodys-business";

const diagnostics: ServerDiagnostic[] = [];

/** A server whose tool `relay` calls the next server. Callers have to know the token. */
async function serve(telemetry: ServerTelemetryOptions = {}, next?: Client) {
  const server = createServer({
    name: "weather",
    version: "1.0.0",
    observe: serverTelemetry(telemetry),
    onDiagnostic: (event) => void diagnostics.push(event),
    cache: { read: { ttlMs: 60_000 } },
    middleware: [timeLimit({ timeout: 5000 })],
    tools: {
      echo: tool({ input: z.object({ text: z.string() }), run: ({ text }) => text }),
      relay: tool({
        run: async () => ((await next?.callTool("echo", { text: ARGUMENT }))?.isError === true ? "bad" : "good"),
      }),
      crash: tool({
        run() {
          throw new Error(`crashed at ${ARGUMENT}`);
        },
      }),
      refuse: tool({
        run() {
          throw new RpcError(1050, "not today");
        },
      }),
      ask: tool({ run: async (_, ctx) => `${(await ctx.roots()).length} roots` }),
      hang: tool({
        run: (_, { signal }) => new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve(""))),
      }),
    },
    prompts: { greet: prompt({ get: () => "hello" }) },
    resources: {
      fixed: resource({ uri: "x://fixed", read: () => "text" }),
      letters: resource({ template: "x://people/{name}", read: () => "text" }),
    },
  });
  const served = await serveHttp(server, {
    port: 0,
    authenticate: ({ header }) => (header("authorization") === `Bearer ${TOKEN}` ? { id: "ada" } : undefined),
  });
  onTestFinished(() => served.close());
  return served;
}

async function open(url: string, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(url, {
    observe: clientTelemetry(),
    onDiagnostic() {},
    http: { headers: { authorization: `Bearer ${TOKEN}` } },
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

const byName = (spans: ExportedSpan[], name: string, kind?: number): ExportedSpan[] =>
  spans.filter((span) => span.name === name && (kind === undefined || span.kind === kind));

async function only(name: string, kind: number): Promise<ExportedSpan> {
  const found = byName(await collector.spans(), name, kind);
  expect(found).toHaveLength(1);
  return found[0]!;
}

describe("telemetry", () => {
  test.each(["modern", "legacy"] as const)(
    "makes one trace from a client over a server to its upstream, in the %s era",
    async (era) => {
      const upstream = await serve();
      const next = await open(upstream.url, { era });
      const front = await serve({}, next);
      const client = await open(front.url, { era });
      await trace.getTracer("app").startActiveSpan("work of the application", async (span) => {
        await client.callTool("relay");
        span.end();
      });
      // The first spans of a legacy session wait until its id is hashed.
      const countOf = async (name: string) => byName(await collector.spans(), name).length;
      await expect.poll(() => countOf("tools/call relay")).toBe(2);
      await expect.poll(() => countOf("tools/call echo")).toBe(2);
      const spans = await collector.spans();
      const [root] = byName(spans, "work of the application");
      const chain = [
        root,
        ...byName(spans, "tools/call relay", Kind.Client),
        ...byName(spans, "tools/call relay", Kind.Server),
        ...byName(spans, "tools/call echo", Kind.Client),
        ...byName(spans, "tools/call echo", Kind.Server),
      ];
      expect(chain).toHaveLength(5);
      for (const [index, span] of chain.entries()) {
        expect(span?.traceId).toBe(root?.traceId);
        expect(span?.parentSpanId).toBe(chain[index - 1]?.spanId);
      }
      expect(chain[2]?.attributes).toMatchObject({
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "relay",
        "gen_ai.operation.name": "execute_tool",
        "mcp.protocol.version": client.revision,
        "network.transport": "tcp",
        "network.protocol.name": "http",
        "jsonrpc.request.id": chain[1]?.attributes["jsonrpc.request.id"],
      });
      expect(chain[1]?.attributes).toMatchObject({ "server.address": "127.0.0.1", "server.port": front.port });
    },
  );

  test("exports nothing of tokens, sessions, arguments, results and what callers fill in, unless it is asked for", async () => {
    const { url } = await serve();
    let session: string | undefined;
    const client = await open(`${url}?key=${TOKEN}`, {
      era: "legacy",
      http: {
        headers: { authorization: `Bearer ${TOKEN}` },
        fetch: async (...args) => {
          const response = await fetch(...args);
          session ??= response.headers.get("mcp-session-id") ?? undefined;
          return response;
        },
      },
    });
    await client.callTool("echo", { text: ARGUMENT });
    await client.callTool("echo", { wrong: ARGUMENT });
    await client.callTool("crash");
    await client.readResource(`x://people/${ARGUMENT}`);
    await client.readResource(`x://nowhere/${ARGUMENT}`).catch(() => undefined);
    await client.callTool(ARGUMENT).catch(() => undefined);
    await collector.spans();
    await collector.points();
    const all = collector.bodies.join("\n");
    expect(session).toBeDefined();
    expect(all).not.toContain(session);
    expect(all).not.toContain(TOKEN);
    const server = (await collector.spans()).filter(({ kind }) => kind === Kind.Server);
    expect(JSON.stringify(server)).not.toContain(ARGUMENT);
    // The client has chosen the name of the tool itself, so its own span has it. Nothing else has it.
    const named = byName(await collector.spans(), `tools/call ${ARGUMENT}`);
    expect(named).toHaveLength(1);
    const others = (await collector.spans()).filter((span) => span.kind === Kind.Client && span !== named[0]);
    expect(JSON.stringify(others.filter(({ name }) => !name.includes(ARGUMENT)))).not.toContain(ARGUMENT);
    const hashed = createHash("sha256").update(session!).digest("base64url").slice(0, 16);
    expect(byName(server, "tools/call echo")[0]?.attributes["mcp.session.id"]).toBe(hashed);
  });

  test("records arguments and results as a function returns them, cut to a length, and the URIs that are asked for", async () => {
    const record = {
      arguments: () => ({ text: "[taken out]" }),
      results: (_: unknown, { tool: name }: { tool: string }) => `${name} ${"x".repeat(100)}`,
      maxLength: 40,
      uris: "all",
      session: "raw",
    } as const;
    const { url } = await serve({ record });
    const client = await open(url, { observe: clientTelemetry({ record }) });
    await client.callTool("echo", { text: ARGUMENT });
    await client.readResource("x://people/ada");
    const expected = {
      "gen_ai.tool.call.arguments": '{"text":"[taken out]"}',
      "gen_ai.tool.call.result": `"echo ${"x".repeat(34)}…`,
    };
    expect((await only("tools/call echo", Kind.Server)).attributes).toMatchObject(expected);
    expect((await only("tools/call echo", Kind.Client)).attributes).toMatchObject(expected);
    expect((await only("resources/read", Kind.Server)).attributes).toMatchObject({
      "mcp.resource.uri": "x://people/ada",
      "toolwire.resource.name": "letters",
    });
    expect(collector.bodies.join("")).not.toContain(ARGUMENT);
  });

  test("records nothing if the function that redacts fails", async () => {
    const fail = (): never => {
      throw new Error("cannot redact");
    };
    const { url } = await serve({ record: { arguments: fail, results: fail } });
    const client = await open(url);
    await client.callTool("echo", { text: ARGUMENT });
    const { attributes } = await only("tools/call echo", Kind.Server);
    expect(Object.keys(attributes).filter((name) => name.startsWith("gen_ai.tool.call"))).toEqual([]);
  });

  test("says how requests ended, and blames servers for nothing that callers did wrong", async () => {
    const { url } = await serve();
    const client = await open(url);
    await client.callTool("crash");
    await client.callTool("refuse").catch(() => undefined);
    await client.request("made/up").catch(() => undefined);
    await client.callTool("unknown-tool").catch(() => undefined);
    await client.callTool("hang", {}, { timeout: 20 }).catch(() => undefined);
    await expect.poll(async () => byName(await collector.spans(), "tools/call hang").length).toBe(2);
    const spans = await collector.spans();
    const told = (name: string, kind: number) => {
      const [span] = byName(spans, name, kind);
      const { "error.type": type, "rpc.response.status_code": code } = span?.attributes ?? {};
      return [type, code, span?.status.code ?? 0];
    };
    expect(told("tools/call crash", Kind.Server)).toEqual(["tool_error", undefined, 2]);
    expect(told("tools/call refuse", Kind.Server)).toEqual(["1050", "1050", 2]);
    expect(told("tools/call refuse", Kind.Client)).toEqual(["1050", "1050", 2]);
    expect(byName(spans, "tools/call refuse", Kind.Server)[0]?.status.message).toBe("not today");
    expect(told("_OTHER", Kind.Server)).toEqual([undefined, "-32601", 0]);
    expect(told("made/up", Kind.Client)).toEqual(["-32601", "-32601", 2]);
    expect(told("tools/call", Kind.Server)).toEqual([undefined, "-32602", 0]);
    expect(told("tools/call unknown-tool", Kind.Client)).toEqual(["-32602", "-32602", 2]);
    expect(told("tools/call hang", Kind.Client)).toEqual(["timeout", undefined, 2]);
    expect(told("tools/call hang", Kind.Server)).toEqual(["cancelled", undefined, 2]);
  });

  test("links the trace of a caller that is not trusted, and begins another", async () => {
    const { url } = await serve({ trust: () => false });
    const client = await open(url);
    await client.callTool("echo", { text: "hi" });
    const sent = await only("tools/call echo", Kind.Client);
    const served = await only("tools/call echo", Kind.Server);
    expect(served.traceId).not.toBe(sent.traceId);
    expect(served.parentSpanId).toBeUndefined();
    expect(served.links).toMatchObject([{ traceId: sent.traceId, spanId: sent.spanId }]);
  });

  test("only passes the trace on in the mode `propagate`", async () => {
    const front = await serve({ mode: "propagate" });
    const client = await open(front.url, { observe: clientTelemetry({ mode: "propagate" }) });
    const root = trace.getTracer("app").startSpan("root");
    await context.with(trace.setSpan(context.active(), root), () => client.callTool("ask").catch(() => undefined));
    root.end();
    expect((await collector.spans()).map(({ name }) => name)).toEqual(["root"]);
    expect(await collector.points()).toEqual([]);
  });

  test("keeps the trace of a call over rounds of questions, each of which is a span of its own", async () => {
    const { url } = await serve();
    const client = await open(url, { era: "modern", roots: [{ uri: "file:///a" }] });
    await trace.getTracer("app").startActiveSpan("root", async (span) => {
      await client.callTool("ask");
      span.end();
    });
    const spans = await collector.spans();
    const [root] = byName(spans, "root");
    const rounds = byName(spans, "tools/call ask", Kind.Client);
    expect(rounds.map(({ parentSpanId }) => parentSpanId)).toEqual([root?.spanId, root?.spanId]);
    expect(rounds.map(({ attributes }) => attributes["toolwire.result.type"])).toEqual(["input_required", undefined]);
    expect(byName(spans, "tools/call ask", Kind.Server).map(({ parentSpanId }) => parentSpanId)).toEqual(
      rounds.map(({ spanId }) => spanId),
    );
  });

  test("sees the questions of a server to a legacy client on both sides", async () => {
    const { url } = await serve();
    const client = await open(url, { era: "legacy", roots: [{ uri: "file:///a" }] });
    await client.callTool("ask");
    const asked = await only("roots/list", Kind.Client);
    const answered = await only("roots/list", Kind.Server);
    expect(asked.parentSpanId).toBe((await only("tools/call ask", Kind.Server)).spanId);
    // A client does not let servers write into its traces.
    expect(answered.traceId).not.toBe(asked.traceId);
    expect(answered.links).toMatchObject([{ spanId: asked.spanId }]);
  });

  test("ends the span of a subscription when it is acknowledged, and counts it while it is open", async () => {
    const { url } = await serve();
    const client = await open(url, { era: "modern" });
    const subscription = await client.subscribe({ tools: true }, () => {});
    await only("subscriptions/listen", Kind.Server);
    await only("subscriptions/listen", Kind.Client);
    const count = async () =>
      (await collector.points()).find(({ metric }) => metric === "toolwire.server.active_subscriptions")?.value;
    expect(await count()).toBe(1);
    subscription.close();
    await expect.poll(count).toBe(0);
  });

  test("leaves results in the client's cache", async () => {
    const { url } = await serve();
    const client = await open(url);
    await client.readResource("x://fixed");
    await client.readResource("x://fixed");
    const span = await only("resources/read", Kind.Server);
    expect(span.attributes).toMatchObject({ "mcp.resource.uri": "x://fixed", "toolwire.resource.name": "fixed" });
  });

  test("exports the metrics of the conventions, and of what is open and refused", async () => {
    const { url } = await serve();
    const client = await open(url, { era: "legacy" });
    await client.callTool("echo", { text: "hi" });
    await client.getPrompt("greet");
    await fetch(url, { method: "POST" });
    await client.close();
    const points = await collector.points();
    const find = (metric: string, attributes: object) =>
      points.filter(
        (point) =>
          point.metric === metric &&
          Object.entries(attributes).every(([key, value]) => point.attributes[key] === value),
      );
    const [echoed] = find("mcp.server.operation.duration", { "gen_ai.tool.name": "echo" });
    expect(echoed).toMatchObject({ unit: "s", count: 1, attributes: { "network.protocol.name": "http" } });
    expect(echoed?.bounds).toEqual([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]);
    expect(find("mcp.server.operation.duration", { "gen_ai.prompt.name": "greet" })).toMatchObject([{ count: 1 }]);
    expect(find("mcp.client.operation.duration", { "gen_ai.tool.name": "echo" })).toMatchObject([{ count: 1 }]);
    expect(find("mcp.client.session.duration", {})).toMatchObject([{ count: 1 }]);
    expect(find("mcp.server.session.duration", {})).toMatchObject([{ count: 1 }]);
    expect(find("toolwire.server.active_sessions", {})).toMatchObject([{ value: 0 }]);
    expect(find("toolwire.server.active_requests", {})).toMatchObject([{ value: 0 }]);
    expect(find("toolwire.server.refusals", { "http.response.status_code": 401 })).toMatchObject([{ value: 1 }]);
    expect(find("toolwire.server.notifications", {})).toMatchObject([
      { attributes: { "mcp.method.name": "notifications/initialized" } },
    ]);
    for (const { attributes } of points) {
      expect(Object.keys(attributes)).not.toContain("mcp.session.id");
      expect(Object.keys(attributes)).not.toContain("jsonrpc.request.id");
    }
  });

  test("lets diagnostics find their trace", async () => {
    diagnostics.length = 0;
    const { url } = await serve();
    const client = await open(url);
    await client.callTool("crash");
    const { traceId, spanId, attributes } = await only("tools/call crash", Kind.Server);
    const [event] = diagnostics.filter(({ errorId }) => errorId !== undefined);
    expect(event).toMatchObject({ traceId, spanId });
    expect(String(event?.requestId)).toBe(attributes["jsonrpc.request.id"]);
  });
});
