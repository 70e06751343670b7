import {
  AuthError,
  type MalformedMessage,
  type Message,
  type NotificationMessage,
  type PeerHandlers,
  ProtocolViolation,
  type RequestId,
  type RequestMessage,
  TransportError,
} from "@toolwire/protocol";
import type { HttpClient } from "../../transports/http/client.ts";
import type { HttpExchange } from "../../transports/http/exchange.ts";
import type { MessageSink } from "../../transports/http/message-sink.ts";
import { PendingPosts } from "../../transports/http/post-message.ts";
import { CANCELLATION_MS, ConcurrencyLimit, MAX_CANCELLATIONS } from "./concurrency-limit.ts";
import { isUnwanted, ServerMessages } from "./server-messages.ts";
import { ResumableStream, type StreamHost } from "./stream.ts";

/** The services that the legacy transport offers to its session. */
export interface SessionHost {
  /** POSTs a message that gets an acknowledgement and no response. */
  post(message: Message, timeout?: number): Promise<void>;
  /** Finds the request that awaits a response under this id. */
  findRequest(id: RequestId): Pick<ResumableRequest, "message" | "fail"> | undefined;
}

/** A request whose response may be interrupted. */
export interface ResumableRequest {
  message(message: Message): void;
  violation(error: ProtocolViolation): void;
  fail(error: Error): void;
}

/** Where the rest of an interrupted response begins, when to ask for it, and the error if it cannot be had. */
export interface Interruption {
  readonly lastEventId: string;
  readonly retryMs: number | undefined;
  readonly reason: Error;
}

/** How often the rest of an interrupted response is asked for before giving up. */
const MAX_RESUMPTIONS = 10;

/** After this time, a session counts as stable, whatever ends it. */
const STABLE_AFTER_MS = 5000;

/** How long to wait before telling the end of a session that was not stable; doubled each time. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;

/** How long closing waits for a server to confirm the end of a session. */
const DELETE_MS = 1000;

/**
 * A session of revisions 2025-03-26 to 2025-11-25: its id, the standalone stream for messages of the server, the
 * server's requests, and the resumption of streams that broke. There is one for each transport, from the first
 * `initialize` on; each later `initialize` begins it anew.
 */
export class LegacySession implements StreamHost {
  readonly #host: SessionHost;
  readonly #client: HttpClient;
  readonly #handlers: PeerHandlers;
  #serverMessages: ServerMessages;
  #id: string | undefined;
  #revision: string | undefined;
  #stream: ResumableStream | undefined;
  readonly #cancellations = new ConcurrencyLimit<NotificationMessage>(MAX_CANCELLATIONS);
  /** When the session began, in milliseconds of `performance.now()`. */
  #since = 0;
  /** How many sessions in a row were lost before they were stable. */
  #losses = 0;
  #expiryTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #over = new AbortController();

  constructor(host: SessionHost, client: HttpClient, handlers: PeerHandlers) {
    this.#host = host;
    this.#client = client;
    this.#handlers = handlers;
    this.#serverMessages = this.#createServerMessages();
  }

  /** The id that the server has given the session; not every server does. */
  get id(): string | undefined {
    return this.#id;
  }

  get allowsBatch(): boolean {
    return this.#revision === "2025-03-26";
  }

