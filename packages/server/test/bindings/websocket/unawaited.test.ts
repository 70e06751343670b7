import { createServer, tool, type Context } from "@toolwire/server";
import { serveWebSocket, type WebSocketPort, type WebSocketListener } from "@toolwire/server/websocket";
import { describe, expect, onTestFinished, test } from "vitest";
import { FrameClient } from "./frame-client.ts";

const TICK = "notifications/x/tick";

/** Serves one tool, and collects what was thrown where nobody was there to catch it. */
async function serve(
  run: (ctx: Context) => Promise<string>,
  options: Partial<WebSocketPort> = {},
): Promise<{ serving: WebSocketListener; client: FrameClient; unhandled: unknown[] }> {
  const feed = tool({ run: (_args, ctx) => run(ctx) });
  const server = createServer({ name: "feeder", version: "1", onDiagnostic() {}, tools: { feed } });
  const serving = await serveWebSocket(server, { port: 0, ...options });
  onTestFinished(() => serving.close());
  const unhandled: unknown[] = [];
  const listener = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", listener);
  onTestFinished(() => void process.off("unhandledRejection", listener));
  return { serving, client: await FrameClient.open(serving.url), unhandled };
}

/** Sends notifications for as long as anybody wants them, and awaits none. */
async function keepFeeding(ctx: Context, size: number, sent: Promise<void>[]): Promise<string> {
  while (!ctx.signal.aborted) {
    sent.push(ctx.notify({ method: TICK, params: { text: "x".repeat(size) } }));
    await new Promise(setImmediate);
  }
  return "done";
}

describe("notifications that a handler does not await", () => {
  test("go nowhere while the connection of a client that does not read is ended", async () => {
    const sent: Promise<void>[] = [];
    let end: () => void = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const run = (ctx: Context): Promise<string> => keepFeeding(ctx, 100_000, sent).finally(end);
    const { client, unhandled } = await serve(run, { maxQueuedBytes: 2 * 1024 * 1024 });
    client.socket.pause();
    client.call(1, "feed");
    await ended;
    await Promise.all(sent);
    expect(unhandled).toEqual([]);
  });

  test("go nowhere while the server is closed", async () => {
    const sent: Promise<void>[] = [];
    const { serving, client, unhandled } = await serve((ctx) => keepFeeding(ctx, 1, sent), { closeTimeout: 1 });
    client.call(1, "feed");
    await client.until(() => client.messages.length > 0);
    // So that it says nothing to the end of the connection, either.
    client.socket.pause();
    await serving.close();
    await Promise.all(sent);
    expect(unhandled).toEqual([]);
  });

  test("do not end the process if they cannot be sent, which handlers that await them hear of", async () => {
    const { client, unhandled } = await serve(async (ctx) => {
      void ctx.notify({ method: TICK, params: { count: 1n } });
      await expect(ctx.notify({ method: TICK, params: { count: 2n } })).rejects.toThrow("BigInt");
      await new Promise(setImmediate);
      return "done";
    });
    client.call(1, "feed");
    expect(await client.response(1)).toMatchObject({ result: { content: [{ text: "done" }] } });
    expect(unhandled).toEqual([]);
  });
});
