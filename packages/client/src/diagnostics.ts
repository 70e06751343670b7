/** Something whoever runs the client may want to know; no call fails because of it. */
export interface Diagnostic {
  readonly level: "debug" | "info" | "warning" | "error";
  readonly message: string;
  readonly error?: unknown;
}

/** Hears of diagnostics. */
export type DiagnosticListener = (event: Diagnostic) => void;

/** What happens to diagnostics unless somebody listens: those that ask for attention are shown. */
export function showDiagnostic({ level, message }: Diagnostic): void {
  // oxlint-disable-next-line no-console -- the one place, replaced by `onDiagnostic`
  if (level === "warning" || level === "error") console.warn(`[toolwire] ${message}`);
}
