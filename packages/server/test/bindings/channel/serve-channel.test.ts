import {
  createMemoryChannels,
  type Channel,
  type ChannelReceiver,
  type Message,
  type Outgoing,
} from "@toolwire/protocol";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { serveChannel, type ServedChannel } from "../../../src/bindings/channel/index.ts";
import { createServer, tool, type ServerDiagnostic, type Server } from "../../../src/index.ts";
import { MODERN_META, toolCall } from "../../raw-peer.ts";
import { openWire } from "../../wire.ts";
import { defer, LegacyClient, WireClient, ModernClient, type Deferred, type Json } from "../../wire-client.ts";

let gate: Deferred<void> = defer();
const started: string[] = [];
const server = createServer({
  name: "channel",
  version: "1",
  onDiagnostic: () => {},
  tools: {
    echo: tool({ input: z.object({ text: z.string() }), run: ({ text }) => text }),
    wait: tool({
      async run() {
        started.push("wait");
        await gate.promise;
        return "waited";
      },
    }),
    forever: tool({ run: async () => new Promise<never>(() => {}) }),
    who: tool({ run: (_args, ctx) => `${ctx.principal?.id} ${ctx.header("X-Trace")}` }),
  },
});

describe("serveChannel", () => {
  test("serves any number of connections from one definition, and keeps them apart", async () => {
    const clients = Array.from({ length: 50 }, () => new ModernClient(server));
    const answers = await Promise.all(
      clients.flatMap((client, n) =>
        Array.from({ length: 20 }, (_, m) => client.callTool("echo", { text: `${n}/${m}` })),
      ),
    );
    expect(answers.map(({ content }) => content[0].text)).toStrictEqual(
      clients.flatMap((_, n) => Array.from({ length: 20 }, (_unused, m) => `${n}/${m}`)),
    );
    for (const client of clients) expect(client.received).toHaveLength(20);
  });

  test("answers out of order, as handlers finish", async () => {
    gate = defer();
    const client = new ModernClient(server);
    const slow = client.callTool("wait");
    await client.callTool("echo", { text: "first" });
    gate.resolve();
    expect((await slow).content[0].text).toBe("waited");
  });

  test("hands on what the binding knows of the connection", async () => {
    const client = new ModernClient(server, {
      principal: { id: "anna" },
      header: (name) => (name === "x-trace" ? "t1" : undefined),
    });
    expect((await client.callTool("who")).content[0].text).toBe("anna t1");
  });

  test("close lets what is in the works finish", async () => {
    gate = defer();
    const client = new ModernClient(server);
    const answer = client.callTool("wait");
    await client.request("tools/list");
    const closing = client.served.close();
    gate.resolve();
    await closing;
    expect((await answer).content[0].text).toBe("waited");
    await client.served.close();
  });

  test("close does not wait beyond the deadline", async () => {
    const client = new ModernClient(server, { closeTimeout: 1 });
    client.start("tools/call", { name: "forever" });
    await client.request("tools/list");
    await client.served.close();
    await expect(client.served.closed).resolves.toBeUndefined();
  });

  test("more requests than may be in the works are refused, and the rest goes on", async () => {
    gate = defer();
    const client = new ModernClient(server, { maxInFlight: 2 });
    const two = [client.callTool("wait"), client.callTool("wait")];
    await expect(client.callTool("wait")).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("limit 2"),
    });
    gate.resolve();
    await Promise.all(two);
    expect((await client.callTool("echo", { text: "a" })).content[0].text).toBe("a");
  });

  test("an id that is in use is refused, and the request that uses it is not disturbed", async () => {
    gate = defer();
    const client = new ModernClient(server);
    const first = client.start("tools/call", { name: "wait" }, "same");
    await client.request("tools/list");
    client.send({ jsonrpc: "2.0", id: "same", method: "tools/list", params: { _meta: client.meta() } });
    await expect(first.response).rejects.toMatchObject({ code: -32600 });
    gate.resolve();
    await client.until(() => client.received.some((message) => "result" in message && "content" in message.result));
  });

  test("a channel that cannot be opened is reported, and counts as closed", async () => {
    const events: ServerDiagnostic[] = [];
    const reporting = createServer({ name: "r", version: "1", onDiagnostic: (event) => events.push(event) });
    const channel: Channel = {
      open: () => Promise.reject(new Error("no such port")),
      send: () => {},
      close: async () => {},
    };
    await serveChannel(reporting, channel).closed;
    expect(events[0]).toMatchObject({ level: "error", error: new Error("no such port") });
  });

  test("a channel that breaks is reported, and its session ends", async () => {
    const events: ServerDiagnostic[] = [];
    const reporting = createServer({ name: "r", version: "1", onDiagnostic: (event) => events.push(event) });
    let receiver: ChannelReceiver | undefined;
    const channel: Channel = {
      open(given) {
        receiver = given;
      },
      send: () => {},
      close: async () => {},
    };
    const served = serveChannel(reporting, channel);
    receiver?.closed(new Error("cable cut"));
    await served.closed;
    expect(events).toMatchObject([{ level: "info", message: expect.stringContaining("cable cut") }]);
  });

  test("results that JSON cannot hold are an error, and the connection goes on", async () => {
    const odd = createServer({
      name: "o",
      version: "1",
      onDiagnostic: () => {},
      tools: {
        bigint: tool({ run: () => ({ content: [], structuredContent: 1n }) as never }),
        circular: tool({
          output: z.any(),
          run() {
            const loop: { self?: unknown } = {};
            loop.self = loop;
            return loop;
          },
        }),
        nothing: tool({ output: z.any(), run: () => undefined }),
        nonsense: tool({ run: () => 12 as never }),
      },
    });
    const [near, far] = createMemoryChannels();
    serveChannel(odd, {
      open: (receiver) => far.open(receiver),
      close: () => far.close(),
      send(message) {
        // As bindings with a wire do, this one serialises what it sends.
        JSON.stringify(message);
        return far.send(message);
      },
    });
    const answers: Message[] = [];
    const all = defer();
    void near.open({
      message(message) {
        answers.push(message);
        if (answers.length === 4) all.resolve();
      },
      batch: () => {},
      malformed: () => {},
      closed: () => {},
    });
    for (const [id, name] of ["bigint", "circular", "nothing", "nonsense"].entries()) {
      void near.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name } });
    }
    await all.promise;
    const failed = answers.map((answer) => "error" in answer || ("result" in answer && "isError" in answer.result));
    expect(failed).toStrictEqual([true, true, true, true]);
  });
});

