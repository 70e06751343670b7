/**
 * Limits of requests in flight count work that runs. A handler that does not stop when its request is cancelled keeps
 * its place, on every binding, or a client could start any number of them by cancelling each (as with HTTP/2's "rapid
 * reset", CVE-2023-44487).
 */
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { timeLimit, tool, type ServerMiddleware } from "../../src/index.ts";
import type { HttpOptions } from "../../src/http.ts";
import { serveStdio } from "../../src/bindings/stdio/index.ts";
import { serveWebSocket, type WebSocketPort, type WebSocketListener } from "../../src/bindings/websocket/index.ts";
import { BOTH, Events, initialize, LegacyClient, modern, post, readJson } from "./http/client.ts";
import { PLATFORMS, type Target } from "./http/platforms.ts";
import { toolCall } from "../raw-peer.ts";
import { createStubborn, type Stubborn } from "../uncancellable-server.ts";
import { FrameClient } from "./websocket/frame-client.ts";
import { ModernClient } from "../wire-client.ts";

const byName: HttpOptions["authenticate"] = ({ header }) => ({ id: header("authorization") ?? "nobody" });
const ADA = { authorization: "ada" };
const BOB = { authorization: "bob" };

const call = (name: string, id: string | number, headers: Record<string, string> = ADA): RequestInit =>
  modern("tools/call", { name }, { id, headers });

/** Calls `stubborn` so many times and leaves before it answers. */
async function startAndLeave(stubborn: Stubborn, count: number, start: (signal: AbortSignal) => unknown) {
  const { running, aborted } = stubborn;
  const leaving = new AbortController();
  for (let times = 0; times < count; times += 1) {
    Promise.resolve(start(leaving.signal)).catch(() => undefined);
  }
  await stubborn.hasRunning(running + count);
  leaving.abort();
  await stubborn.hasAborted(aborted + count);
}

