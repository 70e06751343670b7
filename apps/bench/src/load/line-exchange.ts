/** Single exchanges over pipes, for handshakes and for looking at an answer before it is measured. */
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { INITIALIZE_PARAMS } from "../workload/protocol.ts";
import { type PreparedRequest, prepareMessage } from "../workload/requests.ts";
import type { Pipes } from "./line-load.ts";

/** Sends one line and resolves with the next answer that comes back. */
export async function exchangeLine({ stdin, stdout }: Pipes, { bytes }: PreparedRequest): Promise<string> {
  // Readline stays away from the pipe itself, which it would leave paused.
  const tap = new PassThrough();
  const feed = (chunk: Buffer): void => void tap.write(chunk);
  const end = (): void => void tap.end();
  stdout.on("data", feed);
  stdout.once("end", end);
  try {
    stdin.write(bytes);
    for await (const line of createInterface({ input: tap })) {
      // Notifications, of which some servers send a few on their own account, have no id.
      if ("id" in (JSON.parse(line) as object)) return line;
    }
    throw new Error("The server closed its output without an answer.");
  } finally {
    stdout.off("data", feed);
    stdout.off("end", end);
  }
}

/** The legacy handshake. */
export async function initializePipes(pipes: Pipes): Promise<void> {
  await exchangeLine(pipes, prepareMessage("initialize", INITIALIZE_PARAMS, "\n"));
  pipes.stdin.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}\n`);
}
