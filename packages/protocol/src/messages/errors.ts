/** Errors about messages: malformed ones, and ones that were not sent or not handled. */

import { brandError } from "@toolwire/json-schema/internal";
import { ErrorCode, ProtocolViolation, RpcError, ToolwireError, TransportError, UsageError } from "../errors.ts";
import type { RequestId } from "../model/basic.ts";
import { toErrorResponse } from "./encode.ts";
import type { ErrorMessage } from "./message.ts";

/** Text or JSON that is not a message. It has the error response for peers that expect one. */
export class MalformedMessage extends ProtocolViolation {
  static {
    brandError(this, "MalformedMessage");
  }

  override readonly name: string = "MalformedMessage";
  /** -32700 if it was not JSON, -32600 if it was JSON but not a message. */
  readonly rpcCode: number;
  /** The id, if it could be read. */
  readonly id: RequestId | undefined;
  /** False for malformed responses: answering these could go on forever. */
  readonly mayAnswer: boolean;

  constructor(
    rpcCode: typeof ErrorCode.ParseError | typeof ErrorCode.InvalidRequest,
    message: string,
    options: { id?: RequestId | undefined; mayAnswer?: boolean; cause?: unknown } = {},
  ) {
    super(rpcCode === ErrorCode.ParseError ? "PARSE_ERROR" : "INVALID_MESSAGE", message, { cause: options.cause });
    this.rpcCode = rpcCode;
    this.id = options.id;
    this.mayAnswer = options.mayAnswer ?? true;
  }

  /** The error response that tells the sender what was wrong. */
  toResponse(): ErrorMessage {
    return toErrorResponse(this.id, new RpcError(this.rpcCode, this.message));
  }
}

/** The reason, in the data of an error, for refusing a request because the receiver shuts down. */
const REASON = "shutting-down";

/** The error for a request that came after its receiver had begun to shut down. It was not handled. */
export function shuttingDownError(): RpcError {
  const message = "The server is shutting down. Nothing was run: send the request again over another connection.";
  return new RpcError(ErrorCode.InternalError, message, { data: { reason: REASON } });
}

/** Whether a request was refused by {@link shuttingDownError}, so that it can be sent again over another connection. */
export function isShuttingDown(error: unknown): boolean {
  if (!(error instanceof RpcError) || error.code !== ErrorCode.InternalError) return false;
  return (Object(error.data) as { readonly reason?: unknown }).reason === REASON;
}

/** The error for a message that was not sent: errors other than ours come from writing its parameters as JSON. */
export function explainUnsent(error: unknown, { method }: { readonly method: string }): Error {
  if (error instanceof ToolwireError) return error;
  const message = `The parameters of ${method} are no JSON value: ${String(error)}`;
  return new UsageError("INVALID_ARGUMENT", message, { cause: error });
}

/** The error for everything that needs a connection after it was closed. */
export function closedError(): TransportError {
  return new TransportError("CLOSED", "The connection is closed: nothing more can be sent or received.");
}

/**
 * The message was certainly not sent, because the connection accepts no more, and can be sent over another one. The
 * `cause` is the failure of the connection, with the same code.
 */
export class UnsentError extends TransportError {
  static {
    brandError(this, "UnsentError");
  }

  constructor(cause: TransportError) {
    super(cause.code, `The message was not sent. ${cause.message}`, { cause });
  }
}
