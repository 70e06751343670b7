import type { RequestId } from "../messages/message.ts";
import type { NotificationParams } from "./result.ts";
import type { ProgressToken } from "./tokens.ts";

/** The progress of a request. */
export interface ProgressParams extends NotificationParams {
  /** From the `_meta` of the request. */
  progressToken: ProgressToken;
  /** Grows with every notification. */
  progress: number;
  /** What `progress` will be in the end, if known. */
  total?: number | undefined;
  /** What is happening, for people (since 2025-03-26). */
  message?: string | undefined;
}

/** The request to cancel. */
export interface CancelledParams extends NotificationParams {
  /** Optional in 2025-11-25 only. */
  requestId?: RequestId | undefined;
  /** For logs and people. */
  reason?: string | undefined;
}
