/**
 * Requests that come on a connection before those ahead of them are answered (RFC 9112, section 9.3.2). `node:http` keeps
 * their answers in memory until it is their turn. It has no public way to tell what is ahead of an answer, so this reads the
 * member by which it finds the answer that a connection carries now. Where that is absent, as in other runtimes, no request
 * counts as sent ahead.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isUtf8 } from "node:buffer";
import { Socket } from "node:net";
import { Roster, type EncodedParts, type Rostered } from "@toolwire/protocol/internal";
import type { Body, BodyProblem, HeaderList, HttpRequestAdapter, ResponseStream } from "../adapter.ts";
import { isPath, namesSeveralHosts, pathOf, readTarget } from "../../admission/hosts.ts";

/**
 * The `Host` of a request. Node keeps the first of several; here they are joined, like other headers that are repeated, so
 * that nobody takes the first for the only one.
 */
export function hostOf(request: IncomingMessage): string | undefined {
  // Adapters for functions in the cloud make requests that do not have these.
  const raw: readonly string[] = request.rawHeaders ?? [];
  let hosts = "";
  let count = 0;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!;
    if (name.length !== HOST.length || name.toLowerCase() !== HOST) continue;
    count += 1;
    hosts = count === 1 ? raw[index + 1]! : `${hosts}, ${raw[index + 1]}`;
  }
  return count > 1 ? hosts : headerOf(request, HOST);
}

const HOST = "host";

/** A request header, by its lower-case name; repeated ones are joined as HTTP says. */
export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  // Whoever asks for `constructor` finds more than headers.
  const value: unknown = headers[name];
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.join(", ") : undefined;
}

/** Whether answers to earlier requests on the connection have to be sent before this one. */
export function isBehind(request: IncomingMessage, response: ServerResponse): boolean {
  // An answer has its socket from the start, unless there is one ahead of it. Adapters make responses that never have one.
  return response.socket === null && currentAnswer(request) !== undefined;
}

/**
 * Whether so much waits to be sent behind an answer that is not complete that Node has stopped reading the connection. It
 * would then not notice that the client has left, and let the work for it go on.
 */
export function isBlocked(request: IncomingMessage, response: ServerResponse): boolean {
  if (response.socket !== null) return false;
  return currentAnswer(request)?.writableEnded === false && request.socket.isPaused();
}

/** The answer that the connection of a request carries now. */
function currentAnswer({ socket }: IncomingMessage): ServerResponse | undefined {
  const { _httpMessage: current } = socket as { _httpMessage?: ServerResponse | null };
  return current ?? undefined;
}

/** How long a client may take nothing of an answer that is complete on our side. */
const STALLED_MS = 60_000;

const NO_BYTES: Buffer = Buffer.alloc(0);

/** How much of a body is read after its request was refused. */
const MAX_IGNORED_BYTES = 1024 * 1024;

