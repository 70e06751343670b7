import {
  connect,
  TransportError,
  type Channel,
  type Client,
  type ClientOptions,
  type Outgoing,
} from "@toolwire/client";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocketServer } from "ws";
import { describe, expect, onTestFinished, test } from "vitest";
import { modernServer, SILENCE, type ScriptedServer } from "../scripted-server.ts";
import { scriptedProcess } from "../transports/stdio/scripted-process.ts";
import { withResolvers } from "../with-resolvers.ts";

const QUICK: ClientOptions = { reconnect: { delay: 1, maxDelay: 2 }, onDiagnostic: () => {} };
const DISCOVERY = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };

/** More attempts than any application makes within a turn of the event loop. */
const TOO_MANY = 5000;

/** Calls again at once whenever a call fails, as simple applications do. Resolves to the number of attempts. */
async function insist(client: Client, tool: string): Promise<number> {
  let attempts = 0;
  let isAnswered = false;
  while (!isAnswered && attempts < TOO_MANY) {
    attempts += 1;
    isAnswered = await client.callTool(tool).then(
      () => true,
      () => false,
    );
  }
  return attempts;
}

/** Calls a client that can only fail, until a timer has run. Resolves to what the last call failed with. */
async function callUntilTimerRuns(client: Client): Promise<unknown> {
  const timer = { hasRun: false };
  setTimeout(() => (timer.hasRun = true), 1);
  let failure: unknown;
  for (let attempts = 0; !timer.hasRun; attempts++) {
    if (attempts > TOO_MANY) throw new Error("No timer runs while calls are made.");
    failure = await client.callTool("a").catch((error: unknown) => error);
  }
  return failure;
}

/**
 * A program that stops reading its input when it is told to, but lives on and answers what it was asked before. Started again, it
 * is a good server.
 */
async function breakingProgram() {
  const directory = await mkdtemp(join(tmpdir(), "toolwire-broken-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const marker = JSON.stringify(join(directory, "started"));
  const answer = `({ method, id, params }) => {
    if (method === "server/discover") return ${JSON.stringify(DISCOVERY)};
    const result = { resultType: "complete", content: [{ type: "text", text: params.name }] };
    if (params.name !== "break" || hasStartedBefore) return result;
    // Only when the client has noticed, by what it has tried to write since.
    const answerLater = () => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
    closeSync(0);
    setTimeout(answerLater, 300);
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/broken" }) + "\\n");
  }`;
  const extra = `
    const { closeSync, existsSync, writeFileSync } = require("node:fs");
    const hasStartedBefore = existsSync(${marker});
    writeFileSync(${marker}, "");
    setInterval(() => {}, 60_000);
  `;
  const { command, args = [] } = scriptedProcess(answer, extra);
  return { command, args, stderr: "ignore", stopTimeout: 100 } as const;
}

describe("a program that reads nothing any more", () => {
  /** Connects, and resolves when the program has stopped to read. The call that made it do so is still to be answered. */
  async function broken() {
    const noticed = withResolvers<void>();
    const client = await connect(await breakingProgram(), {
      ...QUICK,
      onNotification({ method }) {
        if (method === "notifications/broken") noticed.resolve();
      },
    });
    onTestFinished(() => client.close());
    const last = client.callTool("break");
    await noticed.promise;
    // The first is taken by the pipe, which breaks of it, and is lost. The next turns of the event loop tell.
    const first = client.callTool("first");
    first.catch(() => {});
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    return { client, last };
  }

  test("is heard to its last words, while new calls wait for the one that takes its place", async () => {
    const { client, last } = await broken();
    const calls = Array.from({ length: 10 }, (_, index) => client.callTool(`call ${index}`));
    await expect(last).resolves.toMatchObject({ content: [{ text: "break" }] });
    const answers = await Promise.all(calls);
    expect(answers.map(({ content }) => content)).toEqual(
      calls.map((_, index) => [{ type: "text", text: `call ${index}` }]),
    );
  });

  test("does not keep an application that insists from all else", async () => {
    const { client, last } = await broken();
    last.catch(() => {});
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    onTestFinished(() => clearInterval(timer));
    expect(await insist(client, "insisted")).toBeLessThan(10);
    expect(turns).toBeGreaterThan(0);
  });
});

const refusal = new TransportError("CLOSED", "Nothing more can be sent here.");

/** A channel that refuses messages as long as this is so. */
function refusing(channel: Channel, isRefused: (message: Outgoing) => boolean): Channel {
  return {
    ...channel,
    send(message) {
      if (isRefused(message)) throw refusal;
      return channel.send(message);
    },
  };
}

/** Servers that are made anew for each connection, and what connects to them. The first takes messages until it is full. */
function fillable() {
  const servers: ScriptedServer[] = [];
  const state = { isFull: false };
  const target = (): Channel => {
    const server = modernServer({
      "tools/call": ({ name }) => (name === "hang" ? SILENCE : { content: [{ type: "text", text: String(name) }] }),
    });
    servers.push(server);
    return servers.length === 1 ? refusing(server.channel, () => state.isFull) : server.channel;
  };
  return { target, servers, state };
}

describe("a channel of one's own that takes no more messages", () => {
  test("is replaced, though it never says that it has ended, and what it did not take is sent again", async () => {
    const { target, servers, state } = fillable();
    const client = await connect(target, QUICK);
    onTestFinished(() => client.close());
    const pending = client.callTool("hang");
    await servers[0]!.arrival((message) => "method" in message && message.method === "tools/call");
    state.isFull = true;
    const lost = expect(pending).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    await expect(client.callTool("a")).resolves.toMatchObject({ content: [{ text: "a" }] });
    await client.notify("notifications/custom");
    await lost;
    expect(servers).toHaveLength(2);
    expect(servers[1]!.notifications("notifications/custom")).toHaveLength(1);
  });

  test("sends a notification again that it did not take", async () => {
    const { target, servers, state } = fillable();
    const client = await connect(target, QUICK);
    onTestFinished(() => client.close());
    state.isFull = true;
    await client.notify("notifications/custom", { n: 1 });
    expect(servers[1]!.notifications("notifications/custom")).toMatchObject([{ params: { n: 1 } }]);
  });

  test("fails calls with the word that nothing was sent if it cannot be replaced, and lets timers run", async () => {
    const state = { isFull: false };
    const client = await connect(
      refusing(modernServer().channel, () => state.isFull),
      QUICK,
    );
    onTestFinished(() => client.close());
    state.isFull = true;
    const failure = await client.callTool("a").catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "CONNECTION_LOST" });
    expect((failure as Error).message).toContain("was not sent");
    expect(await callUntilTimerRuns(client)).toMatchObject({ code: "CONNECTION_LOST" });
  });

  test("does not have calls sent again without end if it takes none each time it is opened", async () => {
    let connections = 0;
    const target = (): Channel => {
      connections++;
      return refusing(modernServer().channel, (message) => "method" in message && message.method === "tools/call");
    };
    const client = await connect(target, { ...QUICK, reconnect: { attempts: 100, delay: 1, maxDelay: 2 } });
    onTestFinished(() => client.close());
    const failure = await client.callTool("a").catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "CONNECTION_LOST" });
    expect((failure as Error).message).toContain("was not sent");
    expect(connections).toBeLessThan(6);
  });
});

