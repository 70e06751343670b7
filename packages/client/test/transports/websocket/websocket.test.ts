import { AuthError, TransportError, UsageError } from "@toolwire/protocol";
import { createWebSocketChannel, type WebSocketOptions } from "@toolwire/client/websocket";
import { createServer, tool, type Server } from "@toolwire/server";
import {
  serveWebSocket,
  type WebSocketOptions as ServingOptions,
  type WebSocketListener,
} from "@toolwire/server/websocket";
import { build } from "esbuild";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from "node:net";
import { WebSocket as PlatformWebSocket } from "undici";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocketServer, type ServerOptions, type WebSocket } from "ws";
import { z } from "zod";
import { openSocket } from "../../../src/transports/websocket/open-global-socket.ts";
import { resolveSettings } from "../../../src/transports/websocket/create-channel.ts";
import { Peer } from "../stdio/peer.ts";
import { stopClock } from "../../stopped-clock.ts";
import { withResolvers } from "../../with-resolvers.ts";

function define(): Server {
  const held: (() => void)[] = [];
  return createServer({
    name: "fixture",
    version: "1.0.0",
    onDiagnostic() {},
    tools: {
      echo: tool({ description: "Says it back", input: z.object({ text: z.string() }), run: ({ text }) => text }),
      hold: tool({
        description: "Answers when released",
        input: z.object({ name: z.string() }),
        run: ({ name }) => new Promise<string>((resolve) => held.push(() => resolve(name))),
      }),
      release: tool({
        description: "Lets everything go that is held, in random order",
        run() {
          for (const each of held.splice(0).toSorted(() => Math.random() - 0.5)) each();
          return "released";
        },
      }),
    },
  });
}

async function serve(options: ServingOptions = {}): Promise<WebSocketListener> {
  const serving = await serveWebSocket(define(), { port: 0, ...options });
  onTestFinished(() => serving.close());
  return serving;
}

/** A server without any of the SDK, for everything that a good server does not do. */
async function misbehave(onConnection: (socket: WebSocket) => void, options: ServerOptions = {}): Promise<string> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, ...options });
  await once(server, "listening");
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  server.on("connection", (socket) => {
    socket.on("error", () => {});
    onConnection(socket);
  });
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function listen(server: TcpServer): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A signal that nobody aborts. */
const NEVER = new AbortController().signal;

/** A server that takes connections and says nothing; hands over the first of them. */
async function silentServer(): Promise<{ port: number; accepted: Promise<Socket> }> {
  const server = createTcpServer();
  const accepted = once(server, "connection").then(([socket]) => {
    (socket as Socket).on("error", () => {}).resume();
    return socket as Socket;
  });
  return { port: await listen(server), accepted };
}

