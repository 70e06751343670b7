import type { Random } from "@toolwire/evidence/load";
import { once } from "node:events";
import {
  createServer,
  request as openRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { HealthChecks } from "./health.ts";
import { readCallId } from "./read-call-id.ts";
import { StreamCuts } from "./stream-cuts.ts";

/** How long a server may take to begin its response. A stopped process goes on earlier. */
const RESPONSE_MS = 30_000;

/** Headers of one connection, which are not for the next (RFC 9110, 7.6.1). */
const OF_CONNECTION = ["connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer"];

/**
 * An HTTP load balancer: each request goes to the next server that is ready, over a connection of its own. It retries nothing and
 * knows nothing of sessions, as the simplest balancers do. It also looks at what passes, and cuts streams if told to.
 */
export class Balancer {
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #health = new HealthChecks();
  readonly #cuts: StreamCuts;
  readonly #lostSessions = new Set<string>();
  #ports: readonly number[] = [];
  #turn = 0;

  constructor(random: Random) {
    this.#cuts = new StreamCuts(random);
  }

  /** How many sessions a server has said not to know, though their clients have not ended them. */
  get lostSessions(): number {
    return this.#lostSessions.size;
  }

  /** The calls whose streams were cut. */
  get cutCalls(): ReadonlySet<string> {
    return this.#cuts.calls;
  }

  /** Takes connections. Returns the URL of the endpoint. */
  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  /** Sends requests to these servers from now on. */
  balanceOver(ports: readonly number[]): void {
    this.#ports = ports;
    for (const port of ports) this.#health.watch(port);
  }

  /** Resolves when a server is ready and reaches its engine. */
  untilReady(port: number): Promise<void> {
    return this.#health.untilReady(port);
  }

  /** Cuts a stream in the middle, if there is one that its client can resume. */
  cutOne(): boolean {
    return this.#cuts.cutOne();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    this.#cuts.close();
    await this.#health.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => undefined);
    const body = await readBody(request).catch(() => undefined);
    if (body === undefined) return;
    const port = this.#next();
    if (port === undefined) refuse(response, 503, "No server is ready.");
    else this.#forward(port, request, body, response);
  }

  /** The next server that is ready. */
  #next(): number | undefined {
    for (let tried = 0; tried < this.#ports.length; tried += 1) {
      this.#turn = (this.#turn + 1) % this.#ports.length;
      const port = this.#ports[this.#turn]!;
      if (this.#health.of(port).isReady) return port;
    }
    return undefined;
  }

  #forward(port: number, request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const { method, url: path, headers } = request;
    const upstream = openRequest({
      host: "127.0.0.1",
      port,
      method,
      path,
      headers: { ...forNext(headers), "content-length": body.length, connection: "close" },
      agent: false,
    });
    upstream.setTimeout(RESPONSE_MS, () => upstream.destroy(new Error("There was no response in time.")));
    upstream.on("response", (answer) => {
      upstream.setTimeout(0);
      this.#pass(request, body, answer, upstream, response);
    });
    upstream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") this.#health.notReached(port);
      if (response.headersSent) response.destroy();
      else refuse(response, 502, "The server has closed the connection.");
    });
    response.on("close", () => {
      if (!response.writableFinished && !this.#cuts.keepsOpen(response)) upstream.destroy();
    });
    upstream.end(body);
  }

  #pass(
    { method, headers }: IncomingMessage,
    body: Buffer,
    answer: IncomingMessage,
    upstream: ClientRequest,
    response: ServerResponse,
  ): void {
    const session = headers["mcp-session-id"];
    if (answer.statusCode === 404 && typeof session === "string" && method !== "DELETE") {
      this.#lostSessions.add(session);
    }
    response.writeHead(answer.statusCode ?? 502, forNext(answer.headers));
    response.flushHeaders();
    const isStream = answer.headers["content-type"]?.startsWith("text/event-stream") === true;
    if (isStream && session !== undefined) this.#cuts.watch(readCallId(body), answer, upstream, response);
    answer.on("error", () => response.destroy());
    // A server that dies ends its response without the end that HTTP wants.
    answer.on("close", () => {
      if (!answer.complete) response.destroy();
    });
    answer.pipe(response);
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function forNext(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name)));
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain", ...(status === 503 && { "retry-after": "1" }) });
  response.end(text);
}
