import type { RequestId } from "../messages/message.ts";
import type { ResultMeta } from "./meta.ts";
import type { NotificationParams, RequestParams, Result } from "./result.ts";

/** Which changes to subscribe to. What is absent is not included. */
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

/** The first message on the stream: what the server agreed to announce. */
export interface SubscriptionsAcknowledgedParams extends NotificationParams {
  notifications: SubscriptionFilter;
}
