import { AuthError, ProtocolViolation } from "@toolwire/client";
import { RpcError, ToolError, TransportError } from "@toolwire/server";
import { cleanWords } from "../text/clean.ts";
import type { Clear } from "../text/clear.ts";
import type { RelayedRequest, CallTarget } from "./target.ts";

/** Whether an error means that a person has to log in. */
export function isLoginNeeded(error: unknown): error is AuthError {
  return error instanceof AuthError && error.code === "LOGIN_REQUIRED";
}

/** Makes the error that the caller gets. Addresses and the words of transports are for the operator alone. */
export function explain(target: CallTarget, { method, ctx, known }: RelayedRequest, error: unknown): unknown {
  const { upstream, timeout, clear } = target;
  if (isAnswer(error)) return clearError(error, clear, known);
  if (ctx.signal.aborted) return error;
  const text = describe(upstream, timeout, error);
  if (text === undefined) return error;
  target.report(`${method} failed: ${error instanceof Error ? error.message : String(error)}`, error);
  return new ToolError(text, { cause: error });
}

/** Whether an error is what the upstream has answered. */
export function isAnswer(error: unknown): error is RpcError {
  return error instanceof RpcError && error.refusal?.isTemporary !== true;
}

/** An error that the upstream has answered, as its caller may see it. */
export function clearError(error: RpcError, clear: Clear, known: readonly unknown[]): RpcError {
  const words = cleanWords(clear(error.message, known)) ?? "";
  return new RpcError(error.code, words, { data: clear(error.data, known), cause: error });
}

function describe(upstream: string, timeout: number, error: unknown): string | undefined {
  if (error instanceof AuthError) return `Error: Upstream ${upstream} did not accept the credentials that it was sent`;
  if (error instanceof ProtocolViolation) return `Error: Upstream ${upstream} gave an invalid answer`;
  if (!(error instanceof TransportError) && !(error instanceof RpcError)) return undefined;
  switch (error.code) {
    case "TIMEOUT":
      return `Error: Upstream ${upstream} did not answer within ${timeout / 1000} s`;
    case "CONNECTION_LOST":
    case "SESSION_EXPIRED":
      return `Error: Upstream ${upstream} was lost before it answered; whether the call took effect is unknown`;
    case "UNEXPECTED_RESPONSE":
      return `Error: Upstream ${upstream} gave an invalid answer`;
    default:
      return `Error: Upstream ${upstream} could not be reached`;
  }
}
