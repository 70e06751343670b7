import { startGroup, type ProcessGroup } from "@toolwire/evidence";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ServerTask } from "./task.ts";

/** The program that every server process runs. */
const PROGRAM = fileURLToPath(new URL("program.js", import.meta.url));

/** How much of a server's stderr is kept. */
const STDERR_LENGTH = 2000;

/** How a process has ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of its stderr. */
  readonly stderr: string;
}

/** A process that was started, with those that it starts itself. */
export class ServerProcess {
  readonly #group: ProcessGroup;
  readonly ended: Promise<Ended>;

  /** `hear` gets each line that it prints. */
  constructor(task: ServerTask, mark: string, hear: (line: string) => void) {
    this.#group = startGroup([process.execPath, PROGRAM, JSON.stringify(task)], {
      stdio: ["pipe", "pipe", "pipe"],
      // Inherited by workers, so that none is overlooked when all should be gone.
      env: { ...process.env, TOOLWIRE_CLUSTER_RUN: mark },
    });
    const { child } = this.#group;
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-STDERR_LENGTH);
    });
    createInterface(child.stdout!).on("line", hear);
    this.ended = once(child, "exit").then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
      stderr,
    }));
  }

  signal(signal: NodeJS.Signals): void {
    this.#group.child.kill(signal);
  }

  /** Kills it, and whatever it has started. */
  async abandon(): Promise<void> {
    this.#group.child.kill("SIGKILL");
    await this.#group.end();
  }
}
