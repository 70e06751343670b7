import { encodeMessage, type Message } from "@toolwire/protocol";
import { Deliveries } from "./deliveries.ts";
import { toFailure } from "./failure.ts";
import type { LegacySession, SessionHandlers } from "./legacy/session.ts";
import type { Sender } from "./sender.ts";

/** What notices need of their transport. */
export interface NoticeHost {
  /** A message that came in place of an acknowledgement. */
  stray(message: Message): void;
  readonly session: LegacySession | undefined;
}

/**
 * POSTs the messages that get no answer but an acknowledgement: notifications, and responses to a legacy server. Modern
 * clients hardly ever send one, so this is loaded with the first.
 */
export class Notices {
  readonly #host: NoticeHost;
  readonly #sender: Sender;
  readonly #handlers: SessionHandlers;
  readonly #deliveries: Deliveries;

  constructor(host: NoticeHost, sender: Sender, handlers: SessionHandlers) {
    this.#host = host;
    this.#sender = sender;
    this.#handlers = handlers;
    this.#deliveries = new Deliveries(sender.options.timeout);
  }

  /** Resolves when the message is acknowledged. */
  send(message: Message, headers: Record<string, string>, timeout: number | undefined): Promise<void> {
    const session = headers["mcp-session-id"];
    const inSession = session !== undefined;
    return this.#deliveries.start((acknowledged, failed) => {
      const sent = this.#sender.send("POST", headers, encodeMessage(message), true, {
        message: (received) => this.#host.stray(received),
        violation: (error) => this.#handlers.violation?.(error),
        refused: (refusal) => {
          // Modern servers are not obliged to know any notification; their reason is worth reading, no more.
          if (refusal.error !== undefined && !inSession) this.#host.stray(refusal.error);
          const failure = toFailure(refusal, sent.url, inSession);
          if ("code" in failure && failure.code === "SESSION_EXPIRED") {
            this.#host.session?.forgotten(session);
          }
          failed(failure);
        },
        end: () => acknowledged(),
        failed,
      });
      return sent;
    }, timeout);
  }

  /** Gives up everything that is under way. */
  end(error: Error): void {
    this.#deliveries.end(error);
  }
}