/** Resolves when a socket has ended, in whichever way. */
function ended(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

async function failure(url: string, options: WebSocketOptions = {}): Promise<Error> {
  const opening = Promise.resolve(new Peer(createWebSocketChannel(url, options)).opened);
  return opening.then(
    () => expect.fail("the connection was opened"),
    (error: unknown) => error as Error,
  );
}

// The same rules hold for the `ws` library in Node and for the platform's own class, which browsers have.
describe.each(["ws", "global"] as const)("a connection by %s", (kind) => {
  if (kind === "global") {
    beforeEach(() => {
      vi.stubGlobal("WebSocket", PlatformWebSocket);
      vi.doMock("#open-socket", () => ({ openSocket }));
    });
    afterEach(() => {
      vi.doUnmock("#open-socket");
      vi.unstubAllGlobals();
    });
  }

  /** Loaded anew, so that the way to open sockets can be another. */
  async function connect(url: string, options: WebSocketOptions = {}): Promise<Peer> {
    vi.resetModules();
    const { createWebSocketChannel: create } = await import("../../../src/transports/websocket/index.ts");
    return Peer.open(create(url, options));
  }

  it("carries calls, and ends with code 1000", async () => {
    let code = 0;
    const url = await misbehave((socket) => {
      socket.on("message", (data) => {
        const { id } = JSON.parse((data as Buffer).toString()) as { id: number };
        socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: { protocol: socket.protocol } }));
      });
      socket.on("close", (given) => (code = given));
    });
    const peer = await connect(url);
    expect(await peer.caller.call("probe", {})).toEqual({ protocol: "mcp" });
    await peer.close();
    expect(await peer.closed).toBeUndefined();
    await expect.poll(() => code).toBe(1000);
  });

  it("matches ten thousand answers that come in random order", async () => {
    const { url } = await serve();
    const peer = await connect(url);
    const calls = Array.from({ length: 10_000 }, (_, index) => peer.callTool("hold", { name: `call ${index}` }));
    await peer.callTool("release");
    expect(await Promise.all(calls)).toEqual(calls.map((_, index) => `call ${index}`));
    expect(peer.violations).toEqual([]);
  }, 60_000);

  it("carries messages of many megabytes", async () => {
    const { url } = await serve({ maxMessageBytes: 64 * 1024 * 1024 });
    const peer = await connect(url);
    const text = "0123456789abcdeö".repeat(300_000);
    const echoes = await Promise.all([1, 2, 3].map(() => peer.callTool("echo", { text })));
    expect(echoes.every((echo) => echo === text)).toBe(true);
  }, 60_000);

  it("says that the server went away, and can be opened again", async () => {
    const serving = await serve();
    const peer = await connect(serving.url);
    await serving.close();
    expect(await peer.closed).toMatchObject({ code: "CONNECTION_LOST", message: expect.stringContaining("1001") });
    const { url } = await serve();
    const again = await connect(url);
    expect(await again.callTool("echo", { text: "back" })).toBe("back");
  });

  it.each([
    [1008, "CONNECTION_LOST"],
    [1009, "OVERLOADED"],
    [1011, "CONNECTION_LOST"],
    [1013, "OVERLOADED"],
  ] as const)("fails pending calls with the meaning of code %i", async (code, expected) => {
    const url = await misbehave((socket) => socket.on("message", () => socket.close(code, "because")));
    const peer = await connect(url);
    const calling = peer.caller.call("probe", {});
    await expect(calling).rejects.toMatchObject({ code: expected });
    await expect(calling).rejects.toThrow(`(${code}, "because")`);
  });

  it("fails pending calls when the connection breaks", async () => {
    const url = await misbehave((socket) => socket.on("message", () => socket.terminate()));
    const peer = await connect(url);
    await expect(peer.caller.call("probe", {})).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  });

  it("ends the connection at a message above the limit, so that nobody waits in vain", async () => {
    let code = 0;
    const url = await misbehave((socket) => {
      socket.on("message", () => socket.send(JSON.stringify("x".repeat(10_000))));
      socket.on("close", (given) => (code = given));
    });
    const peer = await connect(url, { maxMessageBytes: 1000 });
    await expect(peer.caller.call("probe", {})).rejects.toMatchObject({ code: "OVERLOADED" });
    await expect.poll(() => code).toBe(kind === "ws" ? 1009 : 4009);
  });

  it("ends the connection at a binary frame", async () => {
    let code = 0;
    const url = await misbehave((socket) => {
      socket.on("message", () => socket.send(Buffer.from("{}")));
      socket.on("close", (given) => (code = given));
    });
    const peer = await connect(url);
    await expect(peer.caller.call("probe", {})).rejects.toMatchObject({ code: "INVALID_MESSAGE" });
    await expect.poll(() => code).toBe(kind === "ws" ? 1003 : 4003);
  });

  it("reports garbage, answers none of it, and goes on", async () => {
    const received: string[] = [];
    const url = await misbehave((socket) => {
      for (const text of ["garbage", "{}", "[]", '{"jsonrpc":"2.0","id":99,"result":{}}']) socket.send(text);
      socket.on("message", (data) => {
        received.push((data as Buffer).toString());
        socket.send('{"jsonrpc":"2.0","id":1,"result":{}}');
      });
    });
    const peer = await connect(url);
    await peer.caller.call("probe", {});
    expect(received).toHaveLength(1);
    expect(peer.violations).toHaveLength(4);
  });

  it("says that there is nobody at the other end", async () => {
    const port = await listen(createTcpServer());
    const free = createTcpServer();
    const closedPort = await listen(free);
    free.close();
    await once(free, "close");
    await expect(connect(`ws://127.0.0.1:${closedPort}/ws`)).rejects.toMatchObject({ code: "CONNECT_FAILED" });
    // A peer that takes the connection and never says a word.
    await expect(connect(`ws://127.0.0.1:${port}/ws`, { openTimeout: 50 })).rejects.toMatchObject({
      code: "CONNECT_FAILED",
    });
  });
});

