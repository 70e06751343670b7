import { ToolwireError, UsageError } from "../errors.ts";

/** Why a message was not sent: what is no failure of the connection was a failure to write its parameters as JSON. */
export function explainUnsent(error: unknown, { method }: { readonly method: string }): Error {
  if (error instanceof ToolwireError) return error;
  const message = `The parameters of ${method} are no JSON value: ${String(error)}`;
  return new UsageError("INVALID_ARGUMENT", message, { cause: error });
}
