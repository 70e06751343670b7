import { AuthError, UsageError, type Message } from "@toolwire/protocol";
import { createServer, tool, type ServerDiagnostic, type Server } from "@toolwire/server";
import { serveWebSocket, type WebSocketPort, type WebSocketListener } from "@toolwire/server/websocket";
import { once } from "node:events";
import { createServer as createHttpServer, get, type IncomingMessage, type Server as HttpServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually, until } from "../../../../../test/eventually.ts";
import { WebSocket, WebSocketServer } from "ws";
import { defineChannelTools } from "../../channel-tools.ts";
import { MODERN_META, textOf, toolCall } from "../../raw-peer.ts";
import { FrameClient, refusal } from "./frame-client.ts";

interface Rig extends WebSocketListener {
  readonly cancelled: string[];
  readonly release: () => void;
  readonly diagnostics: ServerDiagnostic[];
  readonly server: Server;
}

function define(): { server: Server; cancelled: string[]; release: () => void; diagnostics: ServerDiagnostic[] } {
  const { tools, cancelled, release } = defineChannelTools();
  const diagnostics: ServerDiagnostic[] = [];
  const server = createServer({
    name: "fixture",
    version: "1.0.0",
    onDiagnostic: (event) => diagnostics.push(event),
    tools: {
      ...tools,
      whoami: tool({
        description: "Who is calling",
        run: (_args, { principal, header }) => `${principal?.id} with ${header("x-color")}`,
      }),
      look: tool({
        description: "Asks where it may look",
        run: async (_args, { roots }) => (await roots("where")).map(({ uri }) => uri).join(),
      }),
    },
  });
  return { server, cancelled, release, diagnostics };
}

async function serve(options: Partial<WebSocketPort> = {}): Promise<Rig> {
  const { server, cancelled, release, diagnostics } = define();
  const serving = await serveWebSocket(server, { port: 0, ...options });
  onTestFinished(() => serving.close());
  return Object.assign(serving, { cancelled, release, diagnostics, server });
}

const HANDSHAKE =
  "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mcp\r\n\r\n";

/** An HTTP server that endpoints can share. */
async function listening(): Promise<HttpServer> {
  const http = createHttpServer();
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => void http.close());
  return http;
}

/** The handshake by hand, for clients that then misbehave below the level of frames. */
async function openRaw({ port }: WebSocketListener): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  socket.write(HANDSHAKE);
  const [head] = (await once(socket, "data")) as [Buffer];
  expect(head.toString()).toMatch(/^HTTP\/1\.1 101 /);
  return socket;
}

