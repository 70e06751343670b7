import type { ErrorMessage, MalformedMessage, Message, ProtocolViolation } from "@toolwire/protocol";
import type { ReadHeader } from "./backend.ts";
import type { HttpExchange } from "./exchange.ts";

/** A response whose status is not one of success. */
export interface FailedResponse {
  readonly status: number;
  readonly header: ReadHeader;
  /** As much of the body as could be read. */
  readonly text: string;
  /** The JSON-RPC error in the body, if there is one. */
  readonly error: ErrorMessage | undefined;
}

/** Gets what an HTTP response holds. No method may throw. */
export interface MessageSink {
  /** Whether a response may hold batches, as in revision 2025-03-26. Default: no. */
  readonly allowsBatch?: boolean;
  /** A successful response begins. */
  head?(exchange: HttpExchange): void;
  message(message: Message): void;
  /** Gets batches whole, whether or not they are allowed. */
  readonly batch?: (items: readonly (Message | MalformedMessage)[]) => void;
  /** An event with a type of its own. Returns whether it was meant for the sink; otherwise it is read as a message. */
  event?(type: string, data: string): boolean;
  /** The stream can be resumed after the event with this id. */
  eventId?(id: string): void;
  /** The server asks clients to wait this long before they reconnect. */
  retry?(ms: number): void;
  /** Something that is not a message; the response goes on. */
  violation(error: ProtocolViolation): void;
  /** The status was not one of success, and the body has been read. */
  refused(response: FailedResponse, exchange: HttpExchange): void;
  /** A successful response is over. `text` is the whole body, unless it was a stream of events. */
  end(text: string, exchange: HttpExchange): void;
  /** The request could not be sent, or its response not be read. */
  failed(error: Error, exchange: HttpExchange): void;
}
