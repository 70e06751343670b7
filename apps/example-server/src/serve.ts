import { serveHttp } from "@toolwire/server/http";
import { serveStdio } from "@toolwire/server/stdio";
import { serveWebSocket } from "@toolwire/server/websocket";
import type { Launch } from "./command-line.ts";
import { server } from "./server.ts";

/** Something that listens for clients. */
interface Listener {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the one server over all transports that are wanted, until the process is told to end. */
export async function serve(launch: Launch): Promise<void> {
  const { transports } = launch;
  // With stdio alone, the binding sees to everything, the end of the process included.
  if (transports.length === 1 && transports[0] === "stdio") {
    serveStdio(server);
    return;
  }
  const listeners = await listen(launch);
  const closing = new Closing(listeners);
  // Only now: whoever reads this may already send a signal.
  for (const { url } of listeners) console.error(JSON.stringify({ listening: url }));
  if (transports.includes("stdio")) serveStdioBeside(closing);
}

/** Opens the ports. If one cannot be opened, none is. */
async function listen({ transports, httpPort, wsPort, host, allowedHosts, legacySse }: Launch): Promise<Listener[]> {
  const openings: Promise<Listener>[] = [];
  if (transports.includes("http")) {
    openings.push(serveHttp(server, { port: httpPort, host, allowedHosts, legacy: { sse: legacySse } }));
  }
  if (transports.includes("ws")) openings.push(serveWebSocket(server, { port: wsPort, host, allowedHosts }));
  const opened = await Promise.allSettled(openings);
  const listeners = opened.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const failure = opened.find((outcome) => outcome.status === "rejected");
  if (failure !== undefined) {
    await Promise.all(listeners.map((listener) => listener.close()));
    throw failure.reason;
  }
  return listeners;
}

/** The end of the process: in good order when it is told to end, at once when it is told again. */
class Closing {
  readonly #closing: { close(): Promise<void> }[];
  #isUnderWay = false;

  constructor(listeners: readonly Listener[]) {
    this.#closing = [...listeners];
    const onSignal = (): void => {
      if (this.#isUnderWay) process.exit(1);
      this.begin();
    };
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
  }

  /** Has something closed before the process ends. */
  include(closable: { close(): Promise<void> }): void {
    this.#closing.push(closable);
  }

  begin(): void {
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    void Promise.all(this.#closing.map((closable) => closable.close())).then(() => process.exit(0));
  }
}

/**
 * Serves stdin and stdout next to the ports. If a client was there, the process ends with it, as clients expect of a server
 * that they have started; if there was none, as in the background of a shell, the ports stay open.
 */
function serveStdioBeside(closing: Closing): void {
  let hasClient = false;
  process.stdin.once("data", () => {
    hasClient = true;
  });
  const stdio = serveStdio(server, { exit: false });
  closing.include(stdio);
  void stdio.closed.then(() => {
    if (hasClient) closing.begin();
  });
}
