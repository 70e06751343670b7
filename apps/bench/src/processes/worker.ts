/** A child process that is asked to do things and answers when it has done them. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Commands, Reply } from "./commands.ts";
import { pinCommand, type Role } from "./pinning.ts";

/** How to start a worker. */
export interface WorkerOptions {
  /** Compiled entry point. */
  readonly script: URL;
  readonly role: Role;
  readonly arguments?: readonly string[];
}

/** Nothing the benchmark asks for takes this long unless it hangs. */
const ANSWER_LIMIT_MS = 60_000;
const KEPT_STDERR = 4_000;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Typed by the commands that its entry point answers. */
export class Worker<C extends Commands<C>> {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #name: string;
  #stderr = "";
  #asked = 0;
  #gone = false;

  constructor({ script, role, arguments: args = [] }: WorkerOptions) {
    const path = fileURLToPath(script);
    this.#name = [path.replace(/^.*\/dist\//, ""), ...args].join(" ");
    const [program, ...rest] = pinCommand(role, [process.execPath, "--expose-gc", path, ...args]);
    this.#process = spawn(program, rest, {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: { ...process.env, NODE_ENV: "production" },
    });
    this.#process.stderr?.on("data", (text: Buffer) => {
      this.#stderr = (this.#stderr + text.toString()).slice(-KEPT_STDERR);
    });
    this.#process.on("message", (reply: Reply) => this.#settle(reply));
    this.#process.on("exit", () => {
      this.#gone = true;
      for (const { reject } of this.#waiting.values()) reject(this.#failure("ended"));
      this.#waiting.clear();
    });
  }

  /** The id of the process. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Whether it can still be asked. */
  get isAlive(): boolean {
    return !this.#gone;
  }

  /** Runs a command in the worker. */
  async ask<K extends keyof C & string>(
    command: K,
    ...[argument]: Parameters<C[K]>
  ): Promise<Awaited<ReturnType<C[K]>>> {
    if (this.#gone) throw this.#failure("ended");
    const number = ++this.#asked;
    let timer: NodeJS.Timeout | undefined;
    try {
      const value = await new Promise<unknown>((resolve, reject) => {
        this.#waiting.set(number, { resolve, reject });
        timer = setTimeout(() => reject(this.#failure(`did not answer "${command}"`)), ANSWER_LIMIT_MS);
        this.#process.send({ number, command, argument });
      });
      return value as Awaited<ReturnType<C[K]>>;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(number);
    }
  }

  /** Ends the process; it has nothing to lose. */
  async stop(): Promise<void> {
    if (this.#gone) return;
    const ended = new Promise<void>((resolve) => {
      this.#process.once("exit", () => resolve());
    });
    this.#process.kill("SIGKILL");
    await ended;
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.number);
    if ("error" in reply) waiting?.reject(new Error(`${this.#name}: ${reply.error}`));
    else waiting?.resolve(reply.value);
  }

  #failure(what: string): Error {
    const said = this.#stderr.trim();
    return new Error(`The process "${this.#name}" ${what}.${said === "" ? "" : ` It said:\n${said}`}`);
  }
}
