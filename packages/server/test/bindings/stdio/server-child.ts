import type { Message } from "@toolwire/protocol";
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { onTestFinished } from "vitest";
import { RawPeer } from "../../raw-peer.ts";

/** A server process that is spoken to line by line. */
export class ServerChild extends RawPeer {
  readonly process: ChildProcessWithoutNullStreams;
  /** Every line the server has written to stdout. */
  readonly lines: string[] = [];
  stderr = "";
  readonly #reader: Interface;

  constructor(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    super();
    this.process = spawn(command, args, { stdio: "pipe", env: { ...process.env, ...env } });
    this.process.stdin.on("error", () => {});
    this.process.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      this.look();
    });
    this.#reader = createInterface({ input: this.process.stdout });
    this.#reader.on("line", (line) => {
      this.lines.push(line);
      this.look();
    });
    onTestFinished(() => void this.process.kill("SIGKILL"));
  }

  /** The messages that the server has written, as JSON. Throws if any line is not. */
  get messages(): Message[] {
    return this.lines.map((line) => JSON.parse(line) as Message);
  }

  write(text: string | Uint8Array): void {
    this.process.stdin.write(text);
  }

  send(message: object): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  /** Waits for the process to end; resolves to its exit code, or the signal that ended it. */
  async ended(): Promise<number | string | null> {
    const { process: child } = this;
    if (child.exitCode === null && child.signalCode === null) await once(child, "close");
    return child.exitCode ?? child.signalCode;
  }
}
