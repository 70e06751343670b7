import { MalformedMessage, type Message, parseMessages, type ProtocolViolation } from "@toolwire/protocol";
import { JunkLimit } from "@toolwire/protocol/internal";
import type { SentSecrets } from "../sent-secrets.ts";
import type { HeadersNow } from "./headers.ts";
import type { MessageSink } from "./message-sink.ts";

/** Knows the credentials of a request, which are cleared from everything that becomes an error or a diagnostic. */
export interface ReadRequest {
  readonly secrets: SentSecrets;
  /** The header fields as they were sent, with all credentials. */
  readonly headers: HeadersNow | undefined;
}

/** Reads the texts of one response as messages, and passes these on. Texts that are not messages are reported within a limit. */
export class MessageReader {
  readonly #request: ReadRequest;
  readonly #sink: MessageSink;
  readonly #fail: (error: Error) => void;
  /** Limits texts that are not messages; made with the first of them. */
  #noise: JunkLimit | undefined;

  /** `fail` is called once there were too many texts that are not messages. */
  constructor(request: ReadRequest, sink: MessageSink, fail: (error: Error) => void) {
    this.#request = request;
    this.#sink = sink;
    this.#fail = fail;
  }

  read(text: string): void {
    if (this.#noise?.isSkipped(text)) {
      this.#count(this.#noise, text);
      return;
    }
    const { batch, allowsBatch = false } = this.#sink;
    let parsed: ReturnType<typeof parseMessages>;
    try {
      parsed = parseMessages(text, batch !== undefined || allowsBatch);
    } catch (error) {
      this.report(error as MalformedMessage, text);
      return;
    }
    if (!isBatch(parsed)) {
      this.#noise?.reset();
      this.#sink.message(this.#clear(parsed));
    } else if (batch !== undefined) batch(parsed.map((item) => this.#clear(item)));
    else for (const item of parsed) this.#readItem(this.#clear(item), text);
  }

  /** Reports a text that is not a message. */
  report(error: ProtocolViolation, text: string): void {
    const noise = (this.#noise ??= new JunkLimit());
    const { secrets, headers } = this.#request;
    if (noise.isReported(error)) this.#sink.violation(secrets.clearError(error, headers));
    this.#count(noise, text);
  }

  #readItem(item: Message | MalformedMessage, text: string): void {
    if (item instanceof MalformedMessage) {
      this.report(item, text);
      return;
    }
    this.#noise?.reset();
    this.#sink.message(item);
  }

  #count(noise: JunkLimit, text: string): void {
    const { secrets, headers } = this.#request;
    const excess = noise.add(secrets.clear(text, headers));
    if (excess !== undefined) this.#fail(excess);
  }

  /** Clears a message that becomes an error or a diagnostic. Results, which are most messages, stay as they are. */
  #clear<T extends Message | MalformedMessage>(message: T): T {
    if ("result" in message && typeof message.id === "number") return message;
    const { secrets, headers } = this.#request;
    return secrets.clearMessage(message, headers);
  }
}

function isBatch(parsed: ReturnType<typeof parseMessages>): parsed is readonly (Message | MalformedMessage)[] {
  return Array.isArray(parsed);
}
