/** Something that an operator may want to know. The client does not see it. */
export interface ServerDiagnostic {
  readonly level: "debug" | "info" | "warning" | "error";
  readonly message: string;
  readonly error?: unknown;
  /** The id that the caller got instead of the error's text. */
  readonly errorId?: string | undefined;
  /** The id of the request that it is about. */
  readonly requestId?: string | number | undefined;
  /** The trace and the span of that request, if the server has an observer that knows them, such as `serverTelemetry()`. */
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
}

/** Prints warnings and errors to stderr, which no binding uses. The default of `onDiagnostic`. */
export function printDiagnostic({ level, message, error }: ServerDiagnostic): void {
  if (level === "debug" || level === "info") return;
  const details = error === undefined ? [] : [error];
  // oxlint-disable-next-line no-console -- stderr is where an operator looks.
  console.error(`[toolwire] ${level}: ${message}`, ...details);
}
