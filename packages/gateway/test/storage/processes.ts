import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { CallLog } from "../../src/log/call-log.ts";
import type { StorageOptions } from "../../src/storage/open-storage.ts";

/** What the process in `fixtures/log-process.ts` says. */
interface ProcessMessage {
  readonly type: "open" | "added" | "done" | "change";
  readonly index?: number;
  readonly kind?: string;
  readonly names?: readonly string[];
}

/** A process that keeps calls. */
export interface LogProcess {
  readonly child: ChildProcess;
  /** Resolves with the next message of a type that `isMeant`. */
  message(type: ProcessMessage["type"], isMeant?: (message: ProcessMessage) => boolean): Promise<ProcessMessage>;
  /** Ends it as nothing can be caught: `kill -9`. */
  kill(): Promise<void>;
}

/** Starts a process that adds `count` records, and writes the ids of those that it has added to `file`. */
export function startLogProcess(options: StorageOptions, file: string, count: number): LogProcess {
  const program = fileURLToPath(new URL("fixtures/log-process.ts", import.meta.url));
  const child = fork(program, [JSON.stringify(options), file, String(count)], {
    execArgv: ["--conditions=@toolwire/source", "--import", "tsx"],
  });
  const exited = once(child, "exit");
  return {
    child,
    message: (type, isMeant = () => true) =>
      new Promise((resolve, reject) => {
        const onMessage = (message: ProcessMessage): void => {
          if (message.type !== type || !isMeant(message)) return;
          child.off("message", onMessage);
          resolve(message);
        };
        child.on("message", onMessage);
        child.once("exit", () => reject(new Error(`The process has ended before it said "${type}".`)));
      }),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** The ids of complete lines. */
export async function readIds(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8");
  return text.split("\n").slice(0, -1);
}

/** All ids in the log, as often as they are there, and how many calls the rollups have counted. */
export async function readLog(log: CallLog): Promise<{ readonly ids: readonly string[]; readonly counted: number }> {
  const range = { from: Date.now() - 3 * 3_600_000, to: Date.now() + 60_000 };
  const ids: string[] = [];
  for await (const { id } of log.export(range)) ids.push(id);
  const { calls } = await log.totals(range);
  return { ids, counted: calls };
}
