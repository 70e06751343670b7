import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Assignment } from "./assignment.ts";

const PROGRAM = fileURLToPath(new URL("program.js", import.meta.url));

/** How long a worker may take until it serves, and until it has ended, in milliseconds. */
const START_MS = 30_000;
const END_MS = 30_000;

/** A worker that was started. */
export class WorkerProcess {
  readonly url: string;
  readonly #child: ChildProcess;
  #isEnding = false;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** Starts a worker. Resolves when it serves. */
  static async start(assignment: Assignment): Promise<WorkerProcess> {
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(assignment)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface(child.stdout!);
    const line = once(lines, "line", { signal: AbortSignal.timeout(START_MS) }) as Promise<[string]>;
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`A worker has ended with ${String(code)} before it served.`);
    });
    try {
      const [url] = await Promise.race([line, ended]);
      ended.catch(() => {});
      return new WorkerProcess(child, url);
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  }

  /** Whether it has ended although nobody has told it to. */
  get hasEndedByItself(): boolean {
    return !this.#isEnding && (this.#child.exitCode !== null || this.#child.signalCode !== null);
  }

  /** Ends it in the middle of whatever it does. */
  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  /** Lets it give back what it works at, and end. */
  async stop(): Promise<void> {
    await this.#end("SIGTERM").catch(() => this.#end("SIGKILL"));
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#isEnding = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit", { signal: AbortSignal.timeout(END_MS) });
    this.#child.kill(signal);
    await exited;
  }
}
