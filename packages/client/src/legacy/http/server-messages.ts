import {
  type Channel,
  type Exchange,
  type MalformedMessage,
  type Message,
  type PeerHandlers,
  type Reply,
  type RequestMessage,
  TransportError,
} from "@toolwire/protocol";
import { Multiplexer } from "@toolwire/protocol/internal";
import { MAX_SERVER_REQUESTS } from "../../connection/open-transport.ts";
import { HttpStatusError } from "../../transports/http/errors.ts";
import { isTemporary } from "../../transports/refusal.ts";
import { wait } from "../../waiting.ts";
import { ConcurrencyLimit, MAX_REPLIES, MAX_WAITING_REPLIES } from "./concurrency-limit.ts";

/** The services that a session offers to the messages of its server. */
export interface ServerMessagesHost {
  /** POSTs an answer to a request of the server. */
  post(message: Message): Promise<void>;
  /** Whether a call still waits for the response to this request of the client. */
  isAwaited(request: RequestMessage): boolean;
  /** An answer could not be delivered. `behalf` is the request of the client for which the server asked. */
  undelivered(error: Error, behalf: RequestMessage | undefined): void;
  /** Aborted when the session is closed. */
  readonly over: AbortSignal;
}

/** How long to wait before each further attempt to deliver an answer. */
const PAUSES_MS = [50, 200, 800];

/**
 * The messages that a legacy server sends on its own in one session: its requests, which are answered by POSTs, and
 * notifications that belong to no request.
 */
export class ServerMessages {
  readonly #host: ServerMessagesHost;
  readonly #handlers: PeerHandlers;
  readonly #inbound: Multiplexer;
  readonly #replies = new ConcurrencyLimit<object>(MAX_REPLIES);
  /** The request of the client on whose stream the message came that `#inbound` now receives or answers. */
  #behalf: RequestMessage | undefined;
  /** How to withdraw each open request of the server, and the request of the client that it was sent for. */
  readonly #withdrawals = new Map<() => void, RequestMessage>();
  #isClosed = false;

  constructor(host: ServerMessagesHost, handlers: PeerHandlers) {
    this.#host = host;
    this.#handlers = handlers;
    const channel: Channel = {
      open() {},
      send: (message) => this.#sendReply(message as Message),
      async close() {},
    };
    this.#inbound = new Multiplexer(channel, { maxInFlight: MAX_SERVER_REQUESTS });
    void this.#inbound.open({
      ...handlers,
      ...(handlers.request !== undefined && { request: (request, reply) => this.#accept(request, reply) }),
      // The transport tells the end of the connection: this is only one part of it.
      outputEnded() {},
      closed() {},
    });
  }

  receive(message: Message, behalf: RequestMessage | undefined): void {
    this.#behalf = behalf;
    this.#inbound.message(message);
  }

  malformed(error: MalformedMessage, behalf: RequestMessage | undefined): void {
    this.#behalf = behalf;
    this.#inbound.malformed(error);
  }

  /**
   * Withdraws what the server has asked for a request that no call waits for any more. The server cannot withdraw it
   * itself: the stream on which it would do so ends with the request.
   */
  withdraw(request: RequestMessage): void {
    for (const [withdraw, behalf] of this.#withdrawals) if (behalf === request) withdraw();
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#inbound.close();
  }

  #sendReply(message: Message): Promise<void> {
    const behalf = this.#behalf;
    const isWanted = (): boolean => !this.#isClosed && (behalf === undefined || this.#host.isAwaited(behalf));
    const post = async (): Promise<void> => {
      if (!this.#isClosed) await this.#host.post(message);
    };
    const deliver = (): Promise<void> => deliverAnswer(post, isWanted, this.#host.over);
    return this.#replies
      .run(message, deliver, MAX_WAITING_REPLIES)
      .catch((error: Error) => this.#host.undelivered(error, behalf));
  }

  #accept(request: RequestMessage, reply: Reply): Exchange {
    const behalf = this.#behalf;
    const answer = this.#handlers.request!.bind(this.#handlers);
    const respond: Reply["respond"] = (message) => {
      this.#behalf = behalf;
      reply.respond(message);
    };
    // A request on the standalone stream belongs to no request of the client.
    if (behalf === undefined) return answer(request, { notify: (message) => reply.notify(message), respond });
    // As if the server had withdrawn its request.
    const params = { requestId: request.id, reason: "nobody waits any more for what it was asked for" };
    const withdraw = (): void => this.#inbound.message({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    this.#withdrawals.set(withdraw, behalf);
    const tracked: Reply = {
      notify: (message) => reply.notify(message),
      respond: (message) => {
        this.#withdrawals.delete(withdraw);
        respond(message);
      },
    };
    const exchange = answer(request, tracked, behalf);
    return {
      cancel: (reason) => {
        this.#withdrawals.delete(withdraw);
        exchange.cancel(reason);
      },
    };
  }
}

/**
 * Delivers the answer to a request of the server. If the connection breaks, or the server is busy, it is posted again: the
 * server knows the answer by its id, so a second one changes nothing. `isWanted` says whether that is still of use.
 * Rejects with the error of the last attempt.
 */
async function deliverAnswer(post: () => Promise<void>, isWanted: () => boolean, over: AbortSignal): Promise<void> {
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

/** Whether the server has read the answer and does not want it, as when it waits for it no longer. */
export function isUnwanted(error: unknown): boolean {
  return error instanceof HttpStatusError && error.status >= 400 && error.status < 500 && error.status !== 413;
}

/** Whether the next attempt may succeed. */
function isPassing(error: unknown): boolean {
  if (isTemporary(error)) return true;
  return error instanceof TransportError && (error.code === "CONNECT_FAILED" || error.code === "CONNECTION_LOST");
}