describe.each(PLATFORMS)("over HTTP on $name, a handler that does not stop", ({ start }) => {
  const serve = (stubborn: Stubborn, options: HttpOptions = {}): Promise<Target> =>
    start(stubborn.server, { maxInFlightPerClient: 2, authenticate: byName, ...options });

  async function expectRefusal(response: Response, status = 429): Promise<void> {
    expect(response.status).toBe(status);
    const { error } = await readJson(response);
    expect(error?.code).toBe(-32603);
    expect(error?.message).toContain("cancelled");
  }

  test("keeps its place when its client leaves, and gives it back when it ends", async () => {
    const stubborn = createStubborn();
    const target = await serve(stubborn);
    await startAndLeave(stubborn, 2, (signal) =>
      target.send(modern("tools/call", { name: "stubborn" }, { headers: ADA, signal })),
    );
    await expectRefusal(await target.send(call("echo", 3)));
    expect((await target.send(call("echo", 4, BOB))).status).toBe(200);
    await stubborn.release();
    expect((await target.send(call("echo", 5))).status).toBe(200);
  });

  test("counts for the limit of the endpoint, too", async () => {
    const stubborn = createStubborn();
    const target = await serve(stubborn, { maxInFlight: 2 });
    await startAndLeave(stubborn, 2, (signal) =>
      target.send(modern("tools/call", { name: "stubborn" }, { headers: ADA, signal })),
    );
    await expectRefusal(await target.send(call("echo", 3, BOB)), 503);
    await stubborn.release();
    expect((await target.send(call("echo", 4, BOB))).status).toBe(200);
  });

  test("keeps its place when `timeLimit` has answered for it", async () => {
    const stubborn = createStubborn({ middleware: [timeLimit({ timeout: 1 })] });
    const target = await serve(stubborn);
    for (const id of [1, 2]) {
      expect((await readJson(await target.send(call("stubborn", id)))).result?.["isError"]).toBe(true);
    }
    await expectRefusal(await target.send(call("echo", 3)));
    await stubborn.release();
    expect((await target.send(call("echo", 4))).status).toBe(200);
  });

  test("keeps its place when middleware has answered at once, and did not wait for it", async () => {
    const hasty: ServerMiddleware = (_call, next) => {
      void next();
      return { content: [] };
    };
    const stubborn = createStubborn({ middleware: [hasty] });
    const target = await serve(stubborn);
    for (const id of [1, 2]) expect((await target.send(call("stubborn", id))).status).toBe(200);
    expect(stubborn.running).toBe(2);
    await expectRefusal(await target.send(call("stubborn", 3)));
    await stubborn.release();
    expect((await target.send(call("echo", 4))).status).toBe(200);
  });

  test("keeps its place when middleware around the tool has answered for it", async () => {
    const stubborn = createStubborn();
    const target = await serve(stubborn);
    const limited = tool({ middleware: [timeLimit({ timeout: 1 })], run: () => new Promise<never>(() => {}) });
    stubborn.server.tools.add("limited", limited);
    for (const id of [1, 2]) {
      expect((await readJson(await target.send(call("limited", id)))).result?.["isError"]).toBe(true);
    }
    await expectRefusal(await target.send(call("echo", 3)));
  });

  test("has the place of middleware that runs on, although no handler was reached", async () => {
    let running = 0;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const slow: ServerMiddleware = async (_call, next) => {
      running += 1;
      await ended;
      return next();
    };
    const stubborn = createStubborn({ middleware: [timeLimit({ timeout: 1 }), slow] });
    const target = await serve(stubborn);
    for (const id of [1, 2]) await target.send(call("echo", id));
    expect(running).toBe(2);
    await expectRefusal(await target.send(call("echo", 3)));
    end();
    await new Promise(setImmediate);
    expect((await target.send(call("echo", 4))).status).toBe(200);
  });

  test("keeps its place when its session cancels it, is deleted, or loses the connection without a store", async () => {
    const stubborn = createStubborn();
    const target = await serve(stubborn, { maxInFlightPerClient: 3, legacy: { eventStore: false } });
    const client = await LegacyClient.open(target, "2025-11-25", ADA);
    const send = (message: object, signal?: AbortSignal): Promise<Response> => client.send(message, ADA, signal);
    const stubbornCall = (id: number): object => {
      return { jsonrpc: "2.0", id, method: "tools/call", params: { name: "stubborn", arguments: {} } };
    };
    const cancelled = send(stubbornCall(1));
    await stubborn.hasRunning(1);
    await send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    expect((await cancelled).status).toBe(200);
    await startAndLeave(stubborn, 1, (signal) => send(stubbornCall(2), signal));
    // The ids are free, though their work goes on.
    void send(stubbornCall(1)).catch(() => undefined);
    await stubborn.hasRunning(3);
    await expectRefusal(await send(stubbornCall(2)));
    expect((await target.send({ method: "DELETE", headers: { ...client.headers, ...ADA } })).status).toBe(200);
    await stubborn.hasAborted(3);
    await expectRefusal(await target.send(post(initialize(), { accept: BOTH, ...ADA })));
    await stubborn.release();
    expect((await target.send(post(initialize(), { accept: BOTH, ...ADA }))).status).toBe(200);
  });

  test("keeps its place in an endpoint without sessions", async () => {
    const stubborn = createStubborn();
    const target = await serve(stubborn, { legacy: { sessions: false } });
    const plain = (name: string, signal?: AbortSignal): Promise<Response> => {
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } };
      return target.send({ ...post(message, { accept: BOTH, ...ADA }), ...(signal && { signal }) });
    };
    await startAndLeave(stubborn, 2, (signal) => plain("stubborn", signal));
    await expectRefusal(await plain("echo"));
    await stubborn.release();
    expect((await plain("echo")).status).toBe(200);
  });

  test("keeps the places of a batch that was cancelled, as many as still run", async () => {
    const stubborn = createStubborn();
    const target = await serve(stubborn, { maxInFlightPerClient: 4 });
    const client = await LegacyClient.open(target, "2025-03-26", ADA);
    const member = (id: number, name: string): object => {
      return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {} } };
    };
    const answer = client.send([member(1, "stubborn"), member(2, "stubborn"), member(3, "echo")], ADA);
    await stubborn.hasRunning(2);
    for (const requestId of [1, 2]) {
      await client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }, ADA);
    }
    expect((await answer).status).toBe(200);
    expect((await client.send([member(4, "echo"), member(5, "echo")], ADA)).status).toBe(200);
    await expectRefusal(
      await client.send(
        [4, 5, 6].map((id) => member(id, "echo")),
        ADA,
      ),
    );
    await stubborn.release();
    expect(
      (
        await client.send(
          [4, 5, 6, 7].map((id) => member(id, "echo")),
          ADA,
        )
      ).status,
    ).toBe(200);
  });

  test("keeps its place when a client of HTTP+SSE cancels it or closes its stream", async () => {
    const stubborn = createStubborn();
    const target = await serve(stubborn, { legacy: { sse: true } });
    const open = async (): Promise<{ events: Events; send: (message: object) => Promise<Response> }> => {
      const headers = { accept: "text/event-stream", ...ADA };
      const events = new Events(await target.send({ path: "/sse", headers }));
      const path = (await events.next())?.data ?? "";
      return { events, send: (message) => target.send({ path, ...post(message, ADA) }) };
    };
    const stubbornCall = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "stubborn", arguments: {} } };
    const ping = { jsonrpc: "2.0", id: "p", method: "ping" };
    const one = await open();
    await one.send(stubbornCall);
    await stubborn.hasRunning(1);
    await one.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await stubborn.hasAborted(1);
    await one.send(stubbornCall);
    await stubborn.hasRunning(2);
    await expectRefusal(await one.send(ping));
    await one.events.cancel();
    await stubborn.hasAborted(2);
    const two = await open();
    await expectRefusal(await two.send(ping));
    await stubborn.release();
    expect((await two.send(ping)).status).toBe(202);
    expect((await two.events.message())?.id).toBe("p");
    await two.events.cancel();
  });

  test("does not keep `close` waiting once its request was cancelled", async () => {
    const stubborn = createStubborn();
    const target = await serve(stubborn, { closeTimeout: 600_000 });
    await startAndLeave(stubborn, 1, (signal) =>
      target.send(modern("tools/call", { name: "stubborn" }, { headers: ADA, signal })),
    );
    await target.close();
    expect(stubborn.running).toBe(1);
  });
});

