import { TransportError } from "@toolwire/protocol";
import type { Server } from "node:http";
import { expectOption } from "../definition/expect-option.ts";
import type { AdmissionOptions } from "../serving/admission-options.ts";
import { isLoopbackAddress } from "../serving/allowed-hosts.ts";
import type { Serving } from "../serving/contract.ts";

/** Where to listen, and what decides who can do something with that. */
export interface ListenOptions extends Pick<AdmissionOptions, "allowedHosts" | "authenticate"> {
  /** 0 takes any port that is free. */
  readonly port: number;
  readonly host: string;
}

/**
 * Begins to listen, and warns of what other machines can then reach or not. Rejects with `CONNECT_FAILED` if the address
 * cannot be had. What fails later, such as a connection for which the system has no file descriptor left, is reported
 * and does not end the process.
 */
export async function listen(http: Server, serving: Serving, options: ListenOptions): Promise<void> {
  const { port, host } = options;
  expectOption("port", port, Number.isInteger(port) && port >= 0 && port <= 0xffff, "a whole number from 0 to 65535");
  expectOption("host", host, typeof host === "string" && host !== "", "a name or an address of this machine");
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause: Error): void => {
      reject(new TransportError("CONNECT_FAILED", `Cannot listen on ${host}:${port}: ${cause.message}`, { cause }));
    };
    http.once("error", refuse);
    http.listen(port, host, () => {
      http.off("error", refuse);
      resolve();
    });
  });
  http.on("error", (error) => {
    serving.diagnose({ level: "error", message: `A connection could not be accepted: ${error.message}`, error });
  });
  if (!isLoopbackAddress(host)) warnAboutExposure(serving, options);
}

function warnAboutExposure(serving: Serving, { host, allowedHosts, authenticate }: ListenOptions): void {
  if (allowedHosts === undefined) {
    const message = `Listening on ${host}, but only requests for localhost are answered: set \`allowedHosts\` to the names clients use.`;
    serving.diagnose({ level: "warning", message });
  }
  if (authenticate === undefined) {
    const message = `Listening on ${host} without \`authenticate\`: whoever can reach this port can call every tool.`;
    serving.diagnose({ level: "warning", message });
  }
}
