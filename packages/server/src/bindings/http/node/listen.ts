import { TransportError } from "@toolwire/protocol";
import { expectOption, explainListenFailure } from "@toolwire/protocol/internal";
import type { Server } from "node:net";
import type { ServerBinding } from "../../../binding.ts";
import { isLoopbackAddress } from "../../admission/hosts.ts";
import type { AdmissionOptions } from "../../admission/options.ts";

/** Where to listen, and the options that decide what other machines can do with that. */
export interface ListenOptions extends Pick<AdmissionOptions, "allowedHosts" | "auth" | "authenticate"> {
  /** 0 picks any free port. */
  readonly port: number;
  readonly host: string;
}

/**
 * Begins to listen. Warns if other machines can reach the server unauthenticated, or cannot reach it at all. Errors of a
 * listening server, such as a connection for which the system has no file descriptor left, are reported to the operator and do
 * not end the process.
 *
 * @throws TransportError `CONNECT_FAILED` if the address is not available
 */
export async function listen(http: Server, server: ServerBinding, options: ListenOptions): Promise<void> {
  const { port, host } = options;
  expectOption("port", port, Number.isInteger(port) && port >= 0 && port <= 0xffff, "a whole number from 0 to 65535");
  expectOption("host", host, typeof host === "string" && host !== "", "a name or an address of this machine");
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: Error): void => {
      const advice = "Choose another port; 0 picks a free one.";
      const message = explainListenFailure(cause, { what: "The server", host, port, advice });
      reject(new TransportError("CONNECT_FAILED", message, { cause }));
    };
    http.once("error", fail);
    http.listen(port, host, () => {
      http.off("error", fail);
      resolve();
    });
  });
  http.on("error", (error) => {
    server.diagnose({ level: "error", message: `A connection could not be accepted: ${error.message}`, error });
  });
  if (!isLoopbackAddress(host)) warnAboutExposure(server, options);
}

function warnAboutExposure(server: ServerBinding, { host, allowedHosts, auth, authenticate }: ListenOptions): void {
  if (allowedHosts === undefined) {
    const message = `Listening on ${host}, but only requests for localhost are answered: set \`allowedHosts\` to the names clients use.`;
    server.diagnose({ level: "warning", message });
  }
  if (auth === undefined && authenticate === undefined) {
    const message = `Listening on ${host} without \`auth\` or \`authenticate\`: whoever can reach this port can call every tool.`;
    server.diagnose({ level: "warning", message });
  }
}
