import type { SqlValue } from "../log/database/database.ts";
import type { Retention } from "../log/database/partitions.ts";
import type { DrainProgress } from "../log/spool/spool-drain.ts";

/** The database that the worker opens: the embedded database in a folder, or connections of its own to a Postgres. */
export interface WorkerOptions {
  readonly database:
    | { readonly kind: "pglite"; readonly folder: string }
    | { readonly kind: "postgres"; readonly url: string };
  readonly spoolFolder: string;
  readonly retention: Retention;
}

/** From the gateway to the worker. */
export type WorkerRequest =
  | { readonly type: "query"; readonly id: number; readonly statement: string; readonly values: readonly SqlValue[] }
  | { readonly type: "wake" }
  | { readonly type: "flush"; readonly id: number }
  | { readonly type: "close" };

/** From the worker to the gateway. */
export type WorkerReply =
  | { readonly type: "ready" }
  | { readonly type: "rows"; readonly id: number; readonly rows: readonly object[] }
  | { readonly type: "flushed"; readonly id: number }
  | { readonly type: "failed"; readonly id: number; readonly error: WorkerError }
  | { readonly type: "progress"; readonly progress: DrainProgress }
  | { readonly type: "idle" }
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "broken"; readonly error: WorkerError };

/** An error on its way between threads, where its class is lost. */
export interface WorkerError {
  readonly message: string;
  readonly code: string | undefined;
  /** Whether the user can do something about it: a `UsageError`. */
  readonly isUsage: boolean;
}