/** The frame of a tool call as a client sends it, masked with zeros. */
function callFrame(id: number, name: string, args: object): Buffer {
  const payload = Buffer.from(JSON.stringify(toolCall(id, name, args)));
  const head = Buffer.alloc(8);
  head[0] = 0x81;
  head[1] = 0x80 | 126;
  head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

describe("connections", () => {
  it("listens on loopback at /ws and chooses the subprotocol", async () => {
    const { url, port } = await serve();
    expect(url).toBe(`ws://127.0.0.1:${port}/ws`);
    const client = await FrameClient.open(url);
    expect(client.socket.protocol).toBe("mcp");
    client.call(1, "echo", { text: "Grüße\n🌍" });
    expect(textOf(await client.response(1))).toBe("Grüße\n🌍");
  });

  it("accepts clients that name no subprotocol, and refuses those that name only others", async () => {
    const { url } = await serve();
    const client = await FrameClient.open(url, {}, []);
    expect(client.socket.protocol).toBe("");
    expect(await refusal(url, {}, ["graphql-ws", "mqtt"])).toMatchObject({ status: 400 });
    const other = await FrameClient.open(url, {}, ["graphql-ws", "mcp"]);
    expect(other.socket.protocol).toBe("mcp");
  });

  it("serves the legacy era on the same endpoint", async () => {
    const { url } = await serve();
    const client = await FrameClient.open(url);
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "old", version: "1" } };
    client.send({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    expect(await client.response(1)).toMatchObject({ result: { protocolVersion: "2025-06-18" } });
    client.socket.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    client.socket.send('{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
    expect(await client.response(2)).toMatchObject({ result: { tools: expect.arrayContaining([]) } });
  });

  it("refuses a connection for several hosts with a 400, although all are allowed", async () => {
    const { port } = await serve({ allowedHosts: ["*"] });
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(HANDSHAKE.replace("Host: localhost", "Host: localhost\r\nHost: evil.example.com"));
    const [head] = (await once(socket, "data")) as [Buffer];
    expect(head.toString()).toMatch(/^HTTP\/1\.1 400 .*one `Host` header/s);
  });

  it("gives up on a client that never finishes the head of its request", async () => {
    const { port } = await serve({ headersTimeout: 100 });
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write("GET /ws HTTP/1.1\r\nHost: localhost\r\n");
    const [head] = (await once(socket, "data")) as [Buffer];
    expect(head.toString()).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("does not compress, even if a client offers to", async () => {
    const { url } = await serve();
    const client = await FrameClient.open(url, { perMessageDeflate: true });
    expect(client.socket.extensions).toBe("");
  });

  it("keeps clients apart that use the same ids", async () => {
    const { url } = await serve();
    const clients = await Promise.all(Array.from({ length: 20 }, () => FrameClient.open(url)));
    for (const [index, client] of clients.entries()) client.call(1, "echo", { text: `client ${index}` });
    const answers = await Promise.all(clients.map((client) => client.response(1)));
    expect(answers.map(textOf)).toEqual(clients.map((_, index) => `client ${index}`));
  });

  it("answers plain HTTP with 426 and other paths with 404", async () => {
    const { url, port } = await serve();
    const [response] = (await once(get(`http://127.0.0.1:${port}/ws`), "response")) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(426);
    expect(response.headers.upgrade).toBe("websocket");
    expect(await refusal(url.replace("/ws", "/other"))).toMatchObject({
      status: 404,
      text: expect.stringContaining("/ws"),
    });
  });

  it("reports an address that is taken", async () => {
    const { port } = await serve();
    await expect(serveWebSocket(define().server, { port })).rejects.toMatchObject({
      name: "TransportError",
      code: "CONNECT_FAILED",
      message: `The server cannot listen on 127.0.0.1:${port}: another program uses this port. Choose another port; 0 picks a free one.`,
      cause: { code: "EADDRINUSE" },
    });
  });

  it.each([
    { path: "ws" },
    { path: "/ws?x" },
    { maxMessageBytes: Number.NaN },
    { keepAliveInterval: -1 },
    { keepAliveInterval: 0 },
    { maxInFlight: 1.5 },
    { maxQueuedBytes: 0 },
    { maxConnections: 0 },
  ])("refuses the option %o", async (options) => {
    await expect(serveWebSocket(define().server, { port: 0, ...options })).rejects.toBeInstanceOf(UsageError);
  });
});

describe("on an HTTP server that exists already", () => {
  it("takes its own path, and leaves everything else alone", async () => {
    const http = createHttpServer((_request, response) => void response.end("still here"));
    const other = new WebSocketServer({ noServer: true });
    http.on("upgrade", (request, socket, head) => {
      if (request.url === "/other") other.handleUpgrade(request, socket, head, (ws) => ws.send("from the other"));
    });
    const serving = await serveWebSocket(define().server, { server: http, path: "/mcp" });
    expect(() => serving.url).toThrow(UsageError);
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    onTestFinished(() => {
      http.close();
      http.closeAllConnections();
    });
    const { port } = http.address() as AddressInfo;
    expect(serving.url).toBe(`ws://127.0.0.1:${port}/mcp`);

    const client = await FrameClient.open(`${serving.url}?token=x`);
    client.call(1, "echo", { text: "attached" });
    expect(textOf(await client.response(1))).toBe("attached");
    const stranger = new WebSocket(`ws://127.0.0.1:${port}/other`);
    onTestFinished(() => stranger.terminate());
    const [greeting] = (await once(stranger, "message")) as [Buffer];
    expect(greeting.toString()).toBe("from the other");

    const gone = client.closed();
    await serving.close();
    expect(await gone).toBe(1001);
    expect(stranger.readyState).toBe(WebSocket.OPEN);
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("still here");
  });
});

describe("the admission of connections", () => {
  it("is decided by one endpoint: no two can have the same path of a server, but one can take the place of another", async () => {
    const http = await listening();
    const first = await serveWebSocket(define().server, { server: http, path: "/a" });
    const second = serveWebSocket(define().server, { server: http, path: "/a" });
    await expect(second).rejects.toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining("/a") });
    await FrameClient.open(first.url);
    await first.close();
    const next = await serveWebSocket(define().server, { server: http, path: "/a" });
    await FrameClient.open(next.url);
    await next.close();
  });

  it("says that there is nothing at a path, and where there is, however many endpoints share the server", async () => {
    const http = await listening();
    const a = await serveWebSocket(define().server, { server: http, path: "/a" });
    const b = await serveWebSocket(define().server, { server: http, path: "/b" });
    const nowhere = a.url.replace("/a", "/c");
    expect(await refusal(nowhere)).toMatchObject({ status: 404, text: expect.stringContaining("it is /a or /b.") });
    for (const { url } of [a, b]) await FrameClient.open(url);
    await a.close();
    expect(await refusal(nowhere)).toMatchObject({ status: 404, text: expect.stringContaining("it is /b.") });
    await FrameClient.open(b.url);
    await b.close();
  });

  it("refuses unknown hosts with 403, whatever they resolve to", async () => {
    const { url } = await serve();
    expect(await refusal(url, { headers: { host: "evil.example" } })).toMatchObject({ status: 403 });
  });

  it("refuses pages of other origins with 403, and accepts those of this machine", async () => {
    const { url, connections } = await serve();
    expect(await refusal(url, { origin: "https://evil.example" })).toMatchObject({ status: 403 });
    expect(await refusal(url, { origin: "null" })).toMatchObject({ status: 403 });
    expect(connections).toBe(0);
    await FrameClient.open(url, { origin: "http://localhost:5173" });
  });

  it("accepts the hosts and origins it is told", async () => {
    const { url } = await serve({ allowedHosts: ["mcp.example.com"], allowedOrigins: ["https://app.example.com"] });
    await FrameClient.open(url, { headers: { host: "mcp.example.com:8443" }, origin: "https://app.example.com" });
    expect(await refusal(url)).toMatchObject({ status: 403 });
  });

  it("warns when others can reach it, unless hosts and authentication were thought of", async () => {
    const exposed = await serve({ host: "0.0.0.0" });
    expect(exposed.diagnostics).toEqual([
      expect.objectContaining({ level: "warning", message: expect.stringContaining("allowedHosts") }),
      expect.objectContaining({ level: "warning", message: expect.stringContaining("authenticate") }),
    ]);
    const considered = await serve({
      host: "0.0.0.0",
      allowedHosts: ["mcp.example.com"],
      authenticate: () => ({ id: "anonymous" }),
    });
    expect(considered.diagnostics).toEqual([]);
  });

  it("lets the authentication hook look up headers in whatever case, and nothing but headers", async () => {
    const seen: unknown[] = [];
    const { url } = await serve({
      authenticate({ header }) {
        seen.push(header("Authorization"), header("AUTHORIZATION"), header("constructor"), header("__proto__"));
        return { id: "somebody" };
      },
    });
    await FrameClient.open(url, { headers: { authorization: "Bearer x" } });
    expect(seen).toEqual(["Bearer x", "Bearer x", undefined, undefined]);
  });

  it("refuses those whom the authentication hook does not name", async () => {
    for (const caller of [undefined, { id: "" }]) {
      const { url } = await serve({ authenticate: () => caller });
      const { status, headers } = await refusal(url);
      expect([status, headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    }
  });

  it("hands the request itself to the authentication hook", async () => {
    const { url } = await serve({ authenticate: ({ raw }) => ({ id: String((raw as IncomingMessage).url) }) });
    const client = await FrameClient.open(`${url}?me`);
    client.call(1, "whoami", {});
    expect(textOf(await client.response(1))).toContain("/ws?me");
  });

  it("does not count those who left while they were being looked at", async () => {
    let admitted: (() => void) | undefined;
    const asked = vi.fn();
    const { url, port } = await serve({
      maxConnections: 1,
      async authenticate() {
        asked();
        if (asked.mock.calls.length > 1) return { id: "second" };
        await new Promise<void>((resolve) => {
          admitted = resolve;
        });
        return { id: "first" };
      },
    });
    const socket = connect(port, "127.0.0.1");
    socket.write(HANDSHAKE);
    await until(() => asked.mock.calls.length === 1);
    socket.resetAndDestroy();
    const client = await until(() => FrameClient.open(url).catch(() => undefined));
    client.call(1, "echo", { text: "in" });
    expect(textOf(await client.response(1))).toBe("in");
    admitted?.();
  });

  it("lets go of those who hang up while they are being looked at, and forgets them", async () => {
    const looking: (() => void)[] = [];
    const serving = await serve({
      maxConnections: 1,
      authenticate: ({ header }) =>
        header("x-color") === "blue"
          ? { id: "second" }
          : new Promise((resolve) => looking.push(() => resolve({ id: "first" }))),
    });
    const socket = connect({ port: serving.port, host: "127.0.0.1", allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    let answer = "";
    socket.on("data", (chunk) => (answer += String(chunk)));
    socket.write(HANDSHAKE);
    await until(() => looking.length === 1);
    // A FIN, and nothing else: this side would go on to read for ever.
    socket.end();
    await once(socket, "end");
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);

    // Its place is free although the hook has not made up its mind.
    const client = await FrameClient.open(serving.url, { headers: { "x-color": "blue" } });
    looking[0]?.();
    client.call(1, "whoami");
    expect(textOf(await client.response(1))).toBe("second with blue");
    expect(serving.connections).toBe(1);
    expect(serving.diagnostics).toEqual([]);
  });

  it("asks the authentication hook, and hands the principal and the headers to handlers", async () => {
    const { url } = await serve({
      async authenticate({ header, target }) {
        await Promise.resolve();
        const token = header("authorization");
        if (token === undefined) throw new AuthError("UNAUTHORIZED", "no token");
        if (token !== "Bearer secret") throw new AuthError("FORBIDDEN", "wrong token");
        return { id: `user of ${target}` };
      },
    });
    expect(await refusal(url)).toMatchObject({ status: 401, text: "no token" });
    expect(await refusal(url, { headers: { authorization: "Bearer guess" } })).toMatchObject({ status: 403 });
    const client = await FrameClient.open(url, { headers: { authorization: "Bearer secret", "x-color": "blue" } });
    client.call(1, "whoami");
    expect(textOf(await client.response(1))).toBe("user of /ws with blue");
  });

  it.each([
    ["UNAUTHORIZED", 'Bearer realm="x"', 401, 'Bearer realm="x"'],
    ["UNAUTHORIZED", undefined, 401, "Bearer"],
    ["UNAUTHORIZED", 'Bearer realm="x\r\nX-Injected: 1"', 401, 'Bearer realm="x  X-Injected: 1"'],
    ["FORBIDDEN", 'Bearer error="insufficient_scope"', 403, 'Bearer error="insufficient_scope"'],
    ["FORBIDDEN", undefined, 403, undefined],
  ] as const)("%s with the challenge %j gets a %i with %j", async (code, challenge, status, sent) => {
    const { url } = await serve({
      authenticate() {
        throw new AuthError(code, "not you", { challenge });
      },
    });
    const refused = await refusal(url);
    expect([refused.status, refused.headers["www-authenticate"]]).toEqual([status, sent]);
    expect(refused.headers).not.toHaveProperty("x-injected");
  });

  it("says nothing about why the authentication hook failed", async () => {
    const { url, diagnostics } = await serve({
      authenticate() {
        throw new Error("database password is hunter2");
      },
    });
    const { status, text } = await refusal(url);
    expect(status).toBe(500);
    expect(text).not.toContain("hunter2");
    expect(diagnostics).toEqual([expect.objectContaining({ level: "error", error: expect.any(Error) })]);
  });

  it("refuses whom its hook cannot decide about in time with 503", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { url } = await serve({
      authenticate() {
        queueMicrotask(() => vi.advanceTimersByTime(10_000));
        return new Promise(() => {});
      },
    });
    const { status, headers } = await refusal(url);
    expect([status, headers["retry-after"]]).toEqual([503, "5"]);
  });

  it("refuses connections beyond the limit with 503, until one has ended", async () => {
    const serving = await serve({ maxConnections: 2 });
    const first = await FrameClient.open(serving.url);
    await FrameClient.open(serving.url);
    const refused = await refusal(serving.url);
    expect(refused).toMatchObject({ status: 503 });
    expect(refused.headers["retry-after"]).toBe("5");
    first.socket.close();
    await first.closed();
    await expect.poll(() => serving.connections).toBe(1);
    await FrameClient.open(serving.url);
  });
});

describe("hostile input", () => {
  it("closes on a binary frame with 1003", async () => {
    const { url } = await serve();
    const client = await FrameClient.open(url);
    client.socket.send(Buffer.from(JSON.stringify(toolCall(1, "echo", { text: "bytes" }))));
    expect(await client.closed()).toBe(1003);
    expect(client.messages).toEqual([]);
  });

  it("closes on a frame above the limit with 1009, and on one that is not UTF-8 with 1007; others go on", async () => {
    const { url } = await serve({ maxMessageBytes: 1000 });
    const [large, broken, good] = await Promise.all([
      FrameClient.open(url),
      FrameClient.open(url),
      FrameClient.open(url),
    ]);
    large.call(1, "echo", { text: "x".repeat(2000) });
    expect(await large.closed()).toBe(1009);
    broken.socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
    expect(await broken.closed()).toBe(1007);
    good.call(1, "echo", { text: "fine" });
    expect(textOf(await good.response(1))).toBe("fine");
  });

  it("answers what is no JSON and no message, and goes on", async () => {
    const { url } = await serve();
    const client = await FrameClient.open(url);
    client.socket.send("hello");
    client.socket.send('{"jsonrpc":"2.0","id":5}');
    client.socket.send('{"__proto__":{"polluted":1},"jsonrpc":"2.0","id":6,"method":"nope"}');
    client.call(7, "echo", { text: "alive" });
    expect(textOf(await client.response(7))).toBe("alive");
    const errors = client.messages.flatMap((message) => ("error" in message ? [[message.id, message.error.code]] : []));
    expect(errors).toEqual([
      [undefined, -32700],
      [5, -32600],
      [6, expect.any(Number)],
    ]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("drops a client that answers no pings, and keeps one that does", async () => {
    const serving = await serve({ keepAliveInterval: 50 });
    const client = await FrameClient.open(serving.url);
    const silent = await openRaw(serving);
    silent.resume();
    await once(silent, "close");
    for (let pings = 0; pings < 3; pings += 1) await once(client.socket, "ping");
    client.call(1, "echo", { text: "alive" });
    expect(textOf(await client.response(1))).toBe("alive");
    expect(serving.connections).toBe(1);
  });

  it("tells the operator of a client that answers no pings", async () => {
    const serving = await serve({ keepAliveInterval: 50 });
    const silent = await openRaw(serving);
    silent.resume();
    await once(silent, "close");
    await eventually(() => expect(serving.connections).toBe(0));
    expect(serving.diagnostics).toMatchObject([{ level: "info", message: expect.stringContaining("was lost") }]);
  });

  it("keeps a client that reads slowly, although its pongs wait behind what it has not read", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const serving = await serve({ keepAliveInterval: 10_000 });
    const slow = await openRaw(serving);
    const size = 30_000_000;
    let received = 0;
    const complete = new Promise<void>((resolve, reject) => {
      slow.on("close", () => reject(new Error(`dropped after ${received} bytes`)));
      slow.on("data", (chunk: Buffer) => {
        received += chunk.length;
        if (received > size) return resolve();
        slow.pause();
        // However long this took, it was too long for a pong.
        vi.advanceTimersByTime(20_000);
        setImmediate(() => slow.resume());
      });
    });
    slow.write(callFrame(1, "repeat", { times: size }));
    await complete;
    expect(received).toBeGreaterThan(size);
  });

  it("drops a client that stopped reading, although less waits for it than may", async () => {
    const serving = await serve({ keepAliveInterval: 50 });
    const deaf = await openRaw(serving);
    deaf.pause();
    deaf.write(callFrame(1, "repeat", { times: 20_000_000 }));
    await expect.poll(() => serving.connections).toBe(1);
    await expect.poll(() => serving.connections, { timeout: 10_000 }).toBe(0);
  });

  it("ends the connection of a client that never reads, while others are served", async () => {
    const serving = await serve({ maxQueuedBytes: 2 * 1024 * 1024, maxInFlight: 100_000 });
    const deaf = await openRaw(serving);
    deaf.pause();
    // Written at once, so that much of it is read before the server can stop reading.
    deaf.write(Buffer.concat(Array.from({ length: 200 }, (_, id) => callFrame(id, "repeat", { times: 200_000 }))));
    const other = await FrameClient.open(serving.url);
    other.call(1, "echo", { text: "served" });
    expect(textOf(await other.response(1))).toBe("served");
    await expect.poll(() => serving.connections, { timeout: 10_000 }).toBe(1);
    expect(serving.diagnostics).toContainEqual(
      expect.objectContaining({ error: expect.objectContaining({ code: "OVERLOADED" }) }),
    );
  });

  it("queues no pongs for a client that sends pings and reads nothing, and answers the latest", async () => {
    const { url } = await serve();
    const client = await FrameClient.open(url);
    const pongs: string[] = [];
    client.socket.on("pong", (data) => pongs.push(data.toString()));
    client.socket.pause();
    const count = 20_000;
    for (let sent = 1; sent <= count; sent += 1) client.socket.ping(String(sent));
    await new Promise<void>((resolve) => client.socket.ping("last", undefined, () => resolve()));
    client.socket.resume();
    await expect.poll(() => pongs.at(-1)).toBe("last");
    expect(pongs.length).toBeLessThan(count / 2);
    expect(pongs.map(Number).slice(0, -1)).toEqual(
      pongs
        .map(Number)
        .slice(0, -1)
        .toSorted((a, b) => a - b),
    );
  });

  it("stops reading from a client that does not read, and loses nothing", async () => {
    const { url } = await serve();
    const client = await FrameClient.open(url);
    client.socket.pause();
    let sent = 0;
    while (sent < 100_000 && client.socket.bufferedAmount < 1024 * 1024) {
      sent += 1;
      client.call(sent, "repeat", { times: 20_000 });
      if (sent % 100 === 0) await new Promise(setImmediate);
    }
    expect(client.socket.bufferedAmount).toBeGreaterThan(1024 * 1024);
    client.socket.resume();
    await client.until(() => client.messages.length === sent);
    expect(new Set(client.messages.map((message) => "id" in message && message.id)).size).toBe(sent);
  }, 60_000);

  it("survives sockets that end in the middle of everything", async () => {
    const serving = await serve();
    for (const cut of [1, 20, 60, 120]) {
      const socket = connect(serving.port, "127.0.0.1");
      socket.on("error", () => {});
      const head =
        "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
      socket.end(head.slice(0, cut));
      await once(socket.resume(), "close");
    }
    const raw = await openRaw(serving);
    raw.write(callFrame(1, "echo", { text: "half a frame" }).subarray(0, 30));
    raw.destroy();
    const client = await FrameClient.open(serving.url);
    client.call(1, "echo", { text: "alive" });
    expect(textOf(await client.response(1))).toBe("alive");
    await expect.poll(() => serving.connections).toBe(1);
  });
});

describe("requests", () => {
  it("cancels on notifications/cancelled, and sends nothing more for that request", async () => {
    const { url, cancelled } = await serve();
    const client = await FrameClient.open(url);
    client.call(1, "hold", { name: "first" });
    client.socket.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
    client.call(2, "release");
    await client.response(2);
    expect(cancelled).toEqual(["first"]);
    expect(client.messages).toHaveLength(1);
  });

  it("cancels what is in the works when its connection ends", async () => {
    const { url, cancelled } = await serve();
    const client = await FrameClient.open(url);
    client.call(1, "hold", { name: "orphan" });
    client.call(2, "echo", { text: "there" });
    await client.response(2);
    client.socket.terminate();
    await expect.poll(() => cancelled).toEqual(["orphan"]);
  });

  it("matches ten thousand answers that come in random order", async () => {
    const { url } = await serve();
    const client = await FrameClient.open(url);
    const count = 10_000;
    for (let id = 0; id < count; id += 1) client.call(id, "hold", { name: `call ${id}` });
    client.call("go", "release");
    await client.until(() => client.messages.length === count + 1);
    const answers = client.messages.filter((message) => "id" in message && message.id !== "go");
    expect(answers.every((answer) => "id" in answer && textOf(answer) === `call ${answer.id}`)).toBe(true);
    expect(new Set(answers.map((answer) => "id" in answer && answer.id)).size).toBe(count);
  }, 60_000);
});

describe("the end", () => {
  it("comes at once for those who are still being looked at", async () => {
    const asked = vi.fn();
    const serving = await serve({
      authenticate: () => {
        asked();
        return new Promise(() => {});
      },
    });
    const socket = connect(serving.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    let answer = "";
    socket.on("data", (chunk) => (answer += String(chunk)));
    socket.write(HANDSHAKE);
    await until(() => asked.mock.calls.length === 1);
    await serving.close();
    await once(socket, "close");
    expect(answer).toMatch(/^HTTP\/1\.1 503 [^]*shutting down/);
  });

  it("finishes what is in the works, then closes with 1001, and takes no more", async () => {
    const serving = await serve({ closeTimeout: 600_000 });
    const client = await FrameClient.open(serving.url);
    client.call(1, "hold", { name: "finished" });
    client.call(2, "echo", { text: "there" });
    await client.response(2);
    const closed = client.closed();
    const closing = serving.close();
    client.call(3, "hold", { name: "never" });
    expect(await client.response(3)).toMatchObject({ error: { data: { reason: "shutting-down" } } });
    serving.release();
    expect(await closed).toBe(1001);
    await closing;
    await serving.close();
    expect(textOf(await client.response(1))).toBe("finished");
    const late = new WebSocket(serving.url, "mcp");
    const [error] = (await once(late, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNREFUSED");
  });

  it("takes the answers to its questions until then", async () => {
    const serving = await serve({ closeTimeout: 600_000 });
    const client = await FrameClient.open(serving.url);
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: { roots: {} },
      clientInfo: { name: "old", version: "1" },
    };
    client.send({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    await client.response(1);
    client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    client.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "look" } });
    await client.until(() => client.messages.length === 2);
    const question = client.messages[1] as Message & { id: number };
    const closed = client.closed();
    const closing = serving.close();
    client.send({ jsonrpc: "2.0", id: question.id, result: { roots: [{ uri: "file:///home" }] } });
    expect(textOf(await client.response(2))).toBe("file:///home");
    expect(await closed).toBe(1001);
    await closing;
  });

  it("does not wait beyond its deadline", async () => {
    const { url, close } = await serve({ closeTimeout: 50 });
    const client = await FrameClient.open(url);
    client.call(1, "hold", { name: "forever" });
    client.call(2, "echo", { text: "there" });
    await client.response(2);
    const closed = client.closed();
    await close();
    expect(await closed).toBe(1001);
    expect(client.messages).toHaveLength(1);
  });

  it("ends subscriptions before it goes", async () => {
    const serving = await serve();
    const client = await FrameClient.open(serving.url);
    const params = { notifications: { toolsListChanged: true }, _meta: MODERN_META };
    client.send({ jsonrpc: "2.0", id: "sub", method: "subscriptions/listen", params });
    await client.until(() => client.messages.length === 1);
    await serving.close();
    expect(client.messages.at(-1)).toMatchObject({ id: "sub", result: {} });
  });
});
