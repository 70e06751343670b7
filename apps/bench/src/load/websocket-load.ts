/** Load over WebSockets: bare sockets that upgrade by hand, so that no library stands in the way. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Expectation } from "../workload/answers.ts";
import type { Ids, PreparedRequest } from "../workload/requests.ts";
import { HttpResponseReader } from "./http-response.ts";
import { type Load, Sampling } from "./load.ts";
import { batchRequests } from "./request-batch.ts";
import { FrameReader, frameMessage } from "./websocket-frames.ts";

/** The messages to send, over how many sockets, how many at a time, and the expected answers. */
export interface WebSocketLoadOptions {
  readonly port: number;
  readonly connections: number;
  readonly inFlight: number;
  readonly request: PreparedRequest;
  readonly expectation: Expectation;
  readonly ids: Ids;
}

/** Sockets are opened at the first start and stay open. */
export class WebSocketLoad implements Load {
  readonly #options: WebSocketLoadOptions;
  readonly #sampling: Sampling;
  #lanes: Lane[] = [];
  #onAnswer = (): void => {};

  constructor(options: WebSocketLoadOptions) {
    this.#options = { ...options, request: frameMessage(options.request) };
    this.#sampling = new Sampling(options.expectation);
  }

  async start(onAnswer: () => void): Promise<void> {
    const { port, connections, inFlight } = this.#options;
    this.#onAnswer = onAnswer;
    if (this.#lanes.length === 0) {
      const sockets = await Promise.all(Array.from({ length: connections }, () => openWebSocket(port)));
      this.#lanes = sockets.map((socket) => new Lane(socket, this.#options, this.#sampling, () => this.#onAnswer()));
    }
    for (const lane of this.#lanes) lane.start(inFlight);
  }

  async drain(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.finish()));
  }

  close(): void {
    for (const lane of this.#lanes) lane.close();
  }
}

/** Connects and upgrades. */
export async function openWebSocket(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  const lines = [
    "GET /mcp HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
    "Sec-WebSocket-Protocol: mcp",
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  await new Promise<void>((resolve, reject) => {
    const reader = new HttpResponseReader(({ status }) => {
      if (status === 101) resolve();
      else reject(new Error(`The server refused to upgrade: HTTP ${status}.`));
    });
    socket.once("data", (bytes: Buffer) => reader.push(bytes));
    socket.once("close", () => reject(new Error("The server closed the connection instead of upgrading.")));
  });
  return socket;
}

/** One socket with its calls in flight. */
class Lane {
  readonly #socket: Socket;
  readonly #options: WebSocketLoadOptions;
  #open = 0;
  #drained: (() => void) | undefined;

  constructor(socket: Socket, options: WebSocketLoadOptions, sampling: Sampling, onAnswer: () => void) {
    this.#socket = socket;
    this.#options = options;
    let answers = 0;
    const reader = new FrameReader((payload) => {
      if (sampling.isDue()) sampling.check(Buffer.concat(payload).toString());
      onAnswer();
      answers++;
    });
    socket.on("data", (bytes: Buffer) => {
      answers = 0;
      reader.push(bytes);
      this.#open -= answers;
      if (this.#drained === undefined) {
        if (answers > 0) this.#send(answers);
      } else if (this.#open === 0) {
        this.#drained();
      }
    });
    socket.on("close", () => {
      if (this.#open > 0) throw new Error("The server closed a socket that was in use.");
    });
  }

  start(count: number): void {
    this.#drained = undefined;
    this.#send(count);
  }

  close(): void {
    this.#socket.destroy();
  }

  #send(count: number): void {
    this.#open += count;
    this.#socket.write(batchRequests(this.#options.request, count, this.#options.ids));
  }

  async finish(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }
}
