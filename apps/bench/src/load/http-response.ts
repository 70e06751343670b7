/**
 * Reads HTTP/1.1 responses off a connection: as much as servers on this machine send (Content-Length and chunked
 * bodies, no trailers), and as little work as that takes, so that the load generator outruns every server.
 */

/** A whole response. Body parts are views of what the socket delivered. */
export interface HttpResponse {
  readonly status: number;
  /** Header lines as they came, without the status line. */
  readonly head: string;
  readonly body: readonly Buffer[];
}

const HEAD_END = "\r\n\r\n";

/** Fed with bytes as they arrive, calls back once per whole response. */
export class HttpResponseReader {
  readonly #onResponse: (response: HttpResponse) => void;
  #pending: Buffer | undefined;
  #state: "head" | "sized" | "chunk-size" | "chunk-data" = "head";
  #status = 0;
  #head = "";
  #body: Buffer[] = [];
  /** Bytes of the body, or of the chunk with its closing line break, that are still to come. */
  #missing = 0;

  constructor(onResponse: (response: HttpResponse) => void) {
    this.#onResponse = onResponse;
  }

  push(received: Buffer): void {
    let bytes = received;
    if (this.#pending !== undefined) {
      bytes = Buffer.concat([this.#pending, received]);
      this.#pending = undefined;
    }
    let at = 0;
    while (at < bytes.length) {
      const next = this.#advance(bytes, at);
      if (next === -1) {
        this.#pending = bytes.subarray(at);
        return;
      }
      at = next;
    }
  }

  /** Consumes one step from `at` and returns where the next begins, or -1 when more bytes are needed for it. */
  #advance(bytes: Buffer, at: number): number {
    if (this.#state === "head") return this.#readHead(bytes, at);
    if (this.#state === "chunk-size") return this.#readChunkSize(bytes, at);
    return this.#readData(bytes, at);
  }

  #readHead(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(HEAD_END, at, "latin1");
    if (end === -1) return -1;
    const statusLineEnd = bytes.indexOf("\r\n", at, "latin1");
    this.#status = Number(bytes.toString("latin1", at + 9, at + 12));
    this.#head = bytes.toString("latin1", Math.min(statusLineEnd + 2, end), end);
    const length = /^content-length: *(\d+)/im.exec(this.#head)?.[1];
    if (length !== undefined) {
      this.#missing = Number(length);
      this.#state = "sized";
      if (this.#missing === 0) this.#finish();
    } else if (/^transfer-encoding: *chunked/im.test(this.#head)) {
      this.#state = "chunk-size";
    } else {
      this.#finish();
    }
    return end + HEAD_END.length;
  }

  #readChunkSize(bytes: Buffer, at: number): number {
    const end = bytes.indexOf("\r\n", at, "latin1");
    if (end === -1) return -1;
    const size = Number.parseInt(bytes.toString("latin1", at, end), 16);
    if (size > 0) {
      this.#missing = size + 2;
      this.#state = "chunk-data";
      return end + 2;
    }
    if (bytes.length < end + 4) return -1;
    this.#finish();
    return end + 4;
  }

  #readData(bytes: Buffer, at: number): number {
    const end = Math.min(at + this.#missing, bytes.length);
    this.#missing -= end - at;
    if (this.#state === "sized") {
      this.#body.push(bytes.subarray(at, end));
      if (this.#missing === 0) this.#finish();
      return end;
    }
    // The line break after a chunk is counted in, and may have arrived in part.
    const dataEnd = Math.min(end, end + this.#missing - 2);
    if (dataEnd > at) this.#body.push(bytes.subarray(at, dataEnd));
    if (this.#missing === 0) this.#state = "chunk-size";
    return end;
  }

  #finish(): void {
    const response = { status: this.#status, head: this.#head, body: this.#body };
    this.#body = [];
    this.#state = "head";
    this.#onResponse(response);
  }
}

/** The value of a header, or an empty string. */
export function readHeader(head: string, name: string): string {
  const match = new RegExp(`^${name}: *(.*?)\\r?$`, "im").exec(head);
  return match?.[1] ?? "";
}
