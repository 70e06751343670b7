/** Starts gateways and the servers behind them, as programs that say when they are ready. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { pinCommand, type Role } from "../processes/pinning.ts";

/** A program that runs. */
export interface RunningProgram {
  readonly port: number;
  /** The process that is measured; `undefined` if it is not the contender's own. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

/** How long a program may take to be ready. The first start of an embedded database takes seconds. */
const START_LIMIT_MS = 60_000;
const KEPT_OUTPUT = 4000;

/** Starts a program that prints a line of JSON with the URL at which it listens. */
export async function startAnnounced(role: Role, command: readonly string[]): Promise<RunningProgram> {
  const program = new Program(role, command);
  const found = new Promise<number>((resolve) => {
    program.onOutput = (output) => {
      const [, port] = /"listening":"[a-z]+:\/\/[^"/]*:(\d+)/.exec(output) ?? [];
      if (port !== undefined) resolve(Number(port));
    };
  });
  return { port: await program.unlessGone(found), pid: program.pid, stop: () => program.stop() };
}

/** Starts a program that is told its port, and waits until it takes connections. */
export async function startOnPort(role: Role, command: (port: number) => readonly string[]): Promise<RunningProgram> {
  const port = await findFreePort();
  const program = new Program(role, command(port));
  await program.unlessGone(waitForPort(port));
  return { port, pid: program.pid, stop: () => program.stop() };
}

class Program {
  readonly #process: ChildProcess;
  readonly #name: string;
  #output = "";
  onOutput: (output: string) => void = () => {};

  constructor(role: Role, command: readonly string[]) {
    this.#name = command.slice(0, 4).join(" ");
    const [program, ...args] = pinCommand(role, command);
    // A group of its own, so that what it starts can be ended with it.
    this.#process = spawn(program, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NODE_ENV: "production" },
      detached: true,
    });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.on("data", (text: Buffer) => {
        this.#output = (this.#output + text.toString()).slice(-KEPT_OUTPUT);
        this.onOutput(this.#output);
      });
    }
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  async unlessGone<T>(ready: Promise<T>): Promise<T> {
    const gone = once(this.#process, "exit").then(() => this.#fail("ended"));
    const late = wait(START_LIMIT_MS, undefined, { ref: false }).then(() => this.#fail("was not ready in time"));
    try {
      return await Promise.race([ready, gone, late]);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#process;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const ended = once(this.#process, "exit");
    process.kill(-pid, "SIGTERM");
    const isEnded = await Promise.race([ended.then(() => true), wait(3000, false, { ref: false })]);
    if (isEnded) return;
    process.kill(-pid, "SIGKILL");
    await ended;
  }

  #fail(what: string): never {
    throw new Error(`The program "${this.#name}" ${what}. It said:\n${this.#output.trim()}`);
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

async function waitForPort(port: number): Promise<void> {
  const end = performance.now() + START_LIMIT_MS;
  while (performance.now() < end) {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return;
    } catch {
      await wait(50);
    } finally {
      socket.destroy();
    }
  }
}
