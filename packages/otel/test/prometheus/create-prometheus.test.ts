/** Metrics that Prometheus reads from this process. */
import { createServer as createHttpServer, request as sendRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { TransportError, UsageError } from "@toolwire/protocol";
import { createServer, tool } from "@toolwire/server";
import { serveInMemory } from "@toolwire/server/memory";
import { connect } from "@toolwire/client";
import { clientTelemetry } from "@toolwire/otel/client";
import { createPrometheus } from "@toolwire/otel/prometheus";
import { serverTelemetry } from "@toolwire/otel/server";
import { describe, expect, onTestFinished, test } from "vitest";

function start() {
  const prometheus = createPrometheus();
  onTestFinished(() => prometheus.close());
  const { meter } = prometheus;
  const server = createServer({
    name: "measured",
    version: "1",
    observe: serverTelemetry({ meter }),
    tools: { echo: tool({ run: () => "echo" }) },
  });
  return { prometheus, meter, server };
}

/** Sends a request with a `Host` header of its own. */
function read(url: string, headers: { readonly [name: string]: string } = {}, method = "GET") {
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const sent = sendRequest(url, { method, headers }, (response: IncomingMessage) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    sent.on("error", reject).end();
  });
}

describe("metrics for Prometheus", () => {
  test("are the ones of the conventions, with names as Prometheus writes them", async () => {
    const { prometheus, meter, server } = start();
    const listener = await prometheus.listen({ port: 0 });
    onTestFinished(() => listener.close());
    const client = await connect(serveInMemory(server), { observe: clientTelemetry({ meter }) });
    onTestFinished(() => client.close());
    await client.callTool("echo");
    await client.callTool("echo");
    const { text } = await read(listener.url);
    const line = text
      .split("\n")
      .find(
        (each) =>
          each.startsWith("mcp_server_operation_duration_seconds_count{") && each.includes('gen_ai_tool_name="echo"'),
      );
    expect(line, text).toMatch(/ 2$/);
    expect(text).toContain("# TYPE mcp_client_operation_duration_seconds histogram");
    expect(text).toContain('le="0.01"');
  });

  test("have a bounded number of series, whatever names a client calls", async () => {
    const { prometheus, meter, server } = start();
    const listener = await prometheus.listen({ port: 0 });
    onTestFinished(() => listener.close());
    const client = await connect(serveInMemory(server), { observe: clientTelemetry({ meter }) });
    onTestFinished(() => client.close());
    for (let index = 0; index < 1100; index++) await client.callTool(`made-up-${index}`).catch(() => undefined);
    const { text } = await read(listener.url);
    const count = (prefix: string) => text.split("\n").filter((line) => line.startsWith(prefix)).length;
    expect(text).not.toContain("made-up-1099");
    expect(count("mcp_client_operation_duration_seconds_count")).toBeLessThan(1010);
    // The server knows which tools it has.
    expect(count("mcp_server_operation_duration_seconds_count")).toBeLessThan(5);
  });

  test("are for programs of this machine only, unless somebody else is let in", async () => {
    const { prometheus } = start();
    const listener = await prometheus.listen({ port: 0 });
    onTestFinished(() => listener.close());
    expect((await read(listener.url)).status).toBe(200);
    expect((await read(listener.url, { host: "rebound.example" })).status).toBe(403);
    expect((await read(listener.url, {}, "POST")).status).toBe(405);
    expect((await read(listener.url.replace("/metrics", "/"))).status).toBe(404);
    await expect(prometheus.listen({ host: "0.0.0.0" })).rejects.toThrow(UsageError);
    await expect(prometheus.listen({ port: Number(new URL(listener.url).port) })).rejects.toThrow(TransportError);
  });

  test("can be a part of another HTTP server, which has to say who may read them", async () => {
    const { prometheus } = start();
    expect(() => prometheus.handler(undefined as never)).toThrow(UsageError);
    const handler = prometheus.handler(({ headers }) => headers.authorization === "Bearer good");
    const http = createHttpServer(handler);
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void http.close());
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/anywhere`;
    expect((await read(url)).status).toBe(403);
    expect((await read(url, { authorization: "Bearer good" })).status).toBe(200);
  });
});
