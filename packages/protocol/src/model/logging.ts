import type { LoggingLevel } from "./logging-level.ts";
import type { NotificationParams, RequestParams } from "./result.ts";

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
