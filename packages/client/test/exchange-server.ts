import {
  RpcError,
  toErrorResponse,
  type Exchange,
  type ExchangeHints,
  type ExchangeSink,
  type ExchangeTransport,
  type NotificationMessage,
  type PeerHandlers,
  type RequestMessage,
} from "@toolwire/protocol";

/** One request as an exchange transport sees it. */
export interface Exchanged {
  readonly request: RequestMessage;
  readonly sink: ExchangeSink;
  readonly headers: ExchangeHints["headers"];
  isCancelled: boolean;
}

/** A transport that speaks in exchanges, as HTTP does, with a script for a server. */
export interface ExchangeServer extends ExchangeTransport {
  readonly exchanged: Exchanged[];
  readonly notified: NotificationMessage[];
  hasHeaders: boolean;
  handlers: PeerHandlers;
  requests(method: string): Exchanged[];
}

/** Answers through the sink, or returns a result, or throws an error: an `RpcError` is answered, others fail the exchange. */
export type ExchangeScript = {
  readonly [method: string]: (exchanged: Exchanged) => object | undefined | Promise<object | undefined>;
};

export function exchangeServer(script: ExchangeScript): ExchangeServer {
  const server: ExchangeServer = {
    hasHeaders: true,
    exchanged: [],
    notified: [],
    handlers: {},
    requests: (method) => server.exchanged.filter(({ request }) => request.method === method),
    open(handlers) {
      server.handlers = handlers;
    },
    exchange(request: RequestMessage, sink: ExchangeSink, hints?: ExchangeHints): Exchange {
      const exchanged: Exchanged = { request, sink, headers: hints?.headers, isCancelled: false };
      server.exchanged.push(exchanged);
      void answer(exchanged);
      return {
        cancel() {
          exchanged.isCancelled = true;
        },
      };
    },
    notify(message) {
      server.notified.push(message);
    },
    async close() {
      server.handlers.closed?.(undefined);
    },
  };

  async function answer(exchanged: Exchanged): Promise<void> {
    const { request, sink } = exchanged;
    const { id, method } = request;
    try {
      const handler = Object.hasOwn(script, method) ? script[method] : undefined;
      if (handler === undefined) throw new RpcError(-32601, `Method not found: ${method}`);
      const result = await handler(exchanged);
      if (result !== undefined && !exchanged.isCancelled) sink.response({ jsonrpc: "2.0", id, result });
    } catch (error) {
      if (exchanged.isCancelled) return;
      if (error instanceof RpcError) sink.response(toErrorResponse(id, error), error.refusal);
      else sink.failed(error as Error);
    }
  }
  return server;
}