describe("a slow client", () => {
  test("gets each change once, however often things change while it does not read", async () => {
    const changing = createServer({ name: "c", version: "1", tools: {}, resources: {} });
    const sent: Json[] = [];
    const reads: Deferred<void>[] = [];
    let receiver: ChannelReceiver | undefined;
    const channel: Channel = {
      open(given) {
        receiver = given;
      },
      send(message) {
        sent.push(message);
        const slow = defer();
        reads.push(slow);
        return slow.promise;
      },
      close: async () => {},
    };
    serveChannel(changing, channel);
    const meta = new ModernClient(changing).meta();
    receiver?.message({
      jsonrpc: "2.0",
      id: 1,
      method: "subscriptions/listen",
      params: { _meta: meta, notifications: { toolsListChanged: true, resourceSubscriptions: ["a://1", "a://2"] } },
    });
    const turn = async (): Promise<void> => {
      for (let n = 0; n < 5; n += 1) await Promise.resolve();
    };
    for (let n = 0; n < 100; n += 1) {
      changing.tools.add(`t${n}`, tool({ run: () => "" }));
      changing.resources.updated("a://1");
      changing.resources.updated("a://2");
      await turn();
    }
    expect(sent.map(({ method }) => method)).toStrictEqual([
      "notifications/subscriptions/acknowledged",
      "notifications/tools/list_changed",
    ]);
    for (let n = 0; n < 10; n += 1) {
      reads.at(-1)?.resolve();
      await turn();
    }
    expect(sent.slice(2).map(({ method, params }) => params.uri ?? method)).toStrictEqual([
      "a://1",
      "a://2",
      "notifications/tools/list_changed",
    ]);
  });

  test("misses progress and log messages instead of piling them up", async () => {
    const talking = createServer({
      name: "t",
      version: "1",
      tools: {
        talk: tool({
          async run(_args, ctx) {
            for (let n = 1; n <= 1000; n += 1) {
              ctx.progress(n);
              ctx.log("info", n);
            }
            return "done";
          },
        }),
      },
    });
    const sent: Outgoing[] = [];
    const answer = defer();
    let receiver: ChannelReceiver | undefined;
    serveChannel(talking, {
      open(given) {
        receiver = given;
      },
      send(message) {
        sent.push(message);
        if ("result" in message) answer.resolve();
        return new Promise<void>(() => {});
      },
      close: async () => {},
    });
    const meta = { ...new ModernClient(talking, { logLevel: "debug" }).meta(), progressToken: 1 };
    receiver?.message({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { _meta: meta, name: "talk" } });
    await answer.promise;
    expect(sent).toHaveLength(2);
  });
});

test("plain requests, legacy sessions and modern requests can share a process", async () => {
  const [plain, legacy, modern] = [
    new WireClient(server, "2025-11-25"),
    await LegacyClient.open(server),
    new ModernClient(server),
  ];
  for (const client of [plain, legacy, modern]) {
    const result = await client.request("tools/call", { name: "echo", arguments: { text: "hi" } });
    expect(result.content).toStrictEqual([{ type: "text", text: "hi" }]);
  }
});

describe("a connection that breaks with the first thing a handler says", () => {
  /** Serves a connection that is closed as soon as a notification is to be sent. */
  function serveFragile(target: Server): { client: Socket; served: ServedChannel } {
    const wire = openWire();
    let receiver: ChannelReceiver | undefined;
    const channel: Channel = {
      open(given) {
        receiver = given;
        return wire.server.open(given);
      },
      send(message) {
        if ("method" in message) receiver?.closed();
        else return wire.server.send(message);
      },
      close: () => wire.server.close(),
    };
    return { client: wire.client, served: serveChannel(target, channel, { principal: { id: "anna" } }) };
  }

  test("aborts the handler", async () => {
    const aborted = defer<unknown>();
    const says = tool({
      run(_args, { signal, notify }) {
        signal.addEventListener("abort", () => aborted.resolve(signal.reason));
        void notify({ method: "notifications/x" });
        return new Promise<never>(() => {});
      },
    });
    const { client } = serveFragile(createServer({ name: "f", version: "1", tools: { says } }));
    client.write(`${JSON.stringify(toolCall(1, "says"))}\n`);
    await expect(aborted.promise).resolves.toMatchObject({ message: expect.stringContaining("connection") });
  });

  test("ends the subscription that it acknowledges", async () => {
    const fragile = createServer({ name: "f", version: "1", tools: {}, maxSubscriptions: 1 });
    const params = { notifications: { toolsListChanged: true }, _meta: MODERN_META };
    const { client, served } = serveFragile(fragile);
    client.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params })}\n`);
    await served.closed;
    const other = new ModernClient(fragile, { principal: { id: "anna" } });
    other.start("subscriptions/listen", { notifications: { toolsListChanged: true } });
    const { params: accepted } = await other.notification("notifications/subscriptions/acknowledged");
    expect(accepted.notifications).toEqual({ toolsListChanged: true });
  });
});
