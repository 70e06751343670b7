/** Completion, logging, progress, cancellation and subscriptions. */

import type {
  LoggingLevel,
  NotificationParams,
  ProgressToken,
  RequestParams,
  Result,
  ResultMeta,
  RequestId,
} from "./basic.ts";

/** Names a prompt whose argument is being typed. */
export interface PromptReference {
  type: "ref/prompt";
  name: string;
  /** Since 2025-06-18. */
  title?: string | undefined;
}

/** Names a resource template whose variable is being typed. */
export interface ResourceTemplateReference {
  type: "ref/resource";
  /** The URI template, exactly as it was listed. */
  uri: string;
}

/** The argument that the user is typing, and the prompt or template it belongs to. */
export interface CompleteParams extends RequestParams {
  ref: PromptReference | ResourceTemplateReference;
  argument: {
    name: string;
    /** The text typed so far. */
    value: string;
  };
  /** The arguments that are already filled in (since 2025-06-18). */
  context?: { arguments?: { readonly [argument: string]: string } | undefined } | undefined;
}

/** Suggestions, best first. */
export interface CompleteResult extends Result {
  completion: {
    /** At most 100. */
    values: readonly string[];
    /** How many suggestions there are in total, including those beyond `values`. */
    total?: number | undefined;
    hasMore?: boolean | undefined;
  };
}

/** The lowest severity of log messages that the client wants (2025-11-25 and earlier). */
export interface SetLevelParams extends RequestParams {
  level: LoggingLevel;
}

/** One log message. Never put secrets or personal data in it. */
export interface LogMessageParams extends NotificationParams {
  level: LoggingLevel;
  /** The part of the server that the message comes from. */
  logger?: string | undefined;
  /** Anything JSON can hold. */
  data: unknown;
}

/** The progress of a request. */
export interface ProgressParams extends NotificationParams {
  /** From the `_meta` of the request. */
  progressToken: ProgressToken;
  /** Grows with every notification. */
  progress: number;
  /** The final value of `progress`, if known. */
  total?: number | undefined;
  /** A description of the progress, for people (since 2025-03-26). */
  message?: string | undefined;
}

/** The request to cancel. */
export interface CancelledParams extends NotificationParams {
  /** Optional in 2025-11-25 only. */
  requestId?: RequestId | undefined;
  /** For logs and people. */
  reason?: string | undefined;
}

/** The changes to subscribe to. Absent ones are not included. */
export interface SubscriptionFilter {
  toolsListChanged?: boolean | undefined;
  promptsListChanged?: boolean | undefined;
  resourcesListChanged?: boolean | undefined;
  /** The URIs of single resources. */
  resourceSubscriptions?: readonly string[] | undefined;
}

/** Opens a stream of changes that lasts until one side ends it (2026-07-28). */
export interface ListenParams extends RequestParams {
  notifications: SubscriptionFilter;
}

/** The `_meta` of a {@link ListenResult}: the id of the request that opened the stream. */
export interface ListenResultMeta extends ResultMeta {
  "io.modelcontextprotocol/subscriptionId": RequestId;
}

/** The server ended the stream on purpose; a stream that breaks ends without it. */
export interface ListenResult extends Result {
  _meta: ListenResultMeta;
}

/** The first message on the stream: the changes that the server agreed to announce. */
export interface SubscriptionsAcknowledgedParams extends NotificationParams {
  notifications: SubscriptionFilter;
}