describe("in Node", () => {
  it("a WebSocket in Node sends headers, and tells what the server says to a refusal", async () => {
    const { url } = await serve({
      authenticate({ header }) {
        if (header("authorization") === undefined) throw new AuthError("UNAUTHORIZED", "show me a token");
        if (header("authorization") !== "Bearer secret") throw new AuthError("FORBIDDEN", "not that one");
        return { id: "me" };
      },
    });
    const anonymous = await failure(url);
    expect(anonymous).toBeInstanceOf(AuthError);
    expect(anonymous).toMatchObject({ code: "UNAUTHORIZED", message: expect.stringContaining("show me a token") });
    expect(await failure(url, { headers: { authorization: "Bearer guess" } })).toMatchObject({ code: "FORBIDDEN" });
    const peer = await Peer.open(createWebSocketChannel(url, { headers: { authorization: "Bearer secret" } }));
    expect(await peer.callTool("echo", { text: "in" })).toBe("in");
  });

  it.each([
    ["Headers", new Headers({ authorization: "Bearer secret" })],
    ["pairs", [["authorization", "Bearer secret"]] as const],
    ["a function that returns Headers", () => new Headers({ authorization: "Bearer secret" })],
    ["a promise of an object", async () => ({ authorization: "Bearer secret" })],
  ])("a WebSocket in Node sends headers that are given as %s", async (_, headers) => {
    const { url } = await serve({
      authenticate({ header }) {
        if (header("authorization") !== "Bearer secret") throw new AuthError("FORBIDDEN", "not that one");
        return { id: "me" };
      },
    });
    const peer = await Peer.open(createWebSocketChannel(url, { headers }));
    expect(await peer.callTool("echo", { text: "in" })).toBe("in");
  });

  it.each([
    ["a token", "Bearer secret"],
    ["null", null],
    ["lines", ["authorization: Bearer secret"]],
    ["a function that returns another", () => () => ({})],
  ])("refuses headers that are %s, and does not repeat them", async (_, headers) => {
    const { url } = await serve();
    expect(await failure(url, { headers } as unknown as WebSocketOptions)).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(/^`headers` must be an object(?!.*secret)/) as string,
    });
  });

  it("a WebSocket in Node can be closed while its headers are looked for, and opens no connection then", async () => {
    const channel = createWebSocketChannel("ws://127.0.0.1:9/", { headers: () => new Promise(() => {}) });
    const opening = channel.open({ message() {}, batch() {}, malformed() {}, closed() {} });
    await channel.close();
    await expect(opening).rejects.toMatchObject({ code: "CLOSED" });
  });

  it("explains what answered in place of a WebSocket server", async () => {
    const { url } = await serve();
    expect(await failure(url.replace("/ws", "/mcp"))).toMatchObject({
      code: "CONNECT_FAILED",
      message: expect.stringContaining("404"),
    });
    const http = createHttpServer((_, response) => void response.end("a web page"));
    const port = await listen(http);
    expect(await failure(`ws://127.0.0.1:${port}/`)).toMatchObject({
      code: "CONNECT_FAILED",
      message: expect.stringContaining("a web page"),
    });
  });

  it("wants the subprotocol", async () => {
    const url = await misbehave(() => {}, { handleProtocols: () => false });
    expect(await failure(url)).toMatchObject({
      code: "CONNECT_FAILED",
      message: expect.stringContaining("subprotocol"),
    });
  });

  it("gives up on a server that shows no sign of life, and keeps one that does", async () => {
    const dead = await misbehave(() => {}, { autoPong: false });
    const peer = await Peer.open(createWebSocketChannel(dead, { keepAliveInterval: 50 }));
    await expect(peer.caller.call("probe", {})).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    let pings = 0;
    const alive = await misbehave((socket) => {
      socket.on("ping", () => {
        pings += 1;
        if (pings === 4) socket.send('{"jsonrpc":"2.0","id":1,"result":{}}');
      });
    });
    const other = await Peer.open(createWebSocketChannel(alive, { keepAliveInterval: 50 }));
    expect(await other.caller.call("probe", {})).toEqual({});
  });

  it("queues no pongs for a server that sends pings and reads nothing, and answers the latest", async () => {
    const pongs: string[] = [];
    const count = 20_000;
    const url = await misbehave((socket) => {
      socket.on("pong", (data) => pongs.push(data.toString()));
      socket.pause();
      for (let sent = 1; sent <= count; sent += 1) socket.ping(String(sent));
      socket.ping("last", undefined, () => socket.resume());
    });
    await Peer.open(createWebSocketChannel(url));
    await expect.poll(() => pongs.at(-1)).toBe("last");
    expect(pongs.length).toBeLessThan(count / 2);
  });

  it("a WebSocket in Node ends the connection when too much waits for a server that does not read", async () => {
    const url = await misbehave((socket) => socket.pause());
    const peer = await Peer.open(createWebSocketChannel(url, { maxQueuedBytes: 2_000_000 }));
    const calls = Array.from({ length: 200 }, () => peer.caller.call("probe", { text: "x".repeat(100_000) }));
    for (const outcome of await Promise.allSettled(calls)) expect(outcome.status).toBe("rejected");
    expect(await peer.closed).toMatchObject({ code: "OVERLOADED" });
  });

  it.each([
    { maxMessageBytes: Number.NaN },
    { maxQueuedBytes: 0 },
    { keepAliveInterval: -1 },
    { keepAliveInterval: 0 },
  ])("refuses %o", (options) => {
    expect(() => createWebSocketChannel("ws://127.0.0.1:1", options)).toThrow(UsageError);
  });

  it("a WebSocket in Node leaves no connection behind that is given up while it is being opened", async () => {
    const { port, accepted } = await silentServer();
    const channel = createWebSocketChannel(`ws://127.0.0.1:${port}`);
    const opening = Promise.resolve(new Peer(channel).opened);
    const gone = accepted.then(ended);
    await accepted;
    await channel.close();
    await expect(opening).rejects.toBeInstanceOf(Error);
    await gone;
  });

  it("a WebSocket in Node leaves none behind that is given up while the server explains its refusal", async () => {
    const { port, accepted } = await silentServer();
    const channel = createWebSocketChannel(`ws://127.0.0.1:${port}`);
    const opening = Promise.resolve(new Peer(channel).opened);
    const socket = await accepted;
    const gone = ended(socket);
    socket.write("HTTP/1.1 401 No\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n");
    await channel.close();
    await expect(opening).rejects.toBeInstanceOf(Error);
    await gone;
  });

  it("gives up on a server that sends nothing but noise, of which it tells the beginning", async () => {
    stopClock();
    const gone = withResolvers<void>();
    const url = await misbehave((socket) => {
      socket.on("close", () => gone.resolve());
      socket.on("message", () => {
        for (let count = 0; count < 100_000; count++) socket.send("y");
      });
    });
    const peer = await Peer.open(createWebSocketChannel(url));
    await expect(peer.callTool("any")).rejects.toMatchObject({ code: "OVERLOADED" });
    await expect(peer.closed).resolves.toMatchObject({ code: "OVERLOADED" });
    expect(peer.violations).toHaveLength(10);
    await gone.promise;
  });

  it("passes on the challenge of a server that wants credentials", async () => {
    const { port, accepted } = await silentServer();
    const opening = Promise.resolve(new Peer(createWebSocketChannel(`ws://127.0.0.1:${port}`)).opened);
    (await accepted).end("HTTP/1.1 401 No\r\nwww-authenticate: Bearer\r\ncontent-length: 0\r\n\r\n");
    await expect(opening).rejects.toMatchObject({ code: "UNAUTHORIZED", challenge: "Bearer" });
  });

  it("refuses to send when it is closed", async () => {
    const { url } = await serve();
    const channel = createWebSocketChannel(url);
    expect(() => channel.send({ jsonrpc: "2.0", method: "x" })).toThrow(TransportError);
    const peer = await Peer.open(channel);
    await peer.close();
    expect(() => channel.send({ jsonrpc: "2.0", method: "x" })).toThrow(TransportError);
  });
});

