import { TransportError } from "@toolwire/protocol";
import { explainListenFailure } from "@toolwire/protocol/internal";
import type { Server } from "node:net";

/** Where to listen, and what to say if that is not possible. */
export interface PortOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Such as `The admin listener`. */
  readonly what: string;
  /** The option and the member of the configuration with the port. */
  readonly advice: string;
}

/**
 * Begins to listen.
 *
 * @throws TransportError `CONNECT_FAILED` if the address is not available; its message is one line that says what to do
 */
export async function openPort(http: Server, { host, port, what, advice }: PortOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: Error): void => {
      const message = explainListenFailure(cause, { what, host, port, advice });
      reject(new TransportError("CONNECT_FAILED", message, { cause }));
    };
    http.once("error", fail);
    http.listen(port, host, () => {
      http.off("error", fail);
      resolve();
    });
  });
}
