import {
  AuthError,
  ProtocolViolation,
  TransportError,
  type Channel,
  type MalformedMessage,
  type Message,
  type NotificationMessage,
  type PeerHandlers,
  type Reply,
  type RequestId,
  type RequestMessage,
} from "@toolwire/protocol";
import { Multiplexer } from "@toolwire/protocol/internal";
import { MAX_SERVER_REQUESTS } from "../../connection/multiplex.ts";
import type { AnswerSink } from "../answer-reader.ts";
import { Deliveries } from "../deliveries.ts";
import type { Sender, SentRequest } from "../sender.ts";
import { deliverAnswer, isUnwanted } from "./answer-delivery.ts";
import { CANCELLATION_MS, Lane, MAX_CANCELLATIONS, MAX_REPLIES, MAX_WAITING_REPLIES } from "./lane.ts";
import { Questions } from "./questions.ts";
import { ResumableStream, type StreamHost, type StreamSink } from "./stream.ts";

/** What a session needs of its transport. */
export interface SessionHost {
  /** POSTs a message that gets no answer but an acknowledgement. */
  deliver(message: Message, timeout?: number): Promise<void>;
  /** The request that awaits an answer under this id. */
  findAnswer(id: RequestId): Pick<ResumableAnswer, "message" | "closed"> | undefined;
}

/** An answer that may be interrupted. */
export interface ResumableAnswer {
  message(message: Message): void;
  violation(error: ProtocolViolation): void;
  closed(error: Error): void;
}

/** Where the rest of an interrupted answer begins, when to ask for it, and what to say if it cannot be had. */
export interface Interruption {
  readonly lastEventId: string;
  readonly retryMs: number | undefined;
  readonly reason: Error;
}

/** How often the rest of an interrupted answer is asked for before giving up. */
const MAX_RESUMPTIONS = 10;

/** A session that lasted this long was a good one, whatever ended it. */
const GOOD_AFTER_MS = 5000;

/** How long the end of one that did not is kept back, doubled each time. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;

/** How long closing waits for a server to confirm the end of a session. */
const GOODBYE_MS = 1000;

/**
 * Everything that revisions 2025-03-26 to 2025-11-25 have besides POSTs and their answers: the session, the stream of
 * what a server says unasked, its requests, and the resumption of streams that broke. A transport makes one when it is
 * about to send `initialize`, and keeps it: a later `initialize` replaces the session that was.
 */
export class LegacySession implements StreamHost {
  readonly #host: SessionHost;
  readonly #sender: Sender;
  readonly #handlers: PeerHandlers;
  /** Requests of the server, and what it tells outside of any request. */
  #inbound: Multiplexer;
  /** On whose behalf the server has asked what `#inbound` is told of, or answers. */
  #behalf: RequestMessage | undefined;
  readonly #questions = new Questions();
  #id: string | undefined;
  #revision: string | undefined;
  #stream: ResumableStream | undefined;
  readonly #cancellations = new Lane<NotificationMessage>(MAX_CANCELLATIONS);
  /** Since when there is a session, how many in a row were over at once, and the end of the current one on its way up. */
  #since = 0;
  #expirations = 0;
  #expiring: ReturnType<typeof setTimeout> | undefined;
  readonly #over = new AbortController();

  constructor(host: SessionHost, sender: Sender, handlers: PeerHandlers) {
    this.#host = host;
    this.#sender = sender;
    this.#handlers = handlers;
    this.#inbound = this.#openInbound();
  }

  /** What the server keeps the session under, and can forget. Not every server does. */
  get id(): string | undefined {
    return this.#id;
  }

