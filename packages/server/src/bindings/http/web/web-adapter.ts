import type { EncodedParts } from "@toolwire/protocol/internal";
import type {
  Body,
  BodyProblem,
  DisconnectListener,
  HeaderList,
  HttpRequestAdapter,
  ResponseStream,
} from "../adapter.ts";

/** How many bytes of a stream are queued before writers should wait. */
const HIGH_WATER = 64 * 1024;

/** Adapts a web-standard `Request`, and makes the `Response` to it. */
export class WebRequestAdapter implements HttpRequestAdapter {
  readonly method: string;
  readonly target: string;
  readonly routedPath: string;
  readonly connection: undefined;
  readonly address: undefined;
  readonly isEncrypted: boolean;
  readonly isPipelined = false;
  readonly unsent: undefined;
  /** The return value of `fetch`. */
  readonly response: Promise<Response>;
  readonly raw: Request;
  readonly #url: URL;
  #resolve!: (response: Response) => void;
  #stream: WebStream | undefined;
  #listener: DisconnectListener | undefined;
  #isSent = false;

  constructor(request: Request) {
    this.raw = request;
    this.#url = new URL(request.url);
    this.isEncrypted = this.#url.protocol === "https:";
    this.method = request.method;
    this.target = this.#url.pathname + this.#url.search;
    this.routedPath = this.#url.pathname;
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  header(name: string): string | undefined {
    const value = this.raw.headers.get(name);
    if (value !== null) return value;
    // Some platforms have the host in the URL only.
    return name === "host" ? this.#url.host : undefined;
  }

  readBody(limit: number, receive: (body: Body | BodyProblem) => void): void {
    // If the body breaks off, the client has disconnected; the platform waits for a response all the same.
    readText(this.raw, limit).then(receive, () => this.#resolve(new Response(null, { status: 400 })));
  }

  send(status: number, headers: HeaderList, body?: string | EncodedParts): void {
    this.#isSent = true;
    const content = typeof body === "object" ? new Blob([body.before, body.bytes, body.after]) : body;
    // Some platforms send a body that a HEAD must not have.
    this.#resolve(
      new Response(this.method === "HEAD" ? null : (content ?? null), { status, headers: toHeaders(headers) }),
    );
  }

  stream(headers: HeaderList): ResponseStream {
    this.#stream = new WebStream(() => this.#disconnected());
    this.#resolve(new Response(this.#stream.readable, { headers: toHeaders(headers) }));
    return this.#stream;
  }

  onTurn(listener: () => void): void {
    listener();
  }

  onDisconnect(listener: DisconnectListener): void {
    const { signal } = this.raw;
    const isFirst = this.#listener === undefined;
    this.#listener = listener;
    // Some platforms abort the signal, some cancel the stream, some do both, and some abort after a complete response.
    if (signal.aborted) queueMicrotask(() => this.#disconnected());
    else if (isFirst) signal.addEventListener("abort", () => this.#disconnected(), { once: true });
  }

  #disconnected(): void {
    const listener = this.#listener;
    this.#listener = undefined;
    if (listener === undefined || this.#isAnswered) return;
    listener.disconnected();
    // The client does not read this, but the platform waits for it.
    this.#resolve(new Response(null, { status: 499 }));
  }

  get #isAnswered(): boolean {
    return this.#isSent || this.#stream?.isEnded === true;
  }
}

/** A `ReadableStream` that is fed from outside. */
class WebStream implements ResponseStream {
  readonly readable: ReadableStream<Uint8Array>;
  isEnded = false;
  readonly #onCancel: () => void;
  readonly #encoder = new TextEncoder();
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #drained: (() => void) | undefined;
  #waiting: Promise<void> | undefined;

  /** `onCancel` is called when the platform cancels the stream. */
  constructor(onCancel: () => void) {
    this.#onCancel = onCancel;
    this.readable = new ReadableStream(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#resume(),
        cancel: () => this.#cancelled(),
      },
      { highWaterMark: HIGH_WATER, size: (chunk) => chunk?.byteLength ?? 0 },
    );
  }

  get queuedBytes(): number {
    return HIGH_WATER - (this.#controller.desiredSize ?? HIGH_WATER);
  }

  write(text: string): void | Promise<void> {
    if (this.isEnded) return;
    this.#controller.enqueue(this.#encoder.encode(text));
    if ((this.#controller.desiredSize ?? 1) > 0) return;
    return (this.#waiting ??= new Promise((resolve) => {
      this.#drained = resolve;
    }));
  }

  end(text: string): void {
    if (this.isEnded) return;
    if (text !== "") this.#controller.enqueue(this.#encoder.encode(text));
    this.isEnded = true;
    this.#controller.close();
    this.#resume();
  }

  destroy(): void {
    this.#controller.error(new Error("The client reads too slowly."));
    this.#cancelled();
  }

  #cancelled(): void {
    if (this.isEnded) return;
    this.#onCancel();
    this.isEnded = true;
    this.#resume();
  }

  #resume(): void {
    this.#drained?.();
    this.#drained = this.#waiting = undefined;
  }
}

function toHeaders(list: HeaderList): Headers {
  const headers = new Headers();
  for (let index = 0; index + 1 < list.length; index += 2) headers.append(list[index] ?? "", list[index + 1] ?? "");
  return headers;
}

/** Reads the body of a request as text. */
async function readText({ body, bodyUsed, headers }: Request, limit: number): Promise<Body | BodyProblem> {
  if (bodyUsed || body?.locked) return "gone";
  if (body === null) return { text: "" };
  const reader = body.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let length = Number(headers.get("content-length")) > limit ? Infinity : 0;
  for (let text = ""; ;) {
    if (length > limit) return leave("tooLarge");
    const { done, value } = await reader.read();
    try {
      text += decoder.decode(value, { stream: !done });
    } catch {
      return leave("notUtf8");
    }
    if (done) return { text };
    length += value.byteLength;
  }

  /** Ignores the rest of the body, and errors of it: the problem found first is reported. */
  function leave<T>(problem: T): T {
    reader.cancel().catch(() => undefined);
    return problem;
  }
}
