import type { GatewayConfig } from "../config/config.ts";
import type { GatewayEvent } from "../gateway.ts";
import type { LogStatus } from "../log/call-log.ts";
import type { CallRecord } from "../log/call-record.ts";
import type { SqlValue } from "../log/database/database.ts";
import type { WorkerError } from "../storage/worker-messages.ts";

/** From a worker to the process that has started it. */
export type FromWorker =
  | { readonly gateway: "hello" }
  | {
      readonly gateway: "query";
      readonly id: number;
      readonly statement: string;
      readonly values: readonly SqlValue[];
    }
  | { readonly gateway: "event"; readonly event: GatewayEvent }
  /** The records that the worker has logged since its last message. */
  | { readonly gateway: "news"; readonly records: readonly CallRecord[]; readonly status: LogStatus };

/** From the process that has started the workers to one of them, or all. */
export type ToWorker =
  | { readonly gateway: "config"; readonly config: GatewayConfig }
  | { readonly gateway: "rows"; readonly id: number; readonly rows: readonly object[] }
  | { readonly gateway: "failed"; readonly id: number; readonly error: WorkerError }
  /** Something that the gateway keeps has changed. */
  | { readonly gateway: "changed" };

/** Whether a message is one of the gateway: both ends run the same version. */
export function isOfGateway(message: object): boolean {
  return "gateway" in message;
}
