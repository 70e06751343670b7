import type { Exchange, PeerHandlers, Reply, RequestMessage } from "@toolwire/protocol";
import type { Multiplexer } from "@toolwire/protocol/internal";

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
