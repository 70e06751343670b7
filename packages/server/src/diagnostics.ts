import type { Diagnostic } from "./binding.ts";

/** Where diagnostics go unless a server says otherwise: to stderr, which no binding uses. Trifles are left out. */
export function printDiagnostic({ level, message, error }: Diagnostic): void {
  if (level === "debug" || level === "info") return;
  const details = error === undefined ? [] : [error];
  // oxlint-disable-next-line no-console -- stderr is where an operator looks.
  console.error(`[toolwire] ${level}: ${message}`, ...details);
}
