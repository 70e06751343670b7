import { UsageError } from "@toolwire/protocol";
import type { SqlValue } from "../log/database/database.ts";
import type { Retention } from "../log/database/partitions.ts";
import type { DrainProgress } from "../log/spool/spool-drain.ts";

/**
 * The database that the worker opens: the embedded database in a folder, or connections of its own to a Postgres. `parent`: none, because
 * another process has it, and the thread that has started the worker asks that process.
 */
export interface WorkerOptions {
  readonly database:
    | { readonly kind: "pglite"; readonly folder: string }
    | { readonly kind: "postgres"; readonly url: string }
    | { readonly kind: "parent" };
  readonly spoolFolder: string;
  readonly retention: Retention;
}

/** From the gateway to the worker. */
export type WorkerRequest =
  | { readonly type: "query"; readonly id: number; readonly statement: string; readonly values: readonly SqlValue[] }
  | {
      readonly type: "answer";
      readonly id: number;
      readonly rows?: readonly object[] | undefined;
      readonly error?: WorkerError | undefined;
    }
  | { readonly type: "wake" }
  | { readonly type: "flush"; readonly id: number }
  | { readonly type: "close" };

/** From the worker to the gateway. */
export type WorkerReply =
  | { readonly type: "ready" }
  | { readonly type: "rows"; readonly id: number; readonly rows: readonly object[] }
  | { readonly type: "ask"; readonly id: number; readonly statement: string; readonly values: readonly SqlValue[] }
  | { readonly type: "flushed"; readonly id: number }
  | { readonly type: "failed"; readonly id: number; readonly error: WorkerError }
  | { readonly type: "progress"; readonly progress: DrainProgress }
  | { readonly type: "idle" }
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "broken"; readonly error: WorkerError };

/** An error on its way between threads or processes, where its class is lost. */
export interface WorkerError {
  readonly message: string;
  readonly code: string | undefined;
  /** Whether the user can do something about it: a `UsageError`. */
  readonly isUsage: boolean;
}

/** Makes an error ready to travel. */
export function errorOf(error: unknown): WorkerError {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return {
    message: error instanceof Error ? error.message : String(error),
    code: typeof code === "string" ? code : undefined,
    isUsage: error instanceof UsageError,
  };
}

/** Makes an error of one that has travelled. */
export function errorFrom({ message, code, isUsage }: WorkerError): Error {
  return isUsage ? new UsageError("INVALID_STATE", message) : Object.assign(new Error(message), { code });
}
