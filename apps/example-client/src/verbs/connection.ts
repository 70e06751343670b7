import { connect, type Client, type ClientOptions } from "@toolwire/client";
import { spawnServer } from "@toolwire/client/stdio";
import { askForm } from "../asking/form-prompt.ts";
import { isInteractive } from "../asking/terminal.ts";
import type { VerbOptions } from "../command-line.ts";

/** Connects to the target of a verb, uses the connection, and closes it whatever happens. */
export async function withClient<T>(options: VerbOptions, use: (client: Client) => Promise<T>): Promise<T> {
  const client = await connectTo(options);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

async function connectTo({ target, revision, timeoutMs, headers, stderr }: VerbOptions): Promise<Client> {
  const options: ClientOptions = {
    info: { name: "toolwire-example-client", version: "1.0.0" },
    revision,
    timeout: timeoutMs,
    connectTimeout: timeoutMs,
    reconnect: false,
    // Servers may ask questions if there is somebody to answer them.
    elicitation: isInteractive() ? askForm : undefined,
  };
  if (target instanceof URL) return connect(target, { ...options, http: { headers }, websocket: { headers } });
  // Keeps the stderr of a server off the screen; its end is part of the error if the server fails.
  return connect(() => spawnServer({ ...target, stderr: stderr ? "inherit" : "ignore" }), options);
}
