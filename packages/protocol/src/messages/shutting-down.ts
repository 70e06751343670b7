import { ErrorCode, RpcError } from "../errors.ts";

/** By what, in the data of an error, a request is refused because the receiver shuts down. */
const REASON = "shutting-down";

/** Refuses a request that came after its receiver had begun to shut down. It was not looked into. */
export function shuttingDownError(): RpcError {
  const message = "The server is shutting down. Nothing was run: send the request again over another connection.";
  return new RpcError(ErrorCode.InternalError, message, { data: { reason: REASON } });
}

/** Whether a request was refused by {@link shuttingDownError}, so that it can be sent again over another connection. */
export function isShuttingDown(error: unknown): boolean {
  if (!(error instanceof RpcError) || error.code !== ErrorCode.InternalError) return false;
  return (Object(error.data) as { readonly reason?: unknown }).reason === REASON;
}
