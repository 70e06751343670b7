import type { IncomingMessage, ServerResponse } from "node:http";
import { isUtf8 } from "node:buffer";
import { Socket } from "node:net";
import { PooledSet, type EncodedParts, type Pooled } from "@toolwire/protocol/internal";
import type {
  Body,
  BodyProblem,
  DisconnectListener,
  HeaderList,
  HttpRequestAdapter,
  ResponseStream,
} from "../adapter.ts";
import type { HttpEndpoint } from "../endpoint.ts";
import { limitStalling, NodeResponseStream } from "./node-stream.ts";
import { isPath, namesSeveralHosts, pathOf, readTarget } from "../../admission/hosts.ts";

/** Looks up the `Host` of a request. Node keeps the first of several; here they are joined, so that several are noticed. */
export function hostOf(request: IncomingMessage): string | undefined {
  // Requests made by adapters of serverless platforms do not have these.
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

/** Looks up a request header by its lower-case name. Repeated fields are joined (RFC 9110, section 5.3). */
export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  // Names such as `constructor` find members of the prototype.
  const value: unknown = headers[name];
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.join(", ") : undefined;
}

/**
 * Whether responses to earlier requests on the connection have to be sent before this one (RFC 9112, section 9.3.2).
 * `node:http` keeps the response in memory until then. It has no public way to tell what is ahead of a response, so this reads
 * the member by which it finds the current response of a connection. Where that is absent, as in other runtimes, no request
 * counts as pipelined.
 */
function isPipelined(request: IncomingMessage, response: ServerResponse): boolean {
  // A response has its socket from the start, unless there is one ahead of it. Serverless adapters never give it one.
  return response.socket === null && currentResponse(request) !== undefined;
}

/**
 * Whether Node has stopped reading the connection, because too much waits behind an incomplete response. It would not notice
 * that the client has disconnected, and the work for it would go on.
 */
function isBlocked(request: IncomingMessage, response: ServerResponse): boolean {
  if (response.socket !== null) return false;
  return currentResponse(request)?.writableEnded === false && request.socket.isPaused();
}

/** The response that the connection of a request carries now. */
function currentResponse({ socket }: IncomingMessage): ServerResponse | undefined {
  const { _httpMessage: current } = socket as { _httpMessage?: ServerResponse | null };
  return current ?? undefined;
}

const NO_BYTES: Buffer = Buffer.alloc(0);

/** How many bytes of a body are read after its request was refused. */
const MAX_IGNORED_BYTES = 1024 * 1024;

/** A request and a response of `node:http`, used as they are. */
class NodeRequestAdapter implements HttpRequestAdapter, Pooled {
  slot: number | undefined = undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #body: unknown;
  #waiting: PooledSet<NodeRequestAdapter> | undefined;
  #listener: DisconnectListener | undefined;

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
    // Express strips the path that a handler is mounted on from `url`.
    const { originalUrl } = this.#request as { originalUrl?: unknown };
    const target = typeof originalUrl === "string" ? originalUrl : (this.#request.url ?? "");
    return isPath(target) ? target : readTarget(target).path;
  }

