import type { Client, ConnectOptions } from "@toolwire/client";

/** The client's part in one scenario of the suite. */
export interface Scenario {
  readonly options?: ConnectOptions;
  /** Makes further options from the address of the server and from what the suite tells this scenario. */
  readonly prepare?: (server: URL, context: unknown) => ConnectOptions | Promise<ConnectOptions>;
  /** `context` is what the suite tells this scenario. */
  run(client: Client, context: unknown): Promise<unknown>;
}
