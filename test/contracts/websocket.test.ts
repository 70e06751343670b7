import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createWebSocketChannel } from "@toolwire/client/websocket";
import type { Channel } from "@toolwire/protocol";
import { createSocketChannel, SUBPROTOCOL } from "@toolwire/protocol/channels";
import { attachWsSocket, Heartbeat, Multiplexer, EventLoopTurns } from "@toolwire/protocol/internal";
import { channelContract, exchangeContract, registerContract } from "@toolwire/protocol/testing";
import { serveWebSocket } from "@toolwire/server/websocket";
import { WebSocket as PlatformWebSocket } from "undici";
import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { WebSocketServer, type WebSocket } from "ws";
import { openSocket } from "../../packages/client/src/transports/websocket/open-global-socket.ts";
import { createAnsweringServer } from "./answering-server.ts";

const LIMITS = { maxMessageBytes: 2_000_000, maxQueuedBytes: 4_000_000 };

interface Accepted {
  readonly socket: WebSocket;
  readonly channel: Channel;
}

/** The contract of a client's channel. The server's end is made as `serveWebSocket` makes it. */
function webSocketContract(createChannel: (url: string) => Channel): ReturnType<typeof channelContract> {
  return channelContract({
    async connect() {
      const http = createServer();
      const upgrader = new WebSocketServer({
        server: http,
        maxPayload: LIMITS.maxMessageBytes,
        autoPong: false,
        handleProtocols: () => SUBPROTOCOL,
      });
      const accepted = new Promise<Accepted>((resolve) => {
        upgrader.once("connection", (socket, request) => resolve({ socket, channel: acceptChannel(socket, request) }));
      });
      await once(http.listen(0, "127.0.0.1"), "listening");
      const client = createChannel(`ws://127.0.0.1:${(http.address() as AddressInfo).port}/`);
      return { client, server: accepted.then(({ channel }) => channel), accepted, http };
    },
    async disconnect({ http }) {
      http.closeAllConnections();
      await new Promise((resolve) => void http.close(resolve));
    },
    async sendText({ accepted }, from, text) {
      const { socket } = await accepted;
      // A frame of the client arrives at the server as an event of its socket.
      if (from === "server") socket.send(text);
      else socket.emit("message", Buffer.from(text), false);
    },
    async breakConnection({ accepted }) {
      const { socket } = await accepted;
      socket.terminate();
    },
    ...LIMITS,
    timeout: 20_000,
  });
}

function acceptChannel(socket: WebSocket, request: IncomingMessage): Channel {
  const heartbeat = new Heartbeat(30_000);
  const connection = { socket, stream: request.socket, heartbeat, turns: new EventLoopTurns(setImmediate) };
  return createSocketChannel((events) => attachWsSocket(connection, events), { side: "server", ...LIMITS });
}

registerContract(
  "A WebSocket of the ws library",
  webSocketContract((url) => createWebSocketChannel(url, LIMITS)),
  { describe, it },
);

describe("On a platform that has WebSockets", () => {
  beforeAll(() => void vi.stubGlobal("WebSocket", PlatformWebSocket));
  afterAll(() => void vi.unstubAllGlobals());

  const settings = {
    ...LIMITS,
    headers: {},
    openTimeout: 10_000,
    keepAliveInterval: 30_000,
    connect: undefined,
    clear: (text: string) => text,
  };
  registerContract(
    "a WebSocket of the platform",
    webSocketContract((url) =>
      createSocketChannel((events, signal) => openSocket(new URL(url), events, settings, signal), {
        side: "client",
        ...LIMITS,
      }),
    ),
    { describe, it },
  );
});

registerContract(
  "serveWebSocket",
  exchangeContract({
    async connect(peer) {
      const listener = await serveWebSocket(createAnsweringServer(peer), { port: 0, closeTimeout: 0 });
      return { client: new Multiplexer(createWebSocketChannel(listener.url)), listener };
    },
    disconnect: ({ listener }) => listener.close(),
    stopServer: ({ listener }) => listener.close(),
    timeout: 20_000,
  }),
  { describe, it },
);