  /** The server has accepted `initialize`, with these headers and this result. */
  begin(header: (name: string) => string | undefined, result: object): void {
    // The server does not wait for answers of the session before, and may use its request ids again.
    if (this.#revision !== undefined) {
      void this.#serverMessages.close();
      this.#serverMessages = this.#createServerMessages();
    }
    this.#stream?.close();
    this.#stream = undefined;
    clearTimeout(this.#expiryTimer);
    this.#expiryTimer = undefined;
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
   * Opens the standalone stream, if there is a session. Servers can send messages of their own only once it is open, so
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
      missed: () => this.#handlers.session?.missed?.(),
    });
    await this.#stream.open();
  }

  /** A message was refused because the server does not know its session. There may be another session by now. */
  forgotten(id: string | undefined): void {
    if (id !== undefined && id === this.#id) this.#expire();
  }

  /** The same for a request. Told at once: further requests are likely to follow, and need a session. */
  forgottenByRequest(id: string): void {
    if (id !== this.#id) return;
    clearTimeout(this.#expiryTimer);
    this.#expiryTimer = undefined;
    this.#handlers.session?.expired?.();
  }

  /** Handles a message, whichever stream it came on: that of the request `behalf`, or the standalone stream. */
  receive(message: Message, behalf?: RequestMessage): void {
    const id = "method" in message ? progressTokenOf(message) : message.id;
    const request = id === undefined ? undefined : this.#host.findRequest(id);
    if (request === undefined) this.#serverMessages.receive(message, behalf);
    else request.message(message);
  }

  /** Handles a text that is not a message. If it has an id, whichever side waits for that message is told. */
  malformed(error: ProtocolViolation, behalf?: RequestMessage): void {
    const { id, mayAnswer } = error as Partial<MalformedMessage>;
    // Before there is a session, the text may come from something that is no MCP server: it is sent nothing more.
    if (id === undefined || this.#revision === undefined) {
      this.#handlers.violation?.(error);
      return;
    }
    this.#serverMessages.malformed(error as MalformedMessage, behalf);
    if (mayAnswer === false) this.#host.findRequest(id)?.fail(error);
  }

  /** Withdraws what the server has asked for a request that gets no response any more. */
  withdraw(request: RequestMessage): void {
    this.#serverMessages.withdraw(request);
  }

  /** Tells the server that a request was cancelled. */
  cancel({ id, method }: RequestMessage, reason: string | undefined): void {
    // The specification forbids to cancel this one.
    if (method === "initialize") return;
    const params = reason === undefined ? { requestId: id } : { requestId: id, reason };
    const message: NotificationMessage = { jsonrpc: "2.0", method: "notifications/cancelled", params };
    this.#cancellations.run(message, () => this.#host.post(message, CANCELLATION_MS)).catch(() => {});
  }

  /** Asks for the rest of an interrupted response. */
  resume(request: ResumableRequest, { lastEventId, retryMs, reason }: Interruption): ResumableStream {
    const id = this.#id;
    const ended = (why?: Error): void => request.fail(why ?? reason);
    const sink = {
      message: (message: Message) => request.message(message),
      violation: (error: ProtocolViolation) => request.violation(error),
      ended,
      // The caller can do something about refused credentials; all other errors say no more than the interruption.
      refused: (why: Error) => {
        if (why instanceof AuthError) ended(why);
      },
      expired: () => {
        ended();
        this.forgotten(id);
      },
      // The event ids of another session mean other events.
      isOver: () => id !== this.#id,
    };
    const stream = new ResumableStream(this, sink, { lastEventId, retryMs, maxAttempts: MAX_RESUMPTIONS });
    stream.reopen();
    return stream;
  }

  listen(lastEventId: string | undefined, sink: MessageSink): HttpExchange {
    const headers: Record<string, string> = { accept: "text/event-stream" };
    if (lastEventId !== undefined) headers["last-event-id"] = lastEventId;
    this.addHeaders(headers);
    return this.#client.send("GET", headers, undefined, sink);
  }

  async close(): Promise<void> {
    this.#over.abort();
    clearTimeout(this.#expiryTimer);
    this.#stream?.close();
    if (this.#id !== undefined) await this.#delete();
    await this.#serverMessages.close();
  }

  /**
   * Tells that the session is lost. A server that loses its sessions at once, perhaps one of several behind a balancer, is
   * asked for new ones ever more seldom. Requests do not wait for this: each finds out by itself.
   */
  #expire(): void {
    // Several streams may find out at the same time.
    if (this.#expiryTimer !== undefined) return;
    const wasStable = performance.now() - this.#since > STABLE_AFTER_MS;
    const wait = wasStable ? 0 : Math.min(FIRST_WAIT_MS * 2 ** this.#losses, LONGEST_WAIT_MS);
    this.#losses = wasStable ? 0 : this.#losses + 1;
    this.#expiryTimer = setTimeout(() => {
      this.#expiryTimer = undefined;
      this.#handlers.session?.expired?.();
    }, wait);
  }

  #createServerMessages(): ServerMessages {
    return new ServerMessages(
      {
        post: (message) => this.#host.post(message),
        isAwaited: ({ id }) => this.#host.findRequest(id) !== undefined,
        undelivered: (error, behalf) => this.#undelivered(error, behalf),
        over: this.#over.signal,
      },
      this.#handlers,
    );
  }

  /** Fails the call for which the server asked: without the answer, the server will not respond to it. */
  #undelivered(error: Error, behalf: RequestMessage | undefined): void {
    if (this.#over.signal.aborted) return;
    const call = behalf && this.#host.findRequest(behalf.id);
    if (error instanceof TransportError && error.code === "OVERLOADED") {
      // Ends the stream on which the server sends requests without taking the answers.
      if (behalf === undefined) this.#stream?.failed(error);
      else call?.fail(error);
      return;
    }
    const message = `The answer to a question of the server could not be delivered. ${error.message}`;
    if (call === undefined || isUnwanted(error)) {
      this.#handlers.violation?.(new ProtocolViolation("NOT_ACKNOWLEDGED", message, { cause: error }));
      return;
    }
    call.fail(new TransportError("CONNECTION_LOST", message, { cause: error }));
    this.cancel(behalf!, "the client could not deliver an answer that it needs");
  }

  /** Ends the session on the server. It may refuse (405), or be gone: neither matters now. */
  #delete(): Promise<void> {
    const headers: Record<string, string> = {};
    this.addHeaders(headers);
    const deletion = new PendingPosts(DELETE_MS).start((done) =>
      this.#client.send("DELETE", headers, undefined, {
        message() {},
        violation() {},
        refused: () => done(),
        end: () => done(),
        failed: () => done(),
      }),
    );
    return deletion.catch(() => {});
  }
}

/** The server still answers calls, but its own messages cannot be heard: changes, and requests. */
function noStream(cause: Error): ProtocolViolation {
  const message = `Messages that the server sends on its own cannot be received: ${cause.message}`;
  return new ProtocolViolation("NO_STREAM", message, { cause });
}

/** The id of the request that a progress notification reports on. */
function progressTokenOf(message: RequestMessage | NotificationMessage): RequestId | undefined {
  if (message.method !== "notifications/progress" || "id" in message) return undefined;
  return (message.params as { readonly progressToken?: RequestId } | undefined)?.progressToken;
}