describe("in browsers", () => {
  it("a WebSocket in browsers cannot send headers, and says so", async () => {
    const events = { text() {}, binary() {}, drained() {}, closed() {} };
    const settings = { ...resolveSettings({}), headers: { a: "b" }, clear: (text: string) => text };
    const opening = openSocket(new URL("ws://127.0.0.1:1"), events, settings, NEVER);
    await expect(opening).rejects.toBeInstanceOf(UsageError);
  });

  it("wants the subprotocol, also of browsers that do without it", async () => {
    const Lenient = class extends PlatformWebSocket {
      override get protocol(): string {
        return "";
      }
    };
    vi.stubGlobal("WebSocket", Lenient);
    onTestFinished(() => void vi.unstubAllGlobals());
    const gone = withResolvers<void>();
    const url = await misbehave((socket) => socket.on("close", () => gone.resolve()));
    const closed = vi.fn();
    const events = { text() {}, binary() {}, drained() {}, closed };
    const opening = openSocket(
      new URL(url),
      events,
      { ...resolveSettings({}), headers: {}, clear: (text: string) => text },
      NEVER,
    );
    await expect(opening).rejects.toMatchObject({
      code: "CONNECT_FAILED",
      message: expect.stringContaining("subprotocol") as string,
    });
    await gone.promise;
    expect(closed).not.toHaveBeenCalled();
  });

  it("a WebSocket in browsers cannot open every address, says so by an error with a code, and does not repeat the address", async () => {
    vi.stubGlobal("WebSocket", PlatformWebSocket);
    onTestFinished(() => void vi.unstubAllGlobals());
    const events = { text() {}, binary() {}, drained() {}, closed() {} };
    const settings = { ...resolveSettings({}), headers: {}, clear: (text: string) => text };
    const opening = openSocket(new URL("ws://127.0.0.1:1/#secret"), events, settings, NEVER);
    await expect(opening).rejects.toMatchObject({
      name: "UsageError",
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(/^(?!.*secret).*cannot use this URL: SyntaxError/) as string,
    });
  });

  it("a WebSocket in browsers leaves no connection behind that is given up while it is being opened", async () => {
    vi.stubGlobal("WebSocket", PlatformWebSocket);
    onTestFinished(() => void vi.unstubAllGlobals());
    const { port, accepted } = await silentServer();
    const events = { text() {}, binary() {}, drained() {}, closed() {} };
    const stop = new AbortController();
    const settings = { ...resolveSettings({}), headers: {}, clear: (text: string) => text };
    const opening = openSocket(new URL(`ws://127.0.0.1:${port}`), events, settings, stop.signal);
    const gone = accepted.then(ended);
    await accepted;
    stop.abort();
    await expect(opening).rejects.toMatchObject({ code: "CONNECT_FAILED" });
    await gone;
  });

  it("a WebSocket in browsers needs neither Node nor a library", async () => {
    const { metafile, outputFiles } = await build({
      entryPoints: [new URL("../../../src/transports/websocket/index.ts", import.meta.url).pathname],
      bundle: true,
      format: "esm",
      platform: "browser",
      conditions: ["@toolwire/source"],
      metafile: true,
      minify: true,
      write: false,
    });
    const { inputs } = Object.values(metafile.outputs)[0]!;
    const used = Object.keys(inputs).filter((path) => inputs[path]!.bytesInOutput > 0);
    expect(used.filter((path) => path.includes("node_modules") || path.includes("open-ws-socket"))).toEqual([]);
    expect(used.some((path) => path.includes("open-global-socket"))).toBe(true);
    expect(outputFiles[0]?.text).not.toContain("node:");
  });
});

it.each([
  ["a header value that HTTP cannot carry", "ws://127.0.0.1:1/", { authorization: "Bearer se\ncret" }],
  ["a header name that HTTP does not know", "ws://127.0.0.1:1/", { "a b": "secret" }],
  ["a fragment in the URL", "ws://127.0.0.1:1/#secret", {}],
])("%s is refused as what it is, and not repeated", async (_, url, headers) => {
  const channel = createWebSocketChannel(url, { headers });
  const opening = channel.open({ message() {}, batch() {}, malformed() {}, closed() {} });
  await expect(opening).rejects.toMatchObject({
    name: "UsageError",
    code: "INVALID_ARGUMENT",
    message: expect.not.stringContaining("cret") as string,
  });
});
