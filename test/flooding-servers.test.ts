import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type ConnectTarget } from "@toolwire/client";
import { spawnServer } from "@toolwire/client/stdio";
import { createWebSocketChannel } from "@toolwire/client/websocket";
import { expect, onTestFinished, test } from "vitest";
import { WebSocketServer } from "ws";
import { TURN_MESSAGES } from "../packages/protocol/src/channels/turn-limit.ts";

const FLOOD = 5000;

interface Received {
  readonly id?: number;
  readonly method?: string;
}

/** What a legacy server sends for a message: for a call, a flood of notifications before the result. */
function answer({ id, method }: Received, flood: number): object[] {
  if (id === undefined) return [];
  const result = (value: object): object => ({ jsonrpc: "2.0", id, result: value });
  if (method === "initialize") {
    const serverInfo = { name: "flooding", version: "1.0.0" };
    return [result({ protocolVersion: "2025-11-25", capabilities: { logging: {}, tools: {} }, serverInfo })];
  }
  if (method !== "tools/call") return [result({})];
  const logs = Array.from({ length: flood }, (_, data) => {
    return { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data } };
  });
  return [...logs, result({ content: [{ type: "text", text: "done" }] })];
}

/** Servers that send everything as fast as they can, by transport. */
const SERVERS: { readonly [transport: string]: () => Promise<ConnectTarget> } = {
  async stdio() {
    const script = `
      const answer = ${answer.toString()};
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const lines = answer(JSON.parse(line), ${FLOOD}).map((message) => JSON.stringify(message) + "\\n");
        process.stdout.write(lines.join(""));
      });
    `;
    return spawnServer({ command: process.execPath, args: ["-e", script] });
  },

  async WebSocket() {
    const listener = new WebSocketServer({ host: "127.0.0.1", port: 0, handleProtocols: () => "mcp" });
    onTestFinished(() => listener.close());
    listener.on("connection", (socket, { socket: stream }) => {
      socket.on("message", (data: Buffer) => {
        stream.cork();
        const messages = answer(JSON.parse(data.toString()) as Received, FLOOD);
        for (const message of messages) socket.send(JSON.stringify(message));
        stream.uncork();
      });
    });
    await once(listener, "listening");
    return createWebSocketChannel(`ws://127.0.0.1:${(listener.address() as AddressInfo).port}`);
  },

  async HTTP() {
    const listener = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        const messages = body === "" ? [] : answer(JSON.parse(body) as Received, FLOOD);
        if (request.method !== "POST") response.writeHead(405).end();
        else if (messages.length === 0) response.writeHead(202).end();
        else {
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.end(messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join(""));
        }
      });
    });
    await once(listener.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void listener.close());
    return `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  },
};

test.each(Object.keys(SERVERS))(
  "a server that floods its client over %s takes no more than its share of each turn, and nothing is lost",
  async (transport) => {
    const heard: unknown[] = [];
    let most = 0;
    let before = 0;
    const client = await connect(await SERVERS[transport]!(), {
      era: "legacy",
      memory: false,
      reconnect: false,
      onLog: ({ data }) => void heard.push(data),
    });
    onTestFinished(() => client.close());
    let isOver = false;
    const look = (): void => {
      most = Math.max(most, heard.length - before);
      before = heard.length;
      if (!isOver) setImmediate(look);
    };
    look();
    await client.callTool("flood");
    isOver = true;
    expect(heard).toEqual(Array.from({ length: FLOOD }, (_, number) => number));
    // One share before this looks in a turn, and one after.
    expect(most).toBeLessThanOrEqual(2 * TURN_MESSAGES);
  },
);