describe("on a channel, a handler that does not stop", () => {
  const cancel = (requestId: number): object => {
    return { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } };
  };

  test("keeps its place when it is cancelled, though its id is free again", async () => {
    const stubborn = createStubborn();
    const client = new ModernClient(stubborn.server, { maxInFlight: 2 });
    for (const id of [1, 1]) {
      client.start("tools/call", { name: "stubborn" }, id);
      client.send(cancel(id) as never);
    }
    await stubborn.hasAborted(2);
    const refused = client.start("tools/call", { name: "echo" }, 1).response;
    await expect(refused).rejects.toMatchObject({ code: -32603, message: expect.stringContaining("cancelled") });
    await stubborn.release();
    expect((await client.start("tools/call", { name: "echo" }, 1).response).content[0].text).toBe("here");
    client.start("tools/call", { name: "stubborn" }, 2);
    expect((await client.callTool("echo")).content[0].text).toBe("here");
    await stubborn.release();
  });

  test("keeps its place when `timeLimit` has answered for it", async () => {
    const stubborn = createStubborn({ middleware: [timeLimit({ timeout: 1 })] });
    const client = new ModernClient(stubborn.server, { maxInFlight: 2 });
    await Promise.all([client.callTool("stubborn"), client.callTool("stubborn")]);
    await expect(client.callTool("echo")).rejects.toMatchObject({ code: -32603 });
    await stubborn.release();
    expect((await client.callTool("echo")).content[0].text).toBe("here");
  });

  test("does not keep `close` waiting once its request was cancelled", async () => {
    const stubborn = createStubborn();
    const client = new ModernClient(stubborn.server, { closeTimeout: 600_000 });
    client.start("tools/call", { name: "stubborn" }, 1);
    client.send(cancel(1) as never);
    await stubborn.hasAborted(1);
    await client.served.close();
    expect(stubborn.running).toBe(1);
  });

  test("keeps its place over standard streams", async () => {
    const stubborn = createStubborn();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const serving = serveStdio(stubborn.server, { input, output, maxInFlight: 1 });
    onTestFinished(() => serving.close());
    const send = (message: object): boolean => input.write(`${JSON.stringify(message)}\n`);
    send(toolCall(1, "stubborn"));
    send(cancel(1));
    await stubborn.hasAborted(1);
    send(toolCall(2, "echo"));
    const [refusal] = (await once(output, "data")) as [Buffer];
    expect(JSON.parse(refusal.toString())).toMatchObject({ id: 2, error: { code: -32603 } });
    await stubborn.release();
    send(toolCall(3, "echo"));
    const [answer] = (await once(output, "data")) as [Buffer];
    expect(JSON.parse(answer.toString())).toMatchObject({ id: 3, result: {} });
  });
});

describe("over WebSockets, a handler that does not stop", () => {
  async function serve(stubborn: Stubborn, options: Partial<WebSocketPort> = {}): Promise<WebSocketListener> {
    const serving = await serveWebSocket(stubborn.server, { port: 0, authenticate: byName, ...options });
    onTestFinished(() => serving.close());
    return serving;
  }

  const open = ({ url }: WebSocketListener, headers: Record<string, string>): Promise<FrameClient> =>
    FrameClient.open(url, { headers });

  test("keeps the place of its caller when it is cancelled and when the connection ends, on all connections", async () => {
    const stubborn = createStubborn();
    const serving = await serve(stubborn, { maxInFlightPerClient: 3 });
    const one = await open(serving, ADA);
    one.call(1, "stubborn");
    one.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    one.call(2, "stubborn");
    await stubborn.hasRunning(2);
    one.socket.close();
    await stubborn.hasAborted(2);
    const two = await open(serving, ADA);
    two.call(3, "stubborn");
    await stubborn.hasRunning(3);
    const three = await open(serving, ADA);
    three.call(4, "echo");
    expect(await three.response(4)).toMatchObject({
      error: { code: -32603, message: expect.stringMatching(/limit 3.*cancelled/s) },
    });
    const bob = await open(serving, BOB);
    bob.call(5, "echo");
    expect(await bob.response(5)).toHaveProperty("result");
    await stubborn.release();
    three.call(6, "echo");
    expect(await three.response(6)).toHaveProperty("result");
  });

  test("counts for the limit of the endpoint when nobody knows whose it is, and the connection has ended", async () => {
    const stubborn = createStubborn();
    const serving = await serve(stubborn, { maxInFlight: 2, authenticate: undefined });
    for (const count of [1, 2]) {
      const client = await open(serving, {});
      client.call(1, "stubborn");
      await stubborn.hasRunning(count);
      client.socket.close();
      await stubborn.hasAborted(count);
    }
    const client = await open(serving, {});
    client.call(2, "echo");
    expect(await client.response(2)).toMatchObject({ error: { message: expect.stringContaining("limit 2") } });
    await stubborn.release();
    client.call(3, "echo");
    expect(await client.response(3)).toHaveProperty("result");
  });
});
