/** Callers that break every habit of honest clients, one for each binding. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { WebSocket } from "ws";
import { BOTH, initialize, modern } from "../bindings/http/client.ts";
import { toolCall } from "../raw-peer.ts";
import { openWire } from "../wire.ts";
import { serveChannel } from "../../src/bindings/channel/index.ts";
import { LIMITS, type AbusedServer } from "./abused-server.ts";

/** The actions of an abuser. */
export const ACTIONS = ["open", "timeOut", "cancel", "pipeline", "reconnect", "disappear"] as const;
export type Action = (typeof ACTIONS)[number];

/** A caller of one binding. Nothing it does waits for an answer. */
export interface Abuser {
  /** Begins a call that takes as long as it likes. */
  open(): void;
  /** Begins a call that the server ends early, though its handler runs on. */
  timeOut(): void;
  /** Cancels a call that is under way, in the way of the binding. */
  cancel(): void;
  /** Begins several calls in one packet, behind a call that is not answered. */
  pipeline(): void;
  /** Opens a connection, and a session where there are any, and leaves the old one to end properly. */
  reconnect(): Promise<void>;
  /** Destroys a connection with everything that is under way on it, and opens another. */
  disappear(): Promise<void>;
  /** Destroys all connections. */
  leave(): void;
}

/** A binding under abuse. */
export interface Binding {
  readonly name: string;
  /** Lets an abuser in. */
  readonly enter: (target: AbusedServer, caller: string) => Promise<Abuser>;
}

const PIPELINED = 8;

/** Modern HTTP: a call is cancelled by closing its connection, so each has one of its own. */
async function enterModernHttp(target: AbusedServer, caller: string): Promise<Abuser> {
  const sockets = new Set<Socket>();
  let calls: Socket[] = [];
  let id = 0;
  const request = (name: string): string => {
    id += 1;
    return wire(target.url, modern("tools/call", { name, arguments: {} }, { id }), caller);
  };
  const send = (...texts: string[]): void => void calls.push(openSocket(target.url, sockets, texts.join("")));
  const endAll = (how: (socket: Socket) => void): void => {
    for (const socket of calls) how(socket);
    calls = [];
  };
  return {
    open: () => send(request("hold")),
    timeOut: () => send(request("hold_briefly")),
    cancel: () => void calls.pop()?.destroy(),
    pipeline: () => send(...Array.from({ length: PIPELINED }, () => request("hold"))),
    reconnect: async () => endAll((socket) => socket.end()),
    disappear: async () => endAll((socket) => socket.destroy()),
    leave: () => destroyAll(sockets),
  };
}

/** Legacy sessions over HTTP: cancelled by notification. */
async function enterSession(target: AbusedServer, caller: string): Promise<Abuser> {
  const sockets = new Set<Socket>();
  let session = "";
  let id = 1;
  const reconnect = async (): Promise<void> => {
    const response = await fetch(target.url, {
      method: "POST",
      headers: { accept: BOTH, "content-type": "application/json", authorization: caller, connection: "close" },
      body: JSON.stringify(initialize()),
    });
    await response.text();
    session = response.headers.get("mcp-session-id") ?? session;
  };
  const post = (message: object): string =>
    wire(
      target.url,
      {
        headers: [
          ["accept", BOTH],
          ["content-type", "application/json"],
          ["mcp-session-id", session],
          ["mcp-protocol-version", "2025-11-25"],
        ],
        body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      },
      caller,
    );
  const call = (name: string): string => {
    id += 1;
    return post({ id, method: "tools/call", params: { name, arguments: {} } });
  };
  const send = (text: string): void => void openSocket(target.url, sockets, text);
  await reconnect();
  return {
    open: () => send(call("hold")),
    timeOut: () => send(call("hold_briefly")),
    cancel: () => send(post({ method: "notifications/cancelled", params: { requestId: id } })),
    pipeline: () => send(Array.from({ length: PIPELINED }, () => call("hold")).join("")),
    reconnect,
    async disappear() {
      destroyAll(sockets);
      await reconnect();
    },
    leave: () => destroyAll(sockets),
  };
}

