import {
  MalformedMessage,
  parseMessage,
  parseMessages,
  ProtocolViolation,
  type ErrorMessage,
  type Message,
} from "@toolwire/protocol";
import { createEventDecoder, type EventDecoder } from "@toolwire/protocol/framing";
import { Noise } from "@toolwire/protocol/internal";
import type { HttpExchange, HttpSink } from "./backend.ts";

/** Turns bytes into text; must put U+FFFD for what is no UTF-8. */
export type Decode = (bytes: Uint8Array, start: number, end: number) => string;

/** An answer that is not a success. */
export interface Refusal {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  /** All that could be read of the body. */
  readonly text: string;
  /** What the body says, if it says it as MCP servers do. */
  readonly error: ErrorMessage | undefined;
}

/** What an HTTP answer turns out to be. None of these throws. */
export interface AnswerSink {
  /** The answer begins: with this status, one of success, as a stream of events or as one JSON text. */
  head?(status: number, header: (name: string) => string | undefined, streams: boolean): void;
  message(message: Message): void;
  /** A batch, for those who know whether it is allowed where the headers of the request do not tell. */
  readonly batch?: (items: readonly (Message | MalformedMessage)[]) => void;
  /** An event of a kind of its own. True if that was meant for whoever listens; if not, it is read as a message. */
  event?(kind: string, data: string): boolean;
  /** The stream can be resumed after this event. */
  eventId?(id: string): void;
  /** How long the server wants clients to wait before they come back. */
  retry?(ms: number): void;
  /** Something that is no message; the answer goes on. */
  violation(error: ProtocolViolation): void;
  refused(refusal: Refusal): void;
  /** The answer is over. `text` is all of it, unless it was a stream. */
  end(text: string): void;
  failed(error: Error): void;
}

/** Where an answer comes from. */
export interface AnswerSource extends HttpExchange {
  /** Whether it may hold batches, by the revision that the request was sent in. */
  readonly allowsBatch: boolean;
  /**
   * Sends the request on to where the server says that it belongs; false if it says no such thing, or must not be
   * followed.
   */
  redirected(status: number, location: string | undefined): boolean;
}

const MAX_BYTES = 16 * 1024 * 1024;

/** How much of an error page is worth reading, and how long it is worth waiting for: its status says enough. */
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_ERROR_MS = 2000;

/** The same for a redirect, of which nothing is read: one that ends this soon leaves its connection for the next request. */
const MAX_REDIRECT_MS = 50;

/** The content type of server-sent events. Media types know no case (RFC 9110, 8.3.1). */
const EVENT_STREAM = /^text\/event-stream(?![^\s;])/i;

/** Reads one HTTP answer, JSON or server-sent events, as messages, within a size limit. */
export class AnswerReader implements HttpSink {
  readonly #sink: AnswerSink;
  readonly #source: AnswerSource;
  readonly #maxBytes: number;
  readonly #decode: Decode | undefined;
  #status = 0;
  #isSuccess = false;
  #header: (name: string) => string | undefined = () => undefined;
  #events: EventDecoder | undefined;
  /** The first chunk, which mostly is the only one, or a buffer that holds more than one. */
  #bytes: Uint8Array = new Uint8Array();
  #size = 0;
  /** Bounds what is no message; made with the first such thing. */
  #noise: Noise | undefined;
  #over = false;
  #patience: ReturnType<typeof setTimeout> | undefined;

  constructor(sink: AnswerSink, source: AnswerSource, maxBytes: number = MAX_BYTES, decode?: Decode) {
    this.#sink = sink;
    this.#source = source;
    this.#maxBytes = maxBytes;
    this.#decode = decode;
  }

