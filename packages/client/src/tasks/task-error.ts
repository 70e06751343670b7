import { ToolwireError } from "@toolwire/protocol";
import { brandError } from "@toolwire/protocol/internal";

/** The codes of {@link TaskError}. */
export type TaskErrorCode =
  /** The task was cancelled, by this client or by the server. */
  | "CANCELLED"
  /** The server does not know the task, or not for this caller: it has deleted it, or never had it. */
  | "LOST"
  /** The task took longer than the server keeps it. */
  | "EXPIRED"
  /** The task goes on, but nobody here waits for it: `detach()` was called. */
  | "DETACHED";

/** A task has no result for this client. A task that failed rejects with the `RpcError` that the call failed with. */
export class TaskError extends ToolwireError {
  static {
    brandError(this, "TaskError");
  }

  override readonly name: string = "TaskError";
  readonly code: TaskErrorCode;

  constructor(code: TaskErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The error for a task that was cancelled, with what the server says about that. */
export function cancelledTask(id: string, message: string | undefined): TaskError {
  const words = message === undefined ? "" : ` The server says: ${message}`;
  return new TaskError("CANCELLED", `The task ${id} was cancelled.${words}`);
}

/** The error for a task that takes longer than its server keeps it. */
export function expiredTask(id: string, ttl: number | null): TaskError {
  return new TaskError("EXPIRED", `The task ${id} took longer than the ${ttl} ms that the server keeps it.`);
}

/** The error for a task that its server does not know. */
export function lostTask(id: string, cause: unknown): TaskError {
  return new TaskError("LOST", `The server does not know the task ${id} (any more).`, { cause });
}
