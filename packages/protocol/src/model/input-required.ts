import type { ElicitParams, ElicitResult } from "./elicitation.ts";
import type { ResultMeta } from "./meta.ts";
import type { RequestParams } from "./result.ts";
import type { ListRootsResult } from "./roots.ts";
import type { CreateMessageParams, CreateMessageResult } from "./sampling.ts";

/** A question that a server asks before it can answer. */
export type InputRequest =
  | { method: "elicitation/create"; params: ElicitParams }
  | { method: "sampling/createMessage"; params: CreateMessageParams }
  | { method: "roots/list"; params?: RequestParams | undefined };

/** The questions, by keys that the server chooses. */
export interface InputRequests {
  readonly [key: string]: InputRequest;
}

/** The answer to an {@link InputRequest}. */
export type InputResponse = ElicitResult | CreateMessageResult | ListRootsResult;

/** The answers, by the keys of the questions. */
export interface InputResponses {
  readonly [key: string]: InputResponse;
}

/**
 * An interim result (2026-07-28): the client answers the questions and sends the same request again, with the answers.
 * At least one of `inputRequests` and `requestState` is present.
 */
export interface InputRequiredResult {
  resultType: "input_required";
  inputRequests?: InputRequests | undefined;
  /** The server's own state. The client returns it unchanged; the server trusts it only if it is sealed. */
  requestState?: string | undefined;
  _meta?: ResultMeta | undefined;
}

/** The parameters of requests that may be answered with {@link InputRequiredResult}, and are then sent again. */
export interface RetryParams extends RequestParams {
  inputResponses?: InputResponses | undefined;
  /** The state that the server sent, unchanged. */
  requestState?: string | undefined;
}