test("a closed client lets timers run, even if it is called again and again", async () => {
  const client = await connect(modernServer().channel, QUICK);
  await client.close();
  expect(await callUntilTimerRuns(client)).toMatchObject({ code: "CLOSED" });
});

test("a WebSocket server that begins to close and never ends does not swallow calls", async () => {
  const sockets: Socket[] = [];
  const server = new WebSocketServer({ noServer: true, handleProtocols: ([first]) => first ?? false });
  const upgrading = createServer();
  upgrading.on("upgrade", (request, socket, head) => {
    sockets.push(socket as Socket);
    server.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on("message", (data: Buffer) => {
        const { id, method, params } = JSON.parse(data.toString()) as {
          id: number;
          method: string;
          params: { name: string };
        };
        if (method === "notifications/cancelled") return;
        const called = { resultType: "complete", content: [{ type: "text", text: params.name }] };
        const result = method === "server/discover" ? DISCOVERY : called;
        webSocket.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
      });
    });
  });
  upgrading.listen(0, "127.0.0.1");
  await once(upgrading, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    upgrading.close();
  });
  const client = await connect(`ws://127.0.0.1:${(upgrading.address() as AddressInfo).port}`, QUICK);
  onTestFinished(() => client.close());
  await expect(client.callTool("a")).resolves.toMatchObject({ content: [{ text: "a" }] });
  // A close frame (RFC 6455, section 5.5.1), behind which the server keeps the connection open.
  sockets[0]!.removeAllListeners("data");
  const replied = once(sockets[0]!, "data");
  sockets[0]!.write(Uint8Array.from([0x88, 0x02, 0x03, 0xe9]));
  await replied;
  await expect(client.callTool("b", {}, { timeout: 20_000 })).resolves.toMatchObject({ content: [{ text: "b" }] });
  expect(sockets).toHaveLength(2);
});
