import { ErrorCode, RpcError, ToolwireError, TransportError } from "@toolwire/protocol";
import { ErrorType, FAULTS_OF_CALLERS, OTHER } from "./names.ts";

/** How an operation ended, in the terms of the conventions. */
export interface Ending {
  /** The class of the error; `undefined` if it did not fail. */
  readonly errorType?: string | undefined;
  /** The code of the JSON-RPC error, as it was. */
  readonly code?: number | undefined;
  /** The words that the peer got or gave, unless they may repeat what the caller has sent. */
  readonly message?: string | undefined;
  /** Whether the result asks for answers of the user. */
  readonly asksForInput?: boolean | undefined;
}

const SUCCESS: Ending = {};
const TOOL_ERROR: Ending = { errorType: ErrorType.Tool };
const INPUT_REQUIRED: Ending = { asksForInput: true };

/** The ending of an operation with a result. */
export function endingOfResult(method: string, result: object): Ending {
  const { isError, resultType } = result as { readonly isError?: unknown; readonly resultType?: unknown };
  if (isError === true && method === "tools/call") return TOOL_ERROR;
  return resultType === "input_required" ? INPUT_REQUIRED : SUCCESS;
}

/** The ending of a request that this process has answered with an error. */
export function endingOfAnswer({ code, message }: { readonly code: number; readonly message: string }): Ending {
  return FAULTS_OF_CALLERS.has(code) ? { code } : { code, message, errorType: String(code) };
}

/** The ending of a request that this process has sent, and that has failed. */
export function endingOfFailure(error: unknown): Ending {
  if (error instanceof RpcError) return { ...endingOfAnswer(error), errorType: String(error.code) };
  if (error instanceof TransportError && error.code === "TIMEOUT") return { errorType: ErrorType.Timeout };
  if (error instanceof ToolwireError) return { errorType: nameOf(error) };
  const { name } = Object(error) as { readonly name?: unknown };
  if (name === "AbortError") return { errorType: ErrorType.Cancelled };
  if (name === "TimeoutError") return { errorType: ErrorType.Timeout };
  // The reason of a cancellation may be any value of the application, with any number of names.
  return { errorType: OTHER };
}

/** The code of one of our errors, such as `connection_lost`. Each class has a few. */
function nameOf(error: ToolwireError): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" ? code.toLowerCase() : error.name;
}

const KNOWN_CODES: ReadonlySet<number> = new Set(Object.values(ErrorCode));

/** A code for metrics: peers choose their own, so that only those of the protocol become series. */
export function boundedCode(code: number): string {
  return KNOWN_CODES.has(code) ? String(code) : OTHER;
}
