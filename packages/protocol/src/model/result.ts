import type { RequestMeta, ResultMeta, NotificationMeta } from "./meta.ts";

/**
 * What kind of result this is: `complete` is final, `input_required` asks for a retry with answers. Extensions may
 * add values. Results of 2025-11-25 and earlier do not carry it and count as `complete`.
 */
export type ResultType = "complete" | "input_required" | (string & {});

/** What all final results have in common. */
export interface Result {
  /** Filled in when the result is sent in a revision that requires it. */
  resultType?: "complete" | undefined;
  _meta?: ResultMeta | undefined;
}

/** The result of a request that returns nothing. */
export interface EmptyResult extends Result {}

/** What the parameters of all requests have in common. */
export interface RequestParams {
  _meta?: RequestMeta | undefined;
}

/** What the parameters of all notifications have in common. */
export interface NotificationParams {
  _meta?: NotificationMeta | undefined;
}
