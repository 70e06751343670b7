import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** A process that is still running. */
export interface Leftover {
  readonly pid: number;
  readonly commandLine: string;
}

/** How long processes may take to exit by themselves. */
const GRACE_MS = 5000;

/** Whether `findLeftovers` works on this platform. It reads `/proc`. */
export const canFindLeftovers: boolean = process.platform === "linux";

/**
 * Waits until no process has the text in its command line or environment, which is inherited by default. Returns the
 * processes that still have it after the time. Finds nothing on other platforms than Linux.
 */
export async function findLeftovers(mention: string, milliseconds: number = GRACE_MS): Promise<readonly Leftover[]> {
  const end = performance.now() + milliseconds;
  for (;;) {
    const found = listProcesses().filter(({ pid, texts }) => pid !== process.pid && texts.includes(mention));
    if (found.length === 0 || performance.now() >= end) {
      return found.map(({ pid, commandLine }) => ({ pid, commandLine }));
    }
    await delay(25);
  }
}

/** Kills processes, and ignores those that have exited meanwhile. */
export function killLeftovers(leftovers: readonly Leftover[]): void {
  for (const { pid } of leftovers) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The process has exited meanwhile.
    }
  }
}

interface RunningProcess extends Leftover {
  readonly texts: string;
}

function listProcesses(): RunningProcess[] {
  if (!canFindLeftovers) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [args, environment] = ["cmdline", "environ"].map((file) => readFileSync(`/proc/${name}/${file}`, "utf8"));
        // Zombies have an empty command line.
        if (args === undefined || args === "") return [];
        const commandLine = args.replaceAll("\0", " ").trim();
        return [{ pid: Number(name), commandLine, texts: `${args}\n${environment}` }];
      } catch {
        // The process has exited meanwhile, or belongs to another user.
        return [];
      }
    });
}
