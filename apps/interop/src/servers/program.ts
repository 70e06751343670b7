import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { connect, createServer as createSocketServer, type AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Transport } from "../clients/task.ts";

/** The command line of a server program. */
export const transport: Transport = process.argv[2] as Transport;

/** The package of the SDK, where a program serves several versions of it. */
export const sdk: string = process.argv[3] ?? "";

/** How many calls of the tool `wait` are running, and how many were cancelled. */
export const counter: { waiting: number; cancelled: number } = { waiting: 0, cancelled: 0 };

/** How long a tool works that is a task, so that it can be seen at work. */
export const WORK_MS = 150;

/** Waits until somebody gives up, and notes it. */
export async function waitForever(signal: AbortSignal): Promise<void> {
  counter.waiting++;
  if (!signal.aborted) await once(signal, "abort");
  counter.waiting--;
  counter.cancelled++;
}

/** Says where the server can be reached: the line that whoever started this program waits for. */
export function announce(url: string): void {
  console.log(url);
}

/** Listens on a free port, and says so. */
export async function listen(listener: RequestListener, path: string): Promise<void> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
}

/** A port that nobody uses, for servers that have to be told one. */
export async function findFreePort(): Promise<number> {
  const probe = createSocketServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** Waits for a server that does not say when it listens. */
export async function untilListening(port: number): Promise<void> {
  for (let attempts = 0; attempts < 800; attempts++) {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return;
    } catch {
      await delay(25);
    } finally {
      socket.destroy();
    }
  }
  throw new Error(`Nobody listens on port ${port}.`);
}
