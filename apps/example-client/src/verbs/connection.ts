import { connect, type Client, type ConnectTarget } from "@toolwire/client";
import { spawnServer } from "@toolwire/client/stdio";
import { askForm } from "../asking/form-prompt.ts";
import { isInteractive } from "../asking/terminal.ts";
import type { VerbOptions } from "../command-line.ts";

/** Connects to the target of a verb, uses the connection, and closes it whatever happens. */
export async function withClient<T>(options: VerbOptions, use: (client: Client) => Promise<T>): Promise<T> {
  const { target, revision, timeoutMs, headers } = options;
  const transport = headers && { headers };
  const client = await connect(toConnectTarget(target, options), {
    info: { name: "toolwire-example-client", version: "1.0.0" },
    revision,
    timeout: timeoutMs,
    connectTimeout: timeoutMs,
    http: transport,
    websocket: transport,
    reconnect: false,
    // Servers may ask questions if there is somebody to answer them.
    elicitation: isInteractive() ? askForm : undefined,
  });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** Keeps the stderr of a server off the screen; its end is part of the error if the server fails. */
function toConnectTarget(target: VerbOptions["target"], { stderr }: VerbOptions): ConnectTarget {
  if (target instanceof URL) return target;
  return () => spawnServer({ ...target, stderr: stderr ? "inherit" : "ignore" });
}