/** A request and a response of `node:http`, used as they are. */
export class NodeRequestAdapter implements HttpRequestAdapter, Rostered {
  place: number | undefined = undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #body: unknown;
  #waiting: Roster<NodeRequestAdapter> | undefined;
  #gone: (() => void) | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, body: unknown) {
    this.#request = request;
    this.#response = response;
    this.#body = body;
  }

  get raw(): IncomingMessage {
    return this.#request;
  }

  get method(): string {
    return this.#request.method ?? "";
  }

  get target(): string {
    // Express cuts off the path that a handler is mounted on, but clients know nothing of that.
    const { originalUrl } = this.#request as { originalUrl?: unknown };
    const target = typeof originalUrl === "string" ? originalUrl : (this.#request.url ?? "");
    return isPath(target) ? target : readTarget(target).path;
  }

  get routedPath(): string {
    return pathOf(readTarget(this.#request.url ?? "").path);
  }

  /** Host and port, if the target says them itself. */
  get #authority(): string | undefined {
    const { url = "" } = this.#request;
    return isPath(url) ? undefined : readTarget(url).authority;
  }

  get connection(): object {
    return this.#request.socket;
  }

  get address(): string | undefined {
    return this.#request.socket.remoteAddress;
  }

  header(name: string): string | undefined {
    if (name !== "host") return headerOf(this.#request, name);
    const host = hostOf(this.#request);
    return namesSeveralHosts(host) ? host : (this.#authority ?? host);
  }

  readBody(limit: number, receive: (body: Body | BodyProblem) => void): void {
    const request = this.#request;
    let isRefused = Number(request.headers["content-length"]) > limit;
    if (isRefused) return receive("tooLarge");
    if (this.#body !== undefined) return receive(takeParsed(this.#body));
    if (wasRead(request)) return receive("gone");
    // Nearly always there is one chunk. Others are gathered in a buffer that doubles when it is full: kept one by one, a body
    // that comes in chunks of a byte would cost two hundred times its size.
    let bytes: Buffer = NO_BYTES;
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      if (isRefused) return;
      const end = length + chunk.length;
      if (end > limit) {
        isRefused = true;
        bytes = NO_BYTES;
        return receive("tooLarge");
      }
      if (length === 0) bytes = chunk;
      else {
        if (end > bytes.length) bytes = Buffer.concat([bytes], Math.max(end, 2 * bytes.length));
        bytes.set(chunk, length);
      }
      length = end;
    });
    request.on("end", () => {
      if (isRefused) return;
      const body = decode(bytes.subarray(0, length));
      // The request is there for as long as its answer, which may be a stream, and with it these listeners.
      bytes = NO_BYTES;
      receive(body);
    });
  }

  send(status: number, headers: HeaderList, body?: string | EncodedParts): void {
    const response = this.#response;
    this.complete();
    if (response.destroyed || response.headersSent) return;
    if (!this.#request.complete) limitRest(this.#request);
    if (body === undefined) {
      response.writeHead(status, status === 204 ? [...headers] : [...headers, "Content-Length", "0"]);
      response.end();
    } else {
      const length = typeof body === "string" ? Buffer.byteLength(body) : lengthOf(body);
      response.writeHead(status, [...headers, "Content-Length", String(length)]);
      sendBody(response, body, length);
      limitStalling(response);
    }
  }

  stream(headers: HeaderList): ResponseStream {
    return new NodeStream(this, this.#response, headers);
  }

  get isPipelined(): boolean {
    return isBehind(this.#request, this.#response);
  }

  onTurn(listener: () => void): void {
    // Node writes what it has kept right behind this event.
    this.#response.once("socket", () => queueMicrotask(listener));
  }

  get unsent(): Promise<void> | undefined {
    const response = this.#response;
    // Of a mere object, as adapters for functions in the cloud have it, nothing is known.
    if (response.destroyed || !((response.socket?.writableLength ?? 0) > 0)) return undefined;
    return new Promise((resolve) => {
      response.once("finish", () => resolve()).once("close", () => resolve());
    });
  }

  onDisconnect(listener: () => void): void {
    const { socket } = this.#request;
    if (socket.destroyed || this.#response.destroyed) return queueMicrotask(listener);
    this.#gone = listener;
    this.#waiting = waitingOn(socket);
    this.#waiting.add(this);
  }

  /** The answer is complete: whether the client stays is of no more interest. */
  complete(): void {
    this.#waiting?.delete(this);
  }

  /** The connection is lost. What others do about that may have completed this answer. */
  lost(): void {
    if (this.place !== undefined) this.#gone?.();
  }
}

/** Whether somebody has begun to read the body. Of an empty one there is nothing to read but its end. */
export function wasRead(request: IncomingMessage): boolean {
  return request.readableDidRead || request.readableEnded;
}

function lengthOf({ before, bytes, after }: EncodedParts): number {
  return Buffer.byteLength(before) + bytes.length + Buffer.byteLength(after);
}

/**
 * Sends the head and a whole body in one go. Behind what it is given as the last piece, Node puts an empty one, and takes
 * longer to gather the two than to write one. So where the connection is its own, all is written before the end is told.
 */
function sendBody(response: ServerResponse, body: string | EncodedParts, length: number): void {
  const socket = response.socket instanceof Socket ? response.socket : undefined;
  socket?.cork();
  let last = body;
  if (typeof last !== "string") {
    // Prepared bytes go as they are, and are not copied into the rest of the text.
    response.write(last.before);
    response.write(last.bytes);
    last = last.after;
  }
  // Text that is all ASCII is the same bytes in Latin-1, which Node writes faster.
  const encoding = length === last.length ? "latin1" : "utf8";
  if (socket === undefined) response.end(last, encoding);
  else {
    response.write(last, encoding);
    socket.uncork();
    response.end();
  }
}

const connections = new WeakMap<Socket, Roster<NodeRequestAdapter>>();

/**
 * What waits on a connection. Neither of its objects will do: a request closes as soon as its body is read, and a response
 * that waits for its turn behind another hears of nothing.
 */
function waitingOn(socket: Socket): Roster<NodeRequestAdapter> {
  const known = connections.get(socket);
  if (known !== undefined) return known;
  const waiting = new Roster<NodeRequestAdapter>();
  connections.set(socket, waiting);
  // Adapters for functions in the cloud make requests whose socket is a mere object, which never closes.
  if (typeof socket.on === "function") {
    socket.on("close", () => {
      for (const each of waiting.list()) each.lost();
    });
  }
  return waiting;
}

/** An answer in pieces. The head goes out with the first of them; if that is also the last, the length is known. */
class NodeStream implements ResponseStream {
  readonly #front: NodeRequestAdapter;
  readonly #response: ServerResponse;
  readonly #headers: HeaderList;
  #draining: Promise<void> | undefined;

  constructor(front: NodeRequestAdapter, response: ServerResponse, headers: HeaderList) {
    this.#front = front;
    this.#response = response;
    this.#headers = headers;
  }

  get queuedBytes(): number {
    return this.#response.writableLength;
  }

  write(text: string): void | Promise<void> {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return;
    if (!response.headersSent) response.writeHead(200, [...this.#headers]);
    if (response.write(text)) return;
    return (this.#draining ??= new Promise((resolve) => {
      const settle = (): void => {
        response.off("drain", settle).off("close", settle);
        this.#draining = undefined;
        resolve();
      };
      response.on("drain", settle).on("close", settle);
    }));
  }

  end(text: string): void {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return;
    if (!response.headersSent) return this.#front.send(200, this.#headers, text);
    this.#front.complete();
    response.end(text);
    limitStalling(response);
  }

  destroy(): void {
    this.#response.destroy();
  }
}

/**
 * After an early answer, the client may still be sending: it cannot read why it was refused unless what it sends is taken
 * from it, and its connection can be used again afterwards. But that has to end some time.
 */
function limitRest(request: IncomingMessage): void {
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_IGNORED_BYTES) request.destroy();
  });
}

/** Cuts off a client that has its whole answer coming and reads nothing of it; `node:http` itself would wait for ever. */
function limitStalling(response: ServerResponse): void {
  const { socket } = response;
  // What waits for its turn behind another answer is a refusal, or as short. Of a mere object, as adapters for functions in
  // the cloud have it, nothing is known.
  if (socket === null || !(socket.writableLength > 0)) return;
  const { timeout = 0 } = socket;
  socket.setTimeout(STALLED_MS);
  // The server may be somebody else's. Ahead of `node:http`, which then sets the time that a connection may be idle.
  response.prependOnceListener("finish", () => socket.setTimeout(timeout));
}

function decode(bytes: Buffer): Body | BodyProblem {
  // A byte order mark is no part of the text, as for `TextDecoder` (RFC 8259, section 8.1).
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  // Decoding never fails, it puts U+FFFD in place of what is wrong; so only text with one is looked at twice.
  return text.includes("\uFFFD") && !isUtf8(bytes) ? "notUtf8" : { text };
}

/** Takes what a framework has made of the body. */
function takeParsed(body: unknown): Body | BodyProblem {
  if (typeof body === "string") return { text: body };
  return Buffer.isBuffer(body) ? decode(body) : { value: body };
}
