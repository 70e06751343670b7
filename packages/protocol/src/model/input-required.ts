import type { ElicitParams, ElicitResult } from "./elicitation.ts";
import type { ResultMeta } from "./meta.ts";
import type { RequestParams } from "./result.ts";
import type { ListRootsResult } from "./roots.ts";
import type { CreateMessageParams, CreateMessageResult } from "./sampling.ts";

/** Something a server wants to know before it can answer. */
export type InputRequest =
  | { method: "elicitation/create"; params: ElicitParams }
  | { method: "sampling/createMessage"; params: CreateMessageParams }
  | { method: "roots/list"; params?: RequestParams | undefined };

/** What it wants to know, under keys of its choice. */
export interface InputRequests {
  readonly [key: string]: InputRequest;
}

/** The answer to an {@link InputRequest}. */
export type InputResponse = ElicitResult | CreateMessageResult | ListRootsResult;

/** The answers, under the keys of the questions. */
export interface InputResponses {
  readonly [key: string]: InputResponse;
}

/**
 * Not an answer yet (2026-07-28): the client finds out what is asked and sends the same request again, with the
 * answers. At least one of `inputRequests` and `requestState` is there.
 */
export interface InputRequiredResult {
  resultType: "input_required";
  inputRequests?: InputRequests | undefined;
  /** The server's own notes. The client returns them untouched; the server trusts them only if it sealed them. */
  requestState?: string | undefined;
  _meta?: ResultMeta | undefined;
}

/** The parameters of requests that may be answered with {@link InputRequiredResult}, and are then sent again. */
export interface RetryParams extends RequestParams {
  inputResponses?: InputResponses | undefined;
  /** Exactly as it came. */
  requestState?: string | undefined;
}
