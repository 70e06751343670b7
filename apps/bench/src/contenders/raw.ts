/**
 * The measure of all others: bare `node:http`, bare `ws`, bare pipes. Parses a message, looks at its method and id,
 * stringifies the answer; checks nothing.
 */
import type { Wiring } from "../workload/scenario.ts";
import { echoTool, listTools, sumTool } from "../workload/tools.ts";
import { type Contender, echoBlocks, listenOn } from "./contender.ts";

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params: { readonly name: string; readonly arguments: { text: string; a: number; b: number } };
}

export const contender: Contender = {
  name: "raw",
  packages: [],
  offer: (wiring) => ({ wiring }),
  async serve(wiring) {
    const answer = answerWith(wiring);
    if (wiring.transport === "http") return serveHttp(answer, wiring.answers);
    if (wiring.transport === "websocket") return serveWebSocket(answer);
    servePipes(answer);
    return undefined;
  },
};

type Answering = (message: Message) => object;

/** Builds the answer to a message. */
export function answerWith({ tools, variant }: Pick<Wiring, "tools" | "variant">): Answering {
  const listed = listTools(tools);
  return ({ id, method, params }) => {
    if (method === "tools/call" && params.name === echoTool.name) {
      const content = echoBlocks(params.arguments.text, variant);
      return { jsonrpc: "2.0", id, result: { resultType: "complete", content } };
    }
    if (method === "tools/call" && params.name === sumTool.name) {
      const structuredContent = { sum: params.arguments.a + params.arguments.b };
      const content = [{ type: "text", text: JSON.stringify(structuredContent) }];
      return { jsonrpc: "2.0", id, result: { resultType: "complete", content, structuredContent } };
    }
    if (method === "tools/list") {
      return { jsonrpc: "2.0", id, result: { resultType: "complete", tools: listed, ttlMs: 0, cacheScope: "public" } };
    }
    return { jsonrpc: "2.0", id, result: {} };
  };
}

async function serveHttp(answer: Answering, answers: "json" | "sse"): Promise<number> {
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const message = JSON.parse(Buffer.concat(chunks).toString()) as Message;
      const body = JSON.stringify(answer(message));
      if (message.method === "initialize") response.setHeader("Mcp-Session-Id", "0");
      if (answers === "json") {
        response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
        response.end(body);
      } else {
        response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
        response.end(`event: message\ndata: ${body}\n\n`);
      }
    });
  });
  return listenOn(server);
}

async function serveWebSocket(answer: Answering): Promise<number> {
  const { createServer } = await import("node:http");
  const { WebSocketServer } = await import("ws");
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket) => {
    socket.on("message", (data: Buffer) => {
      socket.send(JSON.stringify(answer(JSON.parse(data.toString()) as Message)));
    });
  });
  return listenOn(server);
}

function servePipes(answer: Answering): void {
  let rest = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk: string) => {
    const lines = chunk.split("\n");
    lines[0] = rest + (lines[0] ?? "");
    rest = lines.pop() ?? "";
    for (const line of lines) process.stdout.write(`${JSON.stringify(answer(JSON.parse(line) as Message))}\n`);
  });
}
