import { readFileSync } from "node:fs";
import type { Message } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createServer, tool } from "../../src/index.ts";
import { MODERN_META } from "../raw-peer.ts";
import { serveBus } from "./bus.ts";

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}

test("the bus in the README is the one that is tested here", () => {
  expect(read("../../README.md")).toContain(`\`\`\`ts\n${read("bus.ts")}\`\`\``);
});

/** A client at the other end of the bus: sees each message as JSON, and waits for those that it wants. */
function openBus() {
  const log: string[] = [];
  const server = createServer({
    name: "on-a-bus",
    version: "1",
    onDiagnostic() {},
    tools: {
      greet: tool({ run: () => "Hello" }),
      ask: tool({
        async run(_args, ctx) {
          const { name } = await ctx.elicit("name", { message: "Who?", schema: z.object({ name: z.string() }) });
          return `Hello, ${name}!`;
        },
      }),
      wait: tool({
        run: (_args, ctx) =>
          new Promise<string>((resolve) => {
            log.push("waiting");
            ctx.signal.addEventListener("abort", () => {
              log.push("aborted");
              resolve("too late");
            });
          }),
      }),
    },
  });
  const sent: Seen[] = [];
  const bus = serveBus(server, (message) => void sent.push(JSON.parse(JSON.stringify(message)) as Seen));
  const take = (message: object): void => bus.take({ jsonrpc: "2.0", ...message } as Message);
  return {
    server,
    bus,
    sent,
    log,
    take,
    async find(fits: (message: Seen) => boolean): Promise<Seen> {
      await expect.poll(() => sent.some(fits)).toBe(true);
      return sent.find(fits)!;
    },
    call: (id: number, name: string): void => take({ id, method: "tools/call", params: { name } }),
    async start(): Promise<void> {
      const clientInfo = { name: "test", version: "1" };
      const capabilities = { elicitation: {} };
      take({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities, clientInfo } });
      await expect.poll(() => sent).toMatchObject([{ id: 0, result: { protocolVersion: "2025-11-25" } }]);
      take({ method: "notifications/initialized" });
    },
  };
}

interface Seen {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number };
}

const isQuestion = ({ method }: Seen): boolean => method === "elicitation/create";

describe("the bus in the README", () => {
  test("answers legacy and modern requests of one client", async () => {
    const { start, take, call, find } = openBus();
    await start();
    call(1, "greet");
    take({ id: 2, method: "tools/call", params: { name: "greet", _meta: MODERN_META } });
    expect((await find(({ id }) => id === 1)).result).toEqual({ content: [{ type: "text", text: "Hello" }] });
    expect((await find(({ id }) => id === 2)).result).toMatchObject({ resultType: "complete" });
  });

  test("tells a client of changes once it has heard that the client is ready", async () => {
    const { server, start, find } = openBus();
    await start();
    server.tools.remove("greet");
    const change = await find(({ method }) => method?.endsWith("list_changed") === true);
    expect(change.method).toBe("notifications/tools/list_changed");
  });

  test("carries questions to the client, and the answers back", async () => {
    const { start, take, call, find } = openBus();
    await start();
    call(1, "ask");
    const { id } = await find(isQuestion);
    take({ id, result: { action: "accept", content: { name: "Ada" } } });
    expect((await find((message) => message.id === 1 && "result" in message)).result).toMatchObject({
      content: [{ text: "Hello, Ada!" }],
    });
  });

  test("cancels the work of a request, whose answer is then sent to nobody", async () => {
    const { start, take, call, log, sent, find } = openBus();
    await start();
    call(1, "wait");
    await expect.poll(() => log).toEqual(["waiting"]);
    take({ method: "notifications/cancelled", params: { requestId: 1, reason: "changed my mind" } });
    expect(log).toEqual(["waiting", "aborted"]);
    call(2, "greet");
    await find(({ id }) => id === 2);
    expect(sent.filter(({ id }) => id === 1)).toEqual([]);
  });

  test("takes a question back when the request that it is for is cancelled", async () => {
    const { start, take, call, find } = openBus();
    await start();
    call(1, "ask");
    const { id } = await find(isQuestion);
    take({ method: "notifications/cancelled", params: { requestId: 1 } });
    const cancelled = await find(({ method }) => method === "notifications/cancelled");
    expect(cancelled.params).toMatchObject({ requestId: id });
  });

  test("refuses an id that is in use, and goes on with the request that has it", async () => {
    const { start, call, find } = openBus();
    await start();
    call(1, "wait");
    call(1, "greet");
    expect((await find(({ id }) => id === 1)).error).toMatchObject({ code: -32600 });
  });

  test("stops all work for a client that is gone, and sends it nothing more", async () => {
    const { bus, start, call, log, sent, find } = openBus();
    await start();
    call(1, "wait");
    call(2, "ask");
    await find(isQuestion);
    await expect.poll(() => log).toEqual(["waiting"]);
    const count = sent.length;
    bus.gone();
    expect(log).toEqual(["waiting", "aborted"]);
    await new Promise(setImmediate);
    expect(sent).toHaveLength(count);
  });
});
