import { AuthError, ProtocolViolation, RpcError, ToolwireError, TransportError, UsageError } from "@toolwire/protocol";
import { ExitCode } from "../exit-codes.ts";
import { toPrintable } from "../printing/printable.ts";

/** What went wrong, for people and for programs. */
export interface Failure {
  readonly exitCode: ExitCode;
  readonly message: string;
  readonly json: { readonly code: number | string; readonly message: string; readonly data?: unknown };
}

/** Sorts what a verb threw: the kinds of errors are told apart by their classes, never by their words. */
export function explainFailure(error: unknown): Failure {
  if (!(error instanceof ToolwireError)) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { exitCode: ExitCode.Bug, message, json: { code: "BUG", message } };
  }
  const { code, message } = error;
  const data = error instanceof RpcError && error.data !== undefined ? { data: error.data } : {};
  const [exitCode, kind] = classify(error);
  return { exitCode, message: `${kind} (${code}): ${toPrintable(message)}`, json: { code, message, ...data } };
}

function classify(error: ToolwireError): [ExitCode, string] {
  if (error instanceof RpcError) return [ExitCode.ProtocolError, "The server refused the request"];
  if (error instanceof ProtocolViolation) return [ExitCode.ProtocolError, "The server broke the protocol"];
  if (error instanceof TransportError) return [ExitCode.ConnectionError, "No connection"];
  if (error instanceof AuthError) return [ExitCode.ConnectionError, "Access denied"];
  if (error instanceof UsageError && error.code === "UNSUPPORTED") {
    return [ExitCode.ProtocolError, "The server does not support this"];
  }
  return [ExitCode.Usage, "This cannot be done"];
}
