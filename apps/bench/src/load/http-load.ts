/** Load over HTTP/1.1: keep-alive connections on bare sockets, one call in flight on each. */
import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { type Expectation, readHttpAnswer } from "../workload/answers.ts";
import { type Ids, type PreparedRequest, writeId } from "../workload/requests.ts";
import { type HttpResponse, HttpResponseReader, readHeader } from "./http-response.ts";
import { type Load, Sampling } from "./load.ts";

/** Where to send what. */
export interface HttpLoadOptions {
  readonly port: number;
  readonly connections: number;
  /** At least one per connection, dealt out to them in turn: they differ in the session they belong to. */
  readonly requests: readonly PreparedRequest[];
  /** The answer to expect, or a function that throws if one is wrong. */
  readonly expectation: Expectation | ((message: string) => void);
  readonly ids: Ids;
}

/** Connections stay open from one start to the next; those that a server has closed meanwhile are opened again. */
export class HttpLoad implements Load {
  readonly #options: HttpLoadOptions;
  readonly #sampling: Sampling;
  #connections: Connection[] = [];
  #onAnswer = (): void => {};

  constructor(options: HttpLoadOptions) {
    this.#options = options;
    this.#sampling = new Sampling(options.expectation);
  }

  async start(onAnswer: () => void): Promise<void> {
    const { port, connections, requests, ids } = this.#options;
    this.#onAnswer = onAnswer;
    const onResponse = (response: HttpResponse): void => {
      this.#check(response);
      this.#onAnswer();
    };
    this.#connections = await Promise.all(
      Array.from({ length: connections }, async (_, number) => {
        const kept = this.#connections[number];
        if (kept?.isOpen === true) return kept;
        const own = requests.filter((_request, index) => index % connections === number);
        return Connection.open(port, own, ids, onResponse);
      }),
    );
    for (const connection of this.#connections) connection.start();
  }

  async drain(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.finish()));
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  #check(response: HttpResponse): void {
    if (response.status !== 200) {
      throw new Error(`HTTP ${response.status}: ${Buffer.concat(response.body).toString().slice(0, 400)}`);
    }
    if (this.#sampling.isDue()) this.#sampling.check(readMessage(response));
  }
}

/** The JSON-RPC message in a response. */
export function readMessage({ head, body }: HttpResponse): string {
  return readHttpAnswer(Buffer.concat(body).toString(), readHeader(head, "content-type"));
}

/** A socket with exactly one call in flight. */
class Connection {
  readonly #socket: Socket;
  readonly #requests: readonly PreparedRequest[];
  readonly #ids: Ids;
  #turn = 0;
  #isInUse = false;
  #finishing: (() => void) | undefined;

  static async open(
    port: number,
    requests: readonly PreparedRequest[],
    ids: Ids,
    onResponse: (response: HttpResponse) => void,
  ): Promise<Connection> {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    await once(socket, "connect");
    return new Connection(socket, requests, ids, onResponse);
  }

  private constructor(
    socket: Socket,
    requests: readonly PreparedRequest[],
    ids: Ids,
    onResponse: (response: HttpResponse) => void,
  ) {
    this.#socket = socket;
    // Ids are written in place, so that each connection needs bytes of its own.
    this.#requests = requests.map(({ bytes, idOffset }) => ({ bytes: Buffer.from(bytes), idOffset }));
    this.#ids = ids;
    const reader = new HttpResponseReader((response) => {
      onResponse(response);
      if (this.#finishing === undefined) this.#send();
      else {
        this.#isInUse = false;
        this.#finishing();
      }
    });
    socket.on("data", (bytes: Buffer) => reader.push(bytes));
    socket.on("close", () => {
      if (this.#isInUse) throw new Error("The server closed a connection that was in use.");
    });
    // An idle connection may be reset; whether it was in use tells the rest.
    socket.on("error", () => {});
  }

  get isOpen(): boolean {
    return this.#socket.writable && this.#socket.readable;
  }

  start(): void {
    this.#finishing = undefined;
    this.#isInUse = true;
    this.#send();
  }

  close(): void {
    this.#isInUse = false;
    this.#socket.destroy();
  }

  #send(): void {
    const request = this.#requests[this.#turn % this.#requests.length];
    if (request === undefined) throw new Error("A connection has nothing to send.");
    this.#turn++;
    writeId(request.bytes, request.idOffset, this.#ids.next());
    this.#socket.write(request.bytes);
  }

  async finish(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#finishing = resolve;
    });
  }
}
