import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** A process that is still there. */
export interface Leftover {
  readonly pid: number;
  readonly commandLine: string;
}

/** How long processes may take to vanish after whoever used them is done. */
const GRACE_MS = 5000;

/** Whether this platform can tell which processes are left. */
export const canFindLeftovers: boolean = process.platform === "linux";

/**
 * Waits until no process mentions a text in its command line or in its environment, which processes inherit, and returns
 * those that still do after some seconds. Linux tells; elsewhere nothing is found.
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

/** Kills what is left. */
export function killLeftovers(leftovers: readonly Leftover[]): void {
  for (const { pid } of leftovers) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
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
        // What has ended and waits for its parent to notice has no command line.
        if (args === undefined || args === "") return [];
        const commandLine = args.replaceAll("\0", " ").trim();
        return [{ pid: Number(name), commandLine, texts: `${args}\n${environment}` }];
      } catch {
        // It has ended meanwhile, or belongs to somebody else.
        return [];
      }
    });
}
