import { isObject } from "@toolwire/protocol/internal";
import type {
  Channel,
  ExchangeTransport,
  NotificationMessage,
  Outgoing,
  RequestId,
  RequestMessage,
  ResponseMessage,
} from "@toolwire/protocol";
import type { Journal } from "./journal.ts";

/**
 * Transports are small contracts, so that it takes a few lines to put something in between. These two write the messages
 * that pass by into a journal: requests on their way out, and their answers on their way in.
 */

/** Listens in on a channel: a pipe of messages, such as stdio and WebSockets are. */
export function tapChannel(channel: Channel, journal: Journal): Channel {
  return {
    open: (receiver) =>
      channel.open({
        message(message) {
          if (!("method" in message)) journal.answered(message.id, isError(message));
          receiver.message(message);
        },
        batch: (items) => receiver.batch(items),
        malformed: (error) => receiver.malformed(error),
        closed: (reason) => receiver.closed(reason),
      }),
    send(message: Outgoing) {
      if ("method" in message) {
        if ("id" in message) journal.sent(message.id);
        const cancelled = readCancelled(message);
        if (cancelled !== undefined) journal.cancelled(cancelled);
      }
      return channel.send(message);
    },
    close: () => channel.close(),
  };
}

/** Listens in on a transport that speaks in exchanges, as HTTP does: one request, and what belongs to it. */
export function tapExchanges(transport: ExchangeTransport, journal: Journal): ExchangeTransport {
  return {
    hasHeaders: transport.hasHeaders,
    open: (handlers) => transport.open(handlers),
    notify: (message) => transport.notify(message),
    close: () => transport.close(),
    exchange(request, sink, hints) {
      journal.sent(request.id);
      const exchange = transport.exchange(
        request,
        {
          notification: (message) => sink.notification(message),
          response(message) {
            journal.answered(message.id, isError(message));
            sink.response(message);
          },
          failed: (error) => sink.failed(error),
        },
        hints,
      );
      return {
        cancel(reason) {
          journal.cancelled(request.id);
          exchange.cancel(reason);
        },
      };
    },
  };
}

function isError(message: ResponseMessage): boolean {
  return "error" in message || (message.result as { readonly isError?: unknown }).isError === true;
}

function readCancelled({ method, params }: RequestMessage | NotificationMessage): RequestId | undefined {
  if (method !== "notifications/cancelled" || !isObject(params)) return undefined;
  return params["requestId"] as RequestId | undefined;
}
