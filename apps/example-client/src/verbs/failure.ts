import { AuthError, ProtocolViolation, RpcError, ToolwireError, TransportError, UsageError } from "@toolwire/protocol";
import { ExitCode } from "../exit-codes.ts";
import { quote, toPrintable } from "../printing/printable.ts";

/** The reason of a failure, for people and for programs. */
export interface Failure {
  readonly exitCode: ExitCode;
  readonly message: string;
  readonly json: {
    readonly code: number | string;
    readonly message: string;
    readonly method?: string;
    readonly data?: unknown;
  };
}

/** Sorts what a verb threw: the kinds of errors are told apart by their classes, never by their words. */
export function explainFailure(error: unknown): Failure {
  if (!(error instanceof ToolwireError)) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { exitCode: ExitCode.Bug, message, json: { code: "BUG", message } };
  }
  if (error instanceof RpcError) return explainRefusal(error);
  const { code, message } = error;
  const [exitCode, kind] = classify(error);
  return { exitCode, message: `${kind} (${code}): ${toPrintable(message)}`, json: { code, message } };
}

/** Whether the connection ended: what one request met with, such as a timeout, says nothing about the next. */
export function isConnectionLost(error: ToolwireError): boolean {
  return error instanceof TransportError && error.code !== "TIMEOUT" && error.code !== "UNEXPECTED_RESPONSE";
}

/** The message of this error is the server's own, so it is quoted. */
function explainRefusal({ code, message, method, data }: RpcError): Failure {
  const refusal = `The server refused ${method ?? "the request"} (${code}).`;
  return {
    exitCode: ExitCode.ProtocolError,
    message: message === "" ? refusal : `${refusal} It says: ${quote(message)}`,
    json: { code, message, ...(method !== undefined && { method }), ...(data !== undefined && { data }) },
  };
}

function classify(error: ToolwireError): [ExitCode, string] {
  if (error instanceof ProtocolViolation) return [ExitCode.ProtocolError, "The server broke the protocol"];
  if (error instanceof TransportError) {
    return [ExitCode.ConnectionError, error.code === "TIMEOUT" ? "The server did not answer" : "No connection"];
  }
  if (error instanceof AuthError) return [ExitCode.ConnectionError, "Access denied"];
  if (error instanceof UsageError && error.code === "UNSUPPORTED") {
    return [ExitCode.ProtocolError, "The server does not support this"];
  }
  return [ExitCode.Usage, "This cannot be done"];
}
