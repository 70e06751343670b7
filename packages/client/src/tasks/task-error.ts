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
