import {
  AuthError,
  type Channel,
  type Exchange,
  type MalformedMessage,
  type Message,
  type NotificationMessage,
  type Outgoing,
  type PeerHandlers,
  ProtocolViolation,
  type Reply,
  type RequestId,
  type RequestMessage,
  TransportError,
} from "@toolwire/protocol";
import { isTemporary } from "../../transports/refusal.ts";
import { wait } from "../../waiting.ts";
import {
  forgottenSession,
  GuessedSessionLoss,
  HttpStatusError,
  namesRequest,
  sessionLossOf,
  toFailure,
} from "../../transports/http/errors.ts";
import { Multiplexer } from "@toolwire/protocol/internal";
import type { AnswerSink, Refusal } from "../../transports/http/response.ts";
import { MAX_SERVER_REQUESTS } from "../../connection/open-transport.ts";
import { Deliveries } from "../../transports/http/post-message.ts";
import type { Sender, SentRequest } from "../../transports/http/request.ts";
import { ResumableStream, type StreamHost, type StreamSink } from "./stream.ts";

/** How many cancellations are on their way at once: thousands of calls may be given up in the same moment. */
export const MAX_CANCELLATIONS = 4;

/** How long a server may take to acknowledge a cancellation before the next is sent. */
export const CANCELLATION_MS = 10_000;

/** How many answers to the server are on their way at once: each takes a connection, and one text may ask a thousand times. */
export const MAX_REPLIES = 64;

/** Beyond how many that wait there is no use in another answer: a server that asks so much, but takes none, wants none. */
export const MAX_WAITING_REPLIES = 1024;

/** Does a few things at a time, in the order in which they come; the others wait for their turn. */
export class Lane<Key> {
  readonly #width: number;
  #busy = 0;
  /** Those that wait, and how to tell them whether their turn has come or never will. */
  readonly #waiting = new Map<Key, (hasTurn: boolean) => void>();

  constructor(width: number) {
    this.#width = width;
  }

