/** An event that the operator of a client may want to know. No call fails because of it. */
export interface Diagnostic {
  readonly level: "debug" | "info" | "warning" | "error";
  readonly message: string;
  readonly error?: unknown;
}

/** Gets diagnostics. */
export type DiagnosticListener = (event: Diagnostic) => void;

/** A listener whose failure harms nobody: the connection that an event came by goes on, and the event is shown instead. */
export function guarded(listener: (event: Diagnostic) => unknown = showDiagnostic): DiagnosticListener {
  return async (event) => {
    try {
      // It may be an asynchronous function, and fail later.
      await listener(event);
    } catch {
      showDiagnostic(event);
    }
  };
}

/** What happens to diagnostics unless somebody listens: those that ask for attention are shown. */
function showDiagnostic({ level, message }: Diagnostic): void {
  // oxlint-disable-next-line no-console -- the one place, replaced by `onDiagnostic`
  if (level === "warning" || level === "error") console.warn(`[toolwire] ${message}`);
}