/** The HTTP+SSE pair of 2024-11-05: answers come on the stream, messages go by post. */
async function enterSsePair(target: AbusedServer, caller: string): Promise<Abuser> {
  const sockets = new Set<Socket>();
  let stream: Socket | undefined;
  let endpoint = "";
  let id = 1;
  const base = new URL(target.url).origin;
  const reconnect = async (): Promise<void> => {
    const former = stream;
    const opened = openSocket(
      base,
      sockets,
      `GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: ${caller}\r\n\r\n`,
    );
    stream = opened;
    let text = "";
    opened.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
    while (!/data: \/\S+\s/.test(text)) {
      const ended = opened.destroyed || opened.readableEnded;
      // Too many streams: the abuser goes on with the one it has.
      if (ended || / (429|503) /.test(text)) {
        stream = former;
        opened.destroy();
        return;
      }
      await Promise.race([once(opened, "data"), once(opened, "close")]);
    }
    endpoint = /data: (\/\S+)/.exec(text)?.[1] ?? "";
    former?.end();
    post(initialize("2024-11-05"));
    post({ jsonrpc: "2.0", method: "notifications/initialized" });
  };
  const wireOf = (message: object): string =>
    wire(
      `${base}${endpoint}`,
      { headers: [["content-type", "application/json"]], body: JSON.stringify(message) },
      caller,
    );
  const post = (message: object): void => void openSocket(base, sockets, wireOf(message));
  const call = (name: string): object => {
    id += 1;
    return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {} } };
  };
  await reconnect();
  return {
    open: () => post(call("hold")),
    timeOut: () => post(call("hold_briefly")),
    cancel: () => post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }),
    pipeline() {
      openSocket(base, sockets, Array.from({ length: PIPELINED }, () => wireOf(call("hold"))).join(""));
    },
    reconnect,
    async disappear() {
      stream?.destroy();
      stream = undefined;
      await reconnect();
    },
    leave: () => destroyAll(sockets),
  };
}

/** A channel of messages, as over WebSocket and stdio: cancelled by notification, everything goes over one connection. */
interface Pipe {
  send(messages: readonly object[]): void;
  /** Ends the connection; at once, or properly. */
  end(isProper: boolean): void;
}

async function enterChannel(openPipe: () => Promise<Pipe>): Promise<Abuser> {
  let pipe = await openPipe();
  const former: Pipe[] = [];
  let id = 0;
  const call = (name: string): object => toolCall((id += 1), name);
  const renew = async (isProper: boolean): Promise<void> => {
    pipe.end(isProper);
    former.push(pipe);
    pipe = await openPipe();
  };
  return {
    open: () => pipe.send([call("hold")]),
    timeOut: () => pipe.send([call("hold_briefly")]),
    cancel: () => pipe.send([{ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }]),
    pipeline: () => pipe.send(Array.from({ length: PIPELINED }, () => call("hold"))),
    reconnect: () => renew(true),
    disappear: () => renew(false),
    leave() {
      for (const each of [...former, pipe]) each.end(false);
    },
  };
}

function enterWebSocket(target: AbusedServer, caller: string): Promise<Abuser> {
  return enterChannel(async () => {
    const url = new URL("/ws", target.url.replace("http:", "ws:"));
    const socket = new WebSocket(url, ["mcp"], { headers: { authorization: caller } });
    socket.on("error", () => {});
    await new Promise((resolve) => socket.on("open", resolve).on("close", resolve));
    return {
      send(messages) {
        if (socket.readyState !== WebSocket.OPEN) return;
        for (const message of messages) socket.send(JSON.stringify(message));
      },
      end: (isProper) => (isProper ? socket.close() : socket.terminate()),
    };
  });
}

/** Lines over a socket, as on stdio. One connection is all that such a server has, so a new one is a new server. */
export function enterLines(target: AbusedServer, caller: string): Promise<Abuser> {
  return enterChannel(async () => {
    const { client, server: channel } = openWire();
    client.on("error", () => {});
    serveChannel(target.server, channel, {
      principal: { id: caller },
      maxInFlight: LIMITS.perClient,
      closeTimeout: 0,
    });
    return {
      send(messages) {
        if (!client.destroyed) client.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
      },
      end: (isProper) => void (isProper ? client.end() : client.destroy()),
    };
  });
}

/** The bindings that share one port, and so the limits of one caller over all of its connections. */
export const BINDINGS: readonly Binding[] = [
  { name: "HTTP, modern", enter: enterModernHttp },
  { name: "HTTP, legacy sessions", enter: enterSession },
  { name: "HTTP+SSE", enter: enterSsePair },
  { name: "WebSocket", enter: enterWebSocket },
];

/** A POST as it goes over the wire. */
function wire(url: string, { headers, body }: { headers?: unknown; body: string }, caller: string): string {
  const { pathname, search } = new URL(url);
  const fields = (headers as [string, string][]).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `POST ${pathname}${search} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${caller}\r\n${fields}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Opens a connection and sends a text at once. What comes back is read, or the server would wait with more. */
function openSocket(url: string, sockets: Set<Socket>, text: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  sockets.add(socket);
  socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  socket.resume().write(text);
  return socket;
}

function destroyAll(sockets: Set<Socket>): void {
  for (const socket of sockets) socket.destroy();
}
