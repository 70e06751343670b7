import { whenAborted } from "@toolwire/protocol/internal";
import { inTime } from "../../waiting.ts";
import type { HttpExchange } from "./backend.ts";
import { encodeMessage, ProtocolViolation, type Message, type PeerHandlers } from "@toolwire/protocol";
import {
  forgottenSession,
  GuessedSessionLoss,
  HttpStatusError,
  namesRequest,
  sessionLossOf,
  toFailure,
} from "./errors.ts";
import type { LegacySession } from "../../legacy/http/session.ts";
import type { Sender, SentRequest } from "./request.ts";

/** Sends a message, and says when it was acknowledged or why it was not. */
export type Deliver = (acknowledged: () => void, failed: (error: Error) => void) => HttpExchange;

/** The messages that were POSTed without a wish for an answer, until they are acknowledged; each within its time. */
export class Deliveries {
  readonly #timeout: number;
  readonly #over = new AbortController();

  constructor(timeout = 60_000) {
    this.#timeout = timeout;
  }

  /** Begins a delivery, and resolves when it is acknowledged. */
  start(deliver: Deliver, timeout: number = this.#timeout): Promise<void> {
    const message = `A message was not acknowledged within ${timeout} ms. If it may take longer, raise \`timeout\`.`;
    return inTime(timeout, message, [this.#over.signal], (limit) => {
      return new Promise<void>((resolve, reject) => {
        const http = deliver(resolve, reject);
        whenAborted(limit, () => http.abort());
      });
    });
  }

  /** Gives up everything that is under way. */
  end(error: Error): void {
    this.#over.abort(error);
  }
}

/** How many streams may stay open that came in place of acknowledgements. */
const MAX_STREAMS = 16;

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
  readonly #handlers: PeerHandlers;
  readonly #deliveries: Deliveries;
  /** What came as streams of events in place of acknowledgements. */
  readonly #streams = new Set<SentRequest>();

  constructor(host: NoticeHost, sender: Sender, handlers: PeerHandlers) {
    this.#host = host;
    this.#sender = sender;
    this.#handlers = handlers;
    this.#deliveries = new Deliveries(sender.options.timeout);
  }

  /** Resolves when the message is acknowledged. */
  send(message: Message, headers: Record<string, string>, timeout: number | undefined): Promise<void> {
    const session = headers["mcp-session-id"];
    const inSession = session !== undefined;
    const isReady = "method" in message && message.method === "notifications/initialized";
    return this.#deliveries.start((acknowledged, failed) => {
      const sent = this.#sender.send("POST", headers, encodeMessage(message), true, {
        message: (received) => this.#host.stray(received),
        violation: (error) => this.#handlers.violation?.(error),
        head: (_, __, streams) => {
          if (!streams) return;
          // Accepted all the same; and it may stay open for as long as the connection does.
          acknowledged();
          if (this.#streams.size < MAX_STREAMS) this.#streams.add(sent);
          else sent.abort();
        },
        refused: (refusal) => {
          // Modern servers are not obliged to know any notification; their reason is worth reading, no more.
          if (refusal.error !== undefined && !inSession) this.#host.stray(refusal.error);
          const isNamed = "id" in message && message.id !== undefined && namesRequest(refusal, message.id);
          const found = inSession ? sessionLossOf(refusal, isNamed) : undefined;
          // A session that was opened a moment ago is hardly forgotten: a guess would be wrong.
          const loss = isReady && found === "guess" ? undefined : found;
          if (loss !== undefined) this.#host.session?.forgotten(session);
          let failure = loss === "certain" ? forgottenSession(refusal, sent.url) : toFailure(refusal, sent.url);
          if (loss === "guess") failure = new GuessedSessionLoss(refusal, sent.url, failure);
          // Those who go on are served also by servers that know no notifications.
          if (isReady && failure instanceof HttpStatusError && failure.status < 500) {
            const problem = `It must hear that its client is ready. ${failure.message}`;
            this.#handlers.violation?.(new ProtocolViolation("NOT_ACKNOWLEDGED", problem, { cause: failure }));
            acknowledged();
          } else failed(failure);
        },
        end: () => {
          this.#streams.delete(sent);
          acknowledged();
        },
        failed: (error) => {
          this.#streams.delete(sent);
          failed(error);
        },
      });
      return sent;
    }, timeout);
  }

  /** Gives up everything that is under way. */
  end(error: Error): void {
    this.#deliveries.end(error);
    for (const stream of this.#streams) stream.abort();
  }
}