  /** The server has agreed to `initialize`, with these headers. */
  begin(header: (name: string) => string | undefined, result: object): void {
    // Nobody waits any more for what was asked before, and the server may begin again to count.
    if (this.#revision !== undefined) {
      void this.#inbound.close();
      this.#inbound = this.#openInbound();
    }
    this.#stream?.close();
    this.#stream = undefined;
    clearTimeout(this.#expiring);
    this.#expiring = undefined;
    this.#since = performance.now();
    this.#id = header("mcp-session-id");
    this.#revision = String((result as { readonly protocolVersion?: unknown }).protocolVersion);
  }

  /** Adds the headers that say which session a message belongs to. */
  addHeaders(headers: Record<string, string>): void {
    if (this.#revision === undefined) return;
    headers["mcp-protocol-version"] = this.#revision;
    if (this.#id !== undefined) headers["mcp-session-id"] = this.#id;
  }

  /**
   * Opens the stream of what the server says unasked, if there is a session. Servers may only use it once it is open, so
   * this resolves then.
   */
  async openStream(): Promise<void> {
    if (this.#revision === undefined) return;
    this.#stream?.close();
    this.#stream = new ResumableStream(this, {
      message: (message) => this.receive(message),
      violation: (error) => this.malformed(error),
      ended() {},
      refused: (reason) => this.#handlers.violation?.(noStream(reason)),
      ...(this.#id !== undefined && { expired: () => this.#expire() }),
      missed: () => this.#handlers.missed?.(),
    });
    await this.#stream.open();
  }

  /** The server does not know the session any more that a message was sent in. There may be another by now. */
  forgotten(id: string | undefined): void {
    if (id !== undefined && id === this.#id) this.#expire();
  }

  /** The same, found out by a request: further ones are likely to follow, and are not to fail for lack of a session. */
  forgottenByRequest(id: string): void {
    if (id !== this.#id) return;
    clearTimeout(this.#expiring);
    this.#expiring = undefined;
    this.#handlers.expired?.();
  }

  /**
   * A server that forgets its sessions at once, perhaps one of several, is not asked for new ones all the time. Requests do
   * not wait for this: each finds out by itself.
   */
  #expire(): void {
    // Several streams may find out at the same time.
    if (this.#expiring !== undefined) return;
    const hasLasted = performance.now() - this.#since > GOOD_AFTER_MS;
    const wait = hasLasted ? 0 : Math.min(FIRST_WAIT_MS * 2 ** this.#expirations, LONGEST_WAIT_MS);
    this.#expirations = hasLasted ? 0 : this.#expirations + 1;
    this.#expiring = setTimeout(() => {
      this.#expiring = undefined;
      this.#handlers.expired?.();
    }, wait);
  }

  /** Takes any message, whichever stream it came on: that of a request, or that of the session. */
  receive(message: Message, behalf?: RequestMessage): void {
    const id = "method" in message ? progressTokenOf(message) : message.id;
    const answer = id === undefined ? undefined : this.#host.findAnswer(id);
    this.#behalf = behalf;
    if (answer === undefined) this.#inbound.message(message);
    else answer.message(message);
  }

  /** The same for what is no message. Where it has an id, nobody is to wait in vain for it, on either side. */
  malformed(error: ProtocolViolation, behalf?: RequestMessage): void {
    const { id, mayAnswer } = error as Partial<MalformedMessage>;
    // Before there is a session, it may come of something that is no server at all, and is sent nothing more.
    if (id === undefined || this.#revision === undefined) {
      this.#handlers.violation?.(error);
      return;
    }
    this.#behalf = behalf;
    this.#inbound.malformed(error as MalformedMessage);
    if (mayAnswer === false) this.#host.findAnswer(id)?.closed(error);
  }

  #openInbound(): Multiplexer {
    const handlers = this.#handlers;
    const replies = new Lane<object>(MAX_REPLIES);
    const channel: Channel = {
      open() {},
      send: (message) => {
        const behalf = this.#behalf;
        const isCurrent = (): boolean => this.#inbound === inbound;
        const isWanted = (): boolean =>
          isCurrent() && (behalf === undefined || this.#host.findAnswer(behalf.id) !== undefined);
        const post = async (): Promise<void> => {
          if (isCurrent()) await this.#host.deliver(message as Message);
        };
        const deliver = (): Promise<void> => deliverAnswer(post, isWanted, this.#over.signal);
        return replies
          .run(message, deliver, MAX_WAITING_REPLIES)
          .catch((error: Error) => this.#undelivered(error, behalf));
      },
      async close() {},
    };
    const inbound = new Multiplexer(channel, { maxInFlight: MAX_SERVER_REQUESTS });
    // All but the end, which the transport tells: this is only one part of the connection.
    void inbound.open({
      ...handlers,
      ...(handlers.request !== undefined && {
        request: (request, reply) => {
          const behalf = this.#behalf;
          const ownReply: Reply = {
            notify: (message) => reply.notify(message),
            respond: (message) => {
              this.#behalf = behalf;
              reply.respond(message);
            },
          };
          return this.#questions.ask(inbound, handlers, request, ownReply, behalf);
        },
      }),
      outputEnded() {},
      closed() {},
    });
    return inbound;
  }

  /** An answer to the server could not be delivered. Whoever asked would wait for it in vain, and so would the call. */
  #undelivered(error: Error, behalf: RequestMessage | undefined): void {
    if (this.#over.signal.aborted) return;
    const call = behalf && this.#host.findAnswer(behalf.id);
    if ((error as Partial<TransportError>).code === "OVERLOADED") {
      // A server that takes no answers, but asks on, is not heard any more where it asked.
      if (behalf === undefined) this.#stream?.failed(error);
      else call?.closed(error);
      return;
    }
    const message = `The answer to a question of the server could not be delivered. ${error.message}`;
    if (call === undefined || isUnwanted(error)) {
      this.#handlers.violation?.(new ProtocolViolation("NOT_ACKNOWLEDGED", message, { cause: error }));
      return;
    }
    call.closed(new TransportError("CONNECTION_LOST", message, { cause: error }));
    this.cancel(behalf!, "the client could not deliver an answer that it needs");
  }

  /** A request gets no answer any more. */
  forsake(request: RequestMessage): void {
    this.#questions.withdraw(request);
  }

  /** Tells the server that nobody waits for an answer any more. */
  cancel({ id, method }: RequestMessage, reason: string | undefined): void {
    // The one request that the spec forbids to cancel.
    if (method === "initialize") return;
    const params = reason === undefined ? { requestId: id } : { requestId: id, reason };
    const message: NotificationMessage = { jsonrpc: "2.0", method: "notifications/cancelled", params };
    this.#cancellations.run(message, () => this.#host.deliver(message, CANCELLATION_MS)).catch(() => {});
  }

  /** Asks for the rest of an answer that broke off. */
  resume(answer: ResumableAnswer, { lastEventId, retryMs, reason }: Interruption): ResumableStream {
    const id = this.#id;
    const ended = (why?: Error): void => answer.closed(why ?? reason);
    const sink: StreamSink = {
      message: (message) => answer.message(message),
      violation: (error) => answer.violation(error),
      ended,
      // Refused credentials are what the caller can do something about; anything else is no better than the loss itself.
      refused: (why) => {
        if (why instanceof AuthError) ended(why);
      },
      expired: () => {
        ended();
        this.forgotten(id);
      },
      // Another session has other events, perhaps by the same ids.
      isOver: () => id !== this.#id,
    };
    const stream = new ResumableStream(this, sink, { lastEventId, retryMs, maxAttempts: MAX_RESUMPTIONS });
    stream.reopen();
    return stream;
  }

  listen(lastEventId: string | undefined, sink: AnswerSink): SentRequest {
    const headers: Record<string, string> = { accept: "text/event-stream" };
    if (lastEventId !== undefined) headers["last-event-id"] = lastEventId;
    this.addHeaders(headers);
    return this.#sender.send("GET", headers, undefined, true, sink);
  }

  async close(): Promise<void> {
    this.#over.abort();
    clearTimeout(this.#expiring);
    this.#stream?.close();
    if (this.#id !== undefined) await this.#sayGoodbye();
    await this.#inbound.close();
  }

  /** Tells the server that the session is over. It may refuse (405), and it may be gone: neither matters now. */
  #sayGoodbye(): Promise<void> {
    const headers: Record<string, string> = {};
    this.addHeaders(headers);
    const goodbye = new Deliveries(GOODBYE_MS).start((done) =>
      this.#sender.send("DELETE", headers, undefined, true, {
        message() {},
        violation() {},
        refused: () => done(),
        end: done,
        failed: done,
      }),
    );
    return goodbye.catch(() => {});
  }
}

/** The server goes on answering, but what it says unasked is not heard: changes, and questions of its own. */
function noStream(cause: Error): ProtocolViolation {
  return new ProtocolViolation("NO_STREAM", `What the server says unasked cannot be heard: ${cause.message}`, {
    cause,
  });
}

/** The request that a message reports on, on whichever stream it was sent. */
function progressTokenOf(message: RequestMessage | NotificationMessage): RequestId | undefined {
  if (message.method !== "notifications/progress" || "id" in message) return undefined;
  return (message.params as { readonly progressToken?: RequestId } | undefined)?.progressToken;
}