  get routedPath(): string {
    return pathOf(readTarget(this.#request.url ?? "").path);
  }

  /** Host and port, if the target is in absolute form. */
  get #authority(): string | undefined {
    const { url = "" } = this.#request;
    return isPath(url) ? undefined : readTarget(url).authority;
  }

  get connection(): object {
    return this.#request.socket;
  }

  get isEncrypted(): boolean {
    return (this.#request.socket as { encrypted?: unknown }).encrypted === true;
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
    // Nearly always there is one chunk. Several are gathered in a buffer that doubles when it is full: in a list, a body in
    // chunks of one byte would take two hundred times its size.
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
      // These listeners live as long as the response, which may be a stream: they must not retain the body.
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
      response.writeHead(status, status === 204 ? [...headers] : headers.concat("Content-Length", "0"));
      response.end();
    } else {
      const length = typeof body === "string" ? Buffer.byteLength(body) : lengthOf(body);
      response.writeHead(status, headers.concat("Content-Length", String(length)));
      sendBody(response, body, length);
      limitStalling(response);
    }
  }

  stream(headers: HeaderList): ResponseStream {
    return new NodeResponseStream(this, this.#response, headers);
  }

  get isPipelined(): boolean {
    return isPipelined(this.#request, this.#response);
  }

  onTurn(listener: () => void): void {
    // Node writes the buffered response right after this event.
    this.#response.once("socket", () => queueMicrotask(listener));
  }

  get unsent(): Promise<void> | undefined {
    const response = this.#response;
    // Serverless adapters have plain objects in place of sockets.
    if (response.destroyed || !((response.socket?.writableLength ?? 0) > 0)) return undefined;
    return new Promise((resolve) => {
      response.once("finish", () => resolve()).once("close", () => resolve());
    });
  }

  onDisconnect(listener: DisconnectListener): void {
    const { socket } = this.#request;
    if (socket.destroyed || this.#response.destroyed) return queueMicrotask(() => listener.disconnected());
    this.#listener = listener;
    this.#waiting = waitingOn(socket);
    this.#waiting.add(this);
  }

  /** The response is complete: a disconnection is not reported any more. */
  complete(): void {
    this.#waiting?.delete(this);
  }

  /** The connection is lost. Other listeners may have completed this response meanwhile. */
  disconnected(): void {
    if (this.slot !== undefined) this.#listener?.disconnected();
  }
}

/**
 * Accepts a request of `node:http`. `body` is the body that a framework has read and parsed, if it has.
 */
export function acceptNodeRequest(
  endpoint: HttpEndpoint,
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
): void {
  if (isBlocked(request, response)) request.socket.destroy();
  else endpoint.accept(new NodeRequestAdapter(request, response, body));
}

/** Whether other code has begun to read the body. */
export function wasRead(request: IncomingMessage): boolean {
  return request.readableDidRead || request.readableEnded;
}

function lengthOf({ before, bytes, after }: EncodedParts): number {
  return Buffer.byteLength(before) + bytes.length + Buffer.byteLength(after);
}

/**
 * Sends the head and a whole body in one write. Node appends an empty chunk to the one that is given to `end`, and takes longer
 * to join the two than to write one. So everything is written to the corked socket first, and ended afterwards.
 */
function sendBody(response: ServerResponse, body: string | EncodedParts, length: number): void {
  const socket = response.socket instanceof Socket ? response.socket : undefined;
  socket?.cork();
  let last = body;
  if (typeof last !== "string") {
    // Encoded bytes are not copied into the text around them.
    response.write(last.before);
    response.write(last.bytes);
    last = last.after;
  }
  // ASCII text is the same bytes in Latin-1, which Node writes faster.
  const encoding = length === last.length ? "latin1" : "utf8";
  if (socket === undefined) response.end(last, encoding);
  else {
    response.write(last, encoding);
    socket.uncork();
    response.end();
  }
}

const connections = new WeakMap<Socket, PooledSet<NodeRequestAdapter>>();

/**
 * The requests on a connection that want to hear of its end. `IncomingMessage` closes as soon as its body is read, and a
 * `ServerResponse` that is pipelined does not hear of it.
 */
function waitingOn(socket: Socket): PooledSet<NodeRequestAdapter> {
  const known = connections.get(socket);
  if (known !== undefined) return known;
  const waiting = new PooledSet<NodeRequestAdapter>();
  connections.set(socket, waiting);
  // Serverless adapters have plain objects in place of sockets, which never close.
  if (typeof socket.on === "function") {
    socket.on("close", () => {
      for (const each of waiting.list()) each.disconnected();
    });
  }
  return waiting;
}

/**
 * After an early response, the client may still be sending its body. It can read the response, and use the connection again,
 * only if the rest of the body is consumed; this limits how much.
 */
function limitRest(request: IncomingMessage): void {
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_IGNORED_BYTES) request.destroy();
  });
}

function decode(bytes: Buffer): Body | BodyProblem {
  let text = bytes.toString("utf8");
  // A byte order mark is not part of the text, as for `TextDecoder` (RFC 8259, section 8.1).
  if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
  // Decoding replaces invalid bytes by U+FFFD, so only text with one has to be checked.
  return text.includes("\uFFFD") && !isUtf8(bytes) ? "notUtf8" : { text };
}

/** Takes the body that a framework has read, as text, bytes, or parsed. */
function takeParsed(body: unknown): Body | BodyProblem {
  if (typeof body === "string") return { text: body };
  return Buffer.isBuffer(body) ? decode(body) : { value: body };
}
