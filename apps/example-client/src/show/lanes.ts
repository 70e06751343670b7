import { fileURLToPath } from "node:url";
import { connect, type ClientOptions, type ConnectTarget } from "@toolwire/client";
import { createHttpTransport } from "@toolwire/client/http";
import { spawnServer } from "@toolwire/client/stdio";
import { createWebSocketChannel } from "@toolwire/client/websocket";
import type { server } from "@toolwire/example-server";
import { Journal } from "./journal.ts";
import { tapChannel, tapExchanges } from "./wire-tap.ts";

/** A client that knows the example server's tools: their names, arguments and results are checked by the compiler. */
type ExampleClient = Awaited<ReturnType<typeof connect<typeof server>>>;

/** One transport of the show, with a client on it. */
export interface Lane {
  readonly name: "stdio" | "http" | "websocket";
  readonly client: ExampleClient;
  readonly journal: Journal;
}

/**
 * Starts one server process, which serves all three transports at once, and connects to it by each of them. The process is
 * the child of the stdio client, and ends with it.
 */
export async function openLanes(options: ClientOptions): Promise<Lane[]> {
  const announcements = new Announcements();
  const stdio = await openLane("stdio", options, (journal) => () => {
    const child = spawnServer({
      command: process.execPath,
      args: [fileURLToPath(import.meta.resolve("@toolwire/example-server/main")), "all", "--port", "0"],
      stderr: (text) => announcements.read(text),
    });
    return tapChannel(child, journal);
  });
  try {
    const lost = stdio.client.closed.then((reason) => {
      throw reason ?? new Error("The server ended before it listened.");
    });
    const [httpUrl, wsUrl] = await Promise.race([announcements.both, lost]);
    const others = await Promise.all([
      openLane("http", options, (journal) => () => tapExchanges(createHttpTransport(httpUrl), journal)),
      openLane("websocket", options, (journal) => () => tapChannel(createWebSocketChannel(wsUrl), journal)),
    ]);
    return [stdio, ...others];
  } catch (error) {
    await stdio.client.close();
    throw error;
  }
}

/** Closes all clients, and with the last of them the server. */
export async function closeLanes(lanes: readonly Lane[]): Promise<void> {
  // The server process belongs to the first lane, so it is closed last.
  for (const { client } of lanes.toReversed()) await client.close();
}

async function openLane(
  name: Lane["name"],
  options: ClientOptions,
  toTarget: (journal: Journal) => ConnectTarget,
): Promise<Lane> {
  const journal = new Journal();
  const client = await connect<typeof server>(toTarget(journal), { ...options, reconnect: false });
  journal.isOpen = true;
  return { name, client, journal };
}

/** Waits for the server to say where it listens: lines of JSON among whatever else it may print. */
class Announcements {
  readonly both: Promise<readonly [http: string, ws: string]>;
  #resolve!: (urls: readonly [string, string]) => void;
  #unread = "";
  readonly #urls: string[] = [];

  constructor() {
    this.both = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  read(text: string): void {
    const lines = (this.#unread + text).split("\n");
    this.#unread = lines.pop() ?? "";
    for (const line of lines) {
      const url = /^\{"listening":"([^"]+)"\}$/.exec(line)?.[1];
      if (url === undefined) process.stderr.write(`${line}\n`);
      else this.#urls.push(url);
    }
    const http = this.#urls.find((url) => url.startsWith("http:"));
    const ws = this.#urls.find((url) => url.startsWith("ws:"));
    if (http !== undefined && ws !== undefined) this.#resolve([http, ws]);
  }
}
