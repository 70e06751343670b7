import type { LoggingLevel } from "@toolwire/protocol";
import type { CallOptions } from "@toolwire/protocol/internal";
import type { Connection } from "../connection/connection.ts";
import type { DiagnosticListener } from "../diagnostics.ts";

/** Tells a legacy server from which severity on to log. It is of use without that, too. */
export async function sendLogLevel(
  connection: Connection | undefined,
  level: LoggingLevel,
  options: CallOptions,
  diagnose: DiagnosticListener,
): Promise<void> {
  try {
    // As it is: if this were mended like a call, a server that forgets its sessions at once would be asked for new ones
    // forever.
    await connection?.call("logging/setLevel", { level }, options);
  } catch (error) {
    // Whoever has given up meanwhile has not heard what the server would have said.
    if (!options.signal?.aborted) diagnose({ level: "warning", message: "The server takes no log level.", error });
  }
}
