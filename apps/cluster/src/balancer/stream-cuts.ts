import type { Random } from "@toolwire/evidence/load";
import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";

/** A stream that passes through the balancer. */
interface Stream {
  /** The call whose answer it carries. */
  readonly call: string | undefined;
  readonly upstream: ClientRequest;
  readonly response: ServerResponse;
}

/** An event that a client can name when it comes back. */
const EVENT_ID = /(?:^|\n)id: ?\S/;

/** Knows the streams of legacy sessions that can be resumed, and cuts them. */
export class StreamCuts {
  readonly calls: Set<string> = new Set<string>();
  readonly #random: Random;
  readonly #resumable = new Set<Stream>();
  /** Streams of which only the client was told. */
  readonly #halfOpen = new Map<ServerResponse, ClientRequest>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** A stream begins. It can be resumed once an event with an id has passed. */
  watch(call: string | undefined, answer: IncomingMessage, upstream: ClientRequest, response: ServerResponse): void {
    const stream: Stream = { call, upstream, response };
    answer.on("data", (chunk: Buffer) => {
      if (EVENT_ID.test(chunk.toString("latin1"))) this.#resumable.add(stream);
    });
    answer.on("close", () => {
      this.#resumable.delete(stream);
      this.#halfOpen.delete(response);
    });
    response.on("close", () => this.#resumable.delete(stream));
  }

  /** Cuts one stream, rather one that carries the answer to a call. Returns whether there was one. */
  cutOne(): boolean {
    const all = [...this.#resumable];
    const ofCalls = all.filter(({ call }) => call !== undefined);
    const from = ofCalls.length > 0 && this.#random.next() < 0.9 ? ofCalls : all;
    const stream = from[this.#random.between(0, from.length - 1)];
    if (stream === undefined) return false;
    this.#resumable.delete(stream);
    if (stream.call !== undefined) this.calls.add(stream.call);
    // Every other server does not notice: its connection stays open, and nobody reads from it.
    if (this.#random.next() < 0.5) this.#halfOpen.set(stream.response, stream.upstream);
    else stream.upstream.destroy();
    stream.response.destroy();
    return true;
  }

  /** Whether the connection to the server stays open though that to the client has ended. */
  keepsOpen(response: ServerResponse): boolean {
    return this.#halfOpen.has(response);
  }

  close(): void {
    for (const upstream of this.#halfOpen.values()) upstream.destroy();
  }
}
