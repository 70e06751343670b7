import type { EncodedParts } from "@toolwire/protocol";
import type { BodyReceiver, HeaderList, HttpFront, StreamOut } from "./front.ts";

/** How many bytes of a stream are accepted before whoever writes should wait. */
const HIGH_WATER = 64 * 1024;

/** A `Request`, and the `Response` to it. */
export class WebFront implements HttpFront {
  readonly method: string;
  readonly target: string;
  readonly connection: undefined;
  /** What becomes the return value of `fetch`. */
  readonly response: Promise<Response>;
  readonly #request: Request;
  readonly #url: URL;
  #resolve!: (response: Response) => void;
  #stream: WebStream | undefined;
  #gone: (() => void) | undefined;
  #isSent = false;

  constructor(request: Request) {
    this.#request = request;
    this.#url = new URL(request.url);
    this.method = request.method;
    this.target = this.#url.pathname + this.#url.search;
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  header(name: string): string | undefined {
    const value = this.#request.headers.get(name);
    if (value !== null) return value;
    // Some platforms keep the host in the URL alone.
    return name === "host" ? this.#url.host : undefined;
  }

  readBody(limit: number, receiver: BodyReceiver): void {
    if (this.#request.bodyUsed) return receiver.gone();
    readBytes(this.#request, limit).then(
      (bytes) => {
        if (bytes === undefined) return receiver.tooLarge();
        let text: string;
        try {
          text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
        } catch {
          return receiver.notUtf8();
        }
        receiver.text(text);
      },
      // The client is gone, and nobody waits for a response.
      () => this.#resolve(new Response(null, { status: 400 })),
    );
  }

  send(status: number, headers: HeaderList, body?: string | EncodedParts): void {
    this.#isSent = true;
    const content = typeof body === "object" ? new Blob([body.before, body.bytes, body.after]) : body;
    this.#resolve(new Response(content ?? null, { status, headers: toHeaders(headers) }));
  }

  stream(headers: HeaderList): StreamOut {
    this.#stream = new WebStream(() => this.#gone?.());
    this.#resolve(new Response(this.#stream.readable, { headers: toHeaders(headers) }));
    return this.#stream;
  }

  onGone(listener: () => void): void {
    this.#gone = () => {
      this.#gone = undefined;
      if (this.#isAnswered) return;
      listener();
      // Nobody reads this, but the platform waits for it.
      this.#resolve(new Response(null, { status: 499 }));
    };
    // Some platforms abort the signal, some cancel the stream, some do both, and some abort after a complete answer.
    const { signal } = this.#request;
    if (signal.aborted) queueMicrotask(() => this.#gone?.());
    else signal.addEventListener("abort", () => this.#gone?.(), { once: true });
  }

  get #isAnswered(): boolean {
    return this.#isSent || this.#stream?.isEnded === true;
  }
}

/** A `ReadableStream` that is fed from outside. */
class WebStream implements StreamOut {
  readonly readable: ReadableStream<Uint8Array>;
  isEnded = false;
  readonly #onCancel: () => void;
  readonly #encoder = new TextEncoder();
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #drained: (() => void) | undefined;
  #waiting: Promise<void> | undefined;

  /** `onCancel` hears when the reader is not interested any more. */
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

  get queued(): number {
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

  end(text?: string): void {
    if (this.isEnded) return;
    if (text !== undefined) this.#controller.enqueue(this.#encoder.encode(text));
    this.isEnded = true;
    this.#controller.close();
    this.#resume();
  }

  drop(): void {
    if (this.isEnded) return;
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

/** The body of a request, or undefined if it is larger than the limit. */
async function readBytes(request: Request, limit: number): Promise<Uint8Array | undefined> {
  if (request.body === null) return new Uint8Array();
  if (Number(request.headers.get("content-length")) > limit) {
    void request.body.cancel();
    return undefined;
  }
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length > limit) {
      void reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
  const [first = new Uint8Array()] = chunks;
  if (chunks.length <= 1) return first;
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
