/** An API on loopback that writes down what it is sent, and answers as a test wants. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSocketServer, type AddressInfo, type Socket } from "node:net";

/** A request as the API got it. */
export interface SeenRequest {
  readonly method: string;
  /** The path and the query, exactly as they were sent. */
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export interface TestApi extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  readonly seen: SeenRequest[];
  /** How many connections were opened. */
  readonly connections: () => number;
}

type Answer = (response: ServerResponse, request: SeenRequest, message: IncomingMessage) => void;

/** Starts an API over HTTP. By default, it answers with `{"ok":true}`. */
export async function startApi(answer: Answer = (response) => answerJson(response, { ok: true })): Promise<TestApi> {
  const seen: SeenRequest[] = [];
  let connections = 0;
  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", () => {
      const { method = "", url = "", headers, rawHeaders } = message;
      const request = { method, url, headers, rawHeaders, body: Buffer.concat(chunks).toString("utf8") };
      seen.push(request);
      answer(response, request, message);
    });
  });
  server.on("connection", () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    seen,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Starts an API that writes bytes of its own to each connection. */
export async function startRawApi(onConnection: (socket: Socket) => void): Promise<TestApi> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createSocketServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    seen: [],
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
