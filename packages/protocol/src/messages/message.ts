/** The JSON-RPC 2.0 envelope as MCP uses it: four kinds of message, and nothing about what they mean. */

import type { RequestId } from "../model/basic.ts";

/** Asks for something; exactly one response with the same id answers it. */
export interface RequestMessage {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: object | undefined;
}

/** Tells something; nobody answers. */
export interface NotificationMessage {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: object | undefined;
}

/** The successful answer to a request. */
export interface ResultMessage {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  /** An object, or one whose JSON text was made beforehand. */
  readonly result: object;
}

/** What went wrong, in the form JSON-RPC gives it. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The unsuccessful answer to a request. Without an id when the request was too broken to have one. */
export interface ErrorMessage {
  readonly jsonrpc: "2.0";
  readonly id?: RequestId | undefined;
  readonly error: ErrorObject;
}

/** Either kind of answer. */
export type ResponseMessage = ResultMessage | ErrorMessage;

/** Anything that travels. */
export type Message = RequestMessage | NotificationMessage | ResponseMessage;

/** Whether this message asks for an answer. */
export function isRequest(message: Message): message is RequestMessage {
  return "method" in message && "id" in message;
}

/** Whether this message wants no answer. */
export function isNotification(message: Message): message is NotificationMessage {
  return "method" in message && !("id" in message);
}

/** Whether this message answers a request. */
export function isResponse(message: Message): message is ResponseMessage {
  return !("method" in message);
}

/** Whether this answer reports a failure. */
export function isErrorResponse(message: ResponseMessage): message is ErrorMessage {
  return "error" in message;
}
