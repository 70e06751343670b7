import { escapeUnprintable } from "@toolwire/protocol/internal";

/** An event that the operator of a client may want to know. No call fails because of it. */
export interface ClientDiagnostic {
  readonly level: "debug" | "info" | "warning" | "error";
  /** For people. Words of a server in it are escaped, so that it can be shown on a terminal. */
  readonly message: string;
  /** The error behind the diagnostic, if there is one. Its message may contain unescaped words of a server. */
  readonly error?: unknown;
}

/** Gets diagnostics. */
export type DiagnosticListener = (event: ClientDiagnostic) => void;

/** Wraps a listener: if it fails, the event is written to the console, and the connection goes on. */
export function guarded(listener: (event: ClientDiagnostic) => unknown = showDiagnostic): DiagnosticListener {
  return async (given) => {
    const event = { ...given, message: escapeUnprintable(given.message) };
    try {
      // An asynchronous listener may fail later.
      await listener(event);
    } catch {
      showDiagnostic(event);
    }
  };
}

/** Writes warnings and errors to the console, if the application does not listen. */
function showDiagnostic({ level, message }: ClientDiagnostic): void {
  // oxlint-disable-next-line no-console -- the one place, replaced by `onDiagnostic`
  if (level === "warning" || level === "error") console.warn(`[toolwire] ${message.replaceAll("\n", String.raw`\n`)}`);
}