  head(status: number, header: (name: string) => string | undefined): void {
    this.#status = status;
    this.#header = header;
    this.#isSuccess = status >= 200 && status <= 299;
    if (!this.#isSuccess) {
      this.#patience = setTimeout(() => this.#cutShort(), status < 400 ? MAX_REDIRECT_MS : MAX_ERROR_MS);
      return;
    }
    const streams = EVENT_STREAM.test(header("content-type") ?? "");
    this.#sink.head?.(status, header, streams);
    if (streams) this.#events = this.#createDecoder();
    else if (Number(header("content-length")) > this.#maxBytes) this.#tooLarge();
  }

  chunk(bytes: Uint8Array): void {
    if (this.#over) return;
    if (this.#events !== undefined) {
      this.#events.push(bytes);
      return;
    }
    this.#gather(bytes);
    if (this.#isSuccess) {
      if (this.#size > this.#maxBytes) this.#tooLarge();
    } else if (this.#size >= MAX_ERROR_BYTES) this.#cutShort();
  }

  end(): void {
    if (this.#over) return;
    if (!this.#isSuccess) {
      this.#refuse();
      return;
    }
    this.#over = true;
    this.#events?.end();
    const text = this.#events === undefined ? this.#text() : "";
    if (text !== "") this.#read(text);
    this.#sink.end(text);
  }

  failed(error: Error): void {
    if (this.#over) return;
    this.leave();
    this.#sink.failed(error);
  }

  /** Nobody waits for the answer any more. */
  leave(): void {
    this.#over = true;
    clearTimeout(this.#patience);
  }

  /** Whatever else an error page has to say is of no use. */
  #cutShort(): void {
    if (!this.#refuse()) this.#source.abort();
  }

  /** Ends an answer that is no success. Returns whether the request has gone elsewhere, where the server said. */
  #refuse(): boolean {
    this.leave();
    const status = this.#status;
    const header = this.#header;
    if (this.#source.redirected(status, header("location"))) return true;
    const text = this.#text();
    this.#sink.refused({ status, header, text, error: readError(text) });
    return false;
  }

  #createDecoder(): EventDecoder {
    return createEventDecoder(
      {
        event: ({ id, event, data }) => {
          if (this.#over) return;
          if (id !== undefined) this.#sink.eventId?.(id);
          const isTaken = event !== undefined && this.#sink.event?.(event, data);
          // An event without data only says where to resume.
          if (data !== "" && isTaken !== true) this.#read(data);
        },
        retry: (ms) => this.#sink.retry?.(ms),
        error: (error) => {
          if (error.code === "TOO_LARGE") this.#tooLarge();
          else this.#complain(error, error.message);
        },
      },
      { maxBytes: this.#maxBytes, decode: this.#decode },
    );
  }

  #read(text: string): void {
    if (this.#noise?.skips(text)) {
      this.#endure(this.#noise.add(text));
      return;
    }
    const { batch } = this.#sink;
    let parsed: ReturnType<typeof parseMessages>;
    try {
      parsed = parseMessages(text, batch !== undefined || this.#source.allowsBatch);
    } catch (error) {
      this.#complain(error as MalformedMessage, text);
      return;
    }
    const items = [parsed].flat() as readonly (Message | MalformedMessage)[];
    if (batch !== undefined && Array.isArray(parsed)) return batch(items);
    for (const item of items) {
      if (item instanceof MalformedMessage) this.#complain(item, text);
      else {
        this.#noise?.end();
        this.#sink.message(item);
      }
    }
  }

  #complain(error: ProtocolViolation, text: string): void {
    const noise = (this.#noise ??= new Noise());
    if (noise.isTold(error)) this.#sink.violation(error);
    this.#endure(noise.add(text));
  }

  #endure(tooMuch: Error | undefined): void {
    if (tooMuch !== undefined) this.#giveUp(tooMuch);
  }

  /** Kept one by one, chunks of a byte would cost two hundred times their size. */
  #gather(bytes: Uint8Array): void {
    const start = this.#size;
    this.#size += bytes.length;
    if (start === 0) this.#bytes = bytes;
    else {
      if (this.#size > this.#bytes.length) {
        const grown = new Uint8Array(this.#size * 2);
        grown.set(this.#bytes);
        this.#bytes = grown;
      }
      this.#bytes.set(bytes, start);
    }
  }

  #text(): string {
    if (this.#decode === undefined) return new TextDecoder().decode(this.#bytes.subarray(0, this.#size));
    // The platform's decoder leaves out a byte order mark, so every other one has to.
    return this.#decode(this.#bytes, 0, this.#size).replace(/^\uFEFF/, "");
  }

  #tooLarge(): void {
    const message = `The server's answer is larger than ${this.#maxBytes} bytes. If it may be, raise \`maxMessageBytes\`.`;
    this.#giveUp(new ProtocolViolation("TOO_LARGE", message));
  }

  /** Whoever is not heard any more must not go on sending either. */
  #giveUp(error: Error): void {
    this.failed(error);
    this.#source.abort();
  }
}

/** The JSON-RPC error in the body of an unsuccessful answer, where there is one. */
function readError(text: string): ErrorMessage | undefined {
  try {
    const message = parseMessage(text);
    return "error" in message ? message : undefined;
  } catch {
    return undefined;
  }
}
