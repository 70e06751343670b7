import type { ServerResponse } from "node:http";
import type { HeaderList, ResponseStream } from "../adapter.ts";

/** How long a client may read nothing of a response that is complete on our side. */
const STALLED_MS = 60_000;

/** The adapter of the same request, as a stream needs it. */
interface WholeResponse {
  send(status: number, headers: HeaderList, body: string): void;
  /** Ends the interest in disconnections. */
  complete(): void;
}

/** A response in pieces. The head is sent with the first one; if that is also the last, the length is known. */
export class NodeResponseStream implements ResponseStream {
  readonly #adapter: WholeResponse;
  readonly #response: ServerResponse;
  readonly #headers: HeaderList;
  #draining: Promise<void> | undefined;

  constructor(adapter: WholeResponse, response: ServerResponse, headers: HeaderList) {
    this.#adapter = adapter;
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
    // Node counts the characters of queued strings. In Latin-1 a character is a byte, and ASCII text is the same in it.
    const isAscii = Buffer.byteLength(text) === text.length;
    if (isAscii ? response.write(text, "latin1") : response.write(Buffer.from(text))) return;
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
    if (!response.headersSent) return this.#adapter.send(200, this.#headers, text);
    this.#adapter.complete();
    response.end(text);
    limitStalling(response);
  }

  destroy(): void {
    this.#response.destroy();
  }
}

/** Disconnects a client that does not read its complete response; `node:http` itself would wait for ever. */
export function limitStalling(response: ServerResponse): void {
  const { socket } = response;
  // A pipelined response has no socket, and is short: a refusal. Serverless adapters have plain objects in place of sockets.
  if (socket === null || !(socket.writableLength > 0)) return;
  const { timeout = 0 } = socket;
  socket.setTimeout(STALLED_MS);
  // Restores the timeout, which may be the application's, before `node:http` sets its own for idle connections.
  response.prependOnceListener("finish", () => socket.setTimeout(timeout));
}
