/** A stdio server is a child of the load process, which holds the other ends of its pipes. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Reply } from "../processes/commands.ts";
import type { MemoryUse } from "../processes/memory.ts";
import { pinCommand } from "../processes/pinning.ts";
import { findProgram } from "../processes/programs.ts";
import type { Wiring } from "../workload/scenario.ts";
import { initializePipes } from "./line-exchange.ts";
import type { Pipes } from "./line-load.ts";

/** Answers over its pipes, and questions about itself over Node's own channel. */
export class StdioServer {
  readonly pipes: Pipes;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, pipes: Pipes) {
    this.#process = process;
    this.pipes = pipes;
  }

  /** Starts one and, in the legacy era, shakes hands. */
  static async start(contender: string, wiring: Wiring): Promise<StdioServer> {
    const { script, name } = findProgram(contender, "processes/serve.js");
    const command = [process.execPath, "--expose-gc", fileURLToPath(script), name, JSON.stringify(wiring)];
    const [program, ...rest] = pinCommand("measured", command);
    const child = spawn(program, rest, { stdio: ["pipe", "pipe", "ignore", "ipc"] });
    const { stdin, stdout } = child;
    if (stdin === null || stdout === null) throw new Error("The server has no pipes.");
    if (wiring.era === "legacy") await initializePipes({ stdin, stdout });
    return new StdioServer(child, { stdin, stdout });
  }

  async readMemory(): Promise<MemoryUse> {
    this.#process.send({ number: 0, command: "memory", argument: undefined });
    const [reply] = (await once(this.#process, "message")) as [Reply];
    if ("error" in reply) throw new Error(reply.error);
    return reply.value as MemoryUse;
  }

  stop(): void {
    this.#process.kill("SIGKILL");
  }
}
