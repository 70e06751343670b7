import { isObject } from "@toolwire/protocol/internal";
import type { LogMessageParams, NotificationMessage } from "@toolwire/protocol";

/** What a log message says; `undefined` if it is none. */
export function readLogMessage({ method, params }: NotificationMessage): LogMessageParams | undefined {
  const isLog = method === "notifications/message" && isObject(params) && typeof params["level"] === "string";
  return isLog ? (params as unknown as LogMessageParams) : undefined;
}
