/** The JSON-RPC 2.0 envelope as MCP uses it: four kinds of message, without their meaning. */

import type { RequestId } from "../model/basic.ts";

/** A request; exactly one response with the same id answers it. */
export interface RequestMessage {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: object | undefined;
}

/** A notification, which gets no response. */
export interface NotificationMessage {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: object | undefined;
}

/** The successful response to a request. */
export interface ResultMessage {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  /** An object, or one whose JSON text was made beforehand. */
  readonly result: object;
}

/** The error object of JSON-RPC. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The error response to a request. It has no id if that of the request could not be read. */
export interface ErrorMessage {
  readonly jsonrpc: "2.0";
  readonly id?: RequestId | undefined;
  readonly error: ErrorObject;
}

/** Either kind of response. */
export type ResponseMessage = ResultMessage | ErrorMessage;

/** Any message. */
export type Message = RequestMessage | NotificationMessage | ResponseMessage;

/** Whether a message is a request. */
export function isRequest(message: Message): message is RequestMessage {
  return "method" in message && "id" in message;
}

/** Whether a message is a notification. */
export function isNotification(message: Message): message is NotificationMessage {
  return "method" in message && !("id" in message);
}

/** Whether a message is a response. */
export function isResponse(message: Message): message is ResponseMessage {
  return !("method" in message);
}

/** Whether a response reports an error. */
export function isErrorResponse(message: ResponseMessage): message is ErrorMessage {
  return "error" in message;
}