  /**
   * Resolves when the work is done, or is not to be done any more. Until it begins, it can be dropped by its key. Rejects if
   * as much as `maxWaiting` is waiting already.
   */
  async run(key: Key, work: () => Promise<void>, maxWaiting: number = Infinity): Promise<void> {
    if (this.#busy < this.#width) this.#busy += 1;
    else if (this.#waiting.size >= maxWaiting) {
      throw new TransportError("OVERLOADED", "The server takes no answers.");
    } else if (!(await new Promise<boolean>((resolve) => this.#waiting.set(key, resolve)))) return;
    try {
      await work();
    } finally {
      this.#leave();
    }
  }

  /** Forgets what is still waiting. Returns false if there is no such thing: then it has begun, or never was. */
  drop(key: Key): boolean {
    this.#waiting.get(key)?.(false);
    return this.#waiting.delete(key);
  }

  /** The place is handed on, or free. */
  #leave(): void {
    for (const [key, begin] of this.#waiting) {
      this.#waiting.delete(key);
      begin(true);
      return;
    }
    this.#busy -= 1;
  }
}

/** How long to wait before each further attempt to deliver an answer. */
const PAUSES_MS = [50, 200, 800];

/**
 * Delivers the answer to a question of the server. If its connection breaks, or the server puts it off, it is posted again: a
 * question is answered by its id, so a second answer changes nothing. `isWanted` says whether that is still of any use. Rejects
 * with what the last attempt failed by.
 */
export async function deliverAnswer(
  post: () => Promise<void>,
  isWanted: () => boolean,
  over: AbortSignal,
): Promise<void> {
  let mayHaveArrived = false;
  for (let attempt = 0; attempt === 0 || isWanted(); attempt++) {
    try {
      await post();
      return;
    } catch (error) {
      const pause = isPassing(error) ? PAUSES_MS[attempt] : undefined;
      if (pause === undefined) {
        if (mayHaveArrived && isUnwanted(error)) return;
        throw error;
      }
      mayHaveArrived ||= (error as TransportError).code === "CONNECTION_LOST";
      await wait(pause, over);
    }
  }
}

/** Whether the server has read the answer and has no use for it, as when it does not wait for it any more. */
export function isUnwanted(error: unknown): boolean {
  return error instanceof HttpStatusError && error.status >= 400 && error.status < 500 && error.status !== 413;
}

/** Whether the next attempt may succeed. */
function isPassing(error: unknown): boolean {
  if (isTemporary(error)) return true;
  return error instanceof TransportError && (error.code === "CONNECT_FAILED" || error.code === "CONNECTION_LOST");
}

/**
 * What a server asks on behalf of requests that it has not answered yet. If nobody waits for the answer to a request any
 * more, it cannot take back what it has asked for it: the stream on which it would say so ends with the request.
 */
export class Questions {
  /** What withdraws each of them that is open, and on whose behalf it was asked. */
  readonly #open = new Map<() => void, RequestMessage>();

  /** Asks whoever answers requests of the server. What comes on the stream of the session is on nobody's behalf. */
  ask(
    inbound: Multiplexer,
    handlers: PeerHandlers,
    request: RequestMessage,
    reply: Reply,
    behalf: RequestMessage | undefined,
  ): Exchange {
    if (behalf === undefined) return handlers.request!(request, reply);
    // As if the server had taken it back.
    const params = { requestId: request.id, reason: "nobody waits any more for what it was asked for" };
    const withdraw = (): void => inbound.message({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    this.#open.set(withdraw, behalf);
    const tracked: Reply = {
      notify: (message) => reply.notify(message),
      respond: (message) => {
        this.#open.delete(withdraw);
        reply.respond(message);
      },
    };
    const asked = handlers.request!(request, tracked, behalf);
    return {
      cancel: (reason) => {
        this.#open.delete(withdraw);
        asked.cancel(reason);
      },
    };
  }

  /** Nobody is to be bothered any more on behalf of this request. */
  withdraw(request: RequestMessage): void {
    for (const [withdraw, behalf] of this.#open) if (behalf === request) withdraw();
  }
}

/**
 * What the failure of one POST says about the connection of an HTTP+SSE pair. `up`: nothing, the message alone has failed.
 * `unreachable`: no other message will arrive either, but answers may still come on the stream. `gone`: the server does not know
 * the connection any more.
 */
export type ConnectionState = "up" | "unreachable" | "gone";

/** The state of the connection after a POST has failed with this error. */
export function stateAfter(error: Error): ConnectionState {
  // Gateways say so of a server that they cannot reach.
  if (error instanceof HttpStatusError) return error.status === 502 || error.status === 504 ? "unreachable" : "up";
  const code = error instanceof TransportError ? error.code : undefined;
  if (code === "SESSION_EXPIRED") return "gone";
  return code === "CONNECT_FAILED" || code === "CONNECTION_LOST" ? "unreachable" : "up";
}

/** What the refusal of a message means. The session is part of the address, so a server that has lost it says what others say. */
export function explainPostRefusal(refusal: Refusal, url: URL, message: Outgoing): Error {
  const failure = toFailure(refusal, url);
  const { id, method } = message as Partial<RequestMessage>;
  // The address was named a moment ago: if nothing is there, it never was right.
  if (method === "initialize") return failure;
  const loss = sessionLossOf(refusal, id !== undefined && namesRequest(refusal, id));
  if (loss === "certain") return forgottenSession(refusal, url);
  return loss === "guess" ? new GuessedSessionLoss(refusal, url, failure) : failure;
}

/** What calls that wait for an answer are told, after the connection was given up because of another message. */
export function lossBy(cause: Error): TransportError {
  const message = `The connection was given up, because a message could not be delivered. ${cause.message}`;
  return new TransportError("CONNECTION_LOST", message, { cause });
}

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
