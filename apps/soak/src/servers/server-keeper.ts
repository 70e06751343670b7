import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { findPort } from "@toolwire/engines";
import { PROGRAM } from "./program.ts";
import type { ServerTask } from "./task.ts";

/** How much of a server's stderr is kept. */
const STDERR_LENGTH = 2000;

/** How long a server gets to end by itself after SIGTERM. */
const STOP_MS = 5000;

/** A server process that listens on a port, and is started again on the same one. */
export class ServerKeeper {
  readonly #task: Omit<ServerTask, "port" | "startDelay">;
  readonly #onCrash: (how: string) => void;
  #child: ChildProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();
  #port = 0;

  /** `onCrash` is told if the server ends by itself. */
  constructor(task: Omit<ServerTask, "port" | "startDelay">, onCrash: (how: string) => void) {
    this.#task = task;
    this.#onCrash = onCrash;
  }

  /** The port, once the server was started. */
  get port(): number {
    return this.#port;
  }

  /** Starts the server. Resolves when it listens. */
  async start(): Promise<void> {
    this.#port ||= await findPort();
    const task: ServerTask = { ...this.#task, port: this.#port, startDelay: 0 };
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(task)], { stdio: ["pipe", "pipe", "pipe"] });
    this.#child = child;
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-STDERR_LENGTH);
    });
    this.#exited = once(child, "exit").then(([code, signal]) => {
      // Ending it on purpose replaces `#child` first.
      if (this.#child === child) this.#onCrash(`ended with ${String(signal ?? code)}. ${stderr}`);
    });
    const lines = createInterface(child.stdout);
    const [line] = (await Promise.race([once(lines, "line"), this.#exited.then(() => [])])) as [string?];
    if (line === undefined) throw new Error(`A server did not start. ${stderr}`);
  }

  /** Kills the server. Resolves when it is gone. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    child?.kill("SIGKILL");
    await this.#exited;
  }

  /** Asks the server to end. Resolves when it is gone, and with false if it had to be killed. */
  async stop(): Promise<boolean> {
    const child = this.#child;
    this.#child = undefined;
    child?.kill("SIGTERM");
    const timer = setTimeout(() => child?.kill("SIGKILL"), STOP_MS);
    await this.#exited;
    clearTimeout(timer);
    return child?.signalCode !== "SIGKILL";
  }
}
