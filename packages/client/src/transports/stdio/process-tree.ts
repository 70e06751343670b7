import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import type { Environment } from "./environment.ts";
import { systemProgram } from "./command.ts";
import { readdirSync, readFileSync } from "node:fs";

interface SilentOptions {
  readonly stdio: "ignore";
  readonly windowsHide: true;
}

/** The part of a child process that is needed to end it. */
type Child = Pick<ChildProcess, "pid" | "kill">;

/**
 * Ends a process and its descendants. On POSIX a server leads a process group of its own, which gets the signal; on Windows
 * `taskkill` walks the tree, and can only kill. Processes that have ended already are no error.
 */
export function signalTree(child: Child, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  if (process.platform === "win32") endWindowsTree(child, child.pid, process.env);
  else send(-child.pid, signal);
}

/** The same while this process exits, when no asynchronous code runs any more. */
export function killTreeNow(pid: number): void {
  if (process.platform !== "win32") {
    const family = new ProcessFamily(pid);
    family.look();
    send(-pid, "SIGKILL");
    family.signal("SIGKILL");
  } else if (spawnSync(...taskkill(pid, process.env)).status !== 0) send(pid, "SIGKILL");
}

/** Ends the tree of a child by `taskkill`; if that fails, at least the child. */
export function endWindowsTree(child: Child, pid: number, env: Environment): void {
  const killer = spawn(...taskkill(pid, env));
  killer.once("error", () => child.kill("SIGKILL"));
  // Uses the handle of the child: its id may belong to another process by now.
  killer.once("exit", (code) => code === 0 || child.kill("SIGKILL"));
}

function taskkill(pid: number, env: Environment): [string, readonly string[], SilentOptions] {
  const args = ["/pid", String(pid), "/t", "/f"];
  return [systemProgram("taskkill.exe", env), args, { stdio: "ignore", windowsHide: true }];
}

function send(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The processes have ended already.
  }
}

/** How many processes are examined, and how many of them may be descendants: more than any server has. */
const MAX_LOOKED_AT = 32_768;
const MAX_MEMBERS = 4096;

/** A running process. Its id may be used again later, but not together with its start time. */
interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  /** The process group: the id of the process that leads it. */
  readonly group: number;
  /** In ticks since the machine was started. */
  readonly startTime: string;
}

/**
 * The descendants of a process that were seen while it ran. Descendants that have left its process group do not get the
 * group's signals, and cannot be found once their parent has ended. They are read from /proc, so on systems other than
 * Linux the family stays empty.
 */
export class ProcessFamily {
  readonly #leader: RunningProcess | undefined;
  readonly #proc: string;
  /** The ids of the descendants that were seen, and the start time of each. */
  readonly #seen = new Map<number, string>();

  /** The leader must not have ended, or its id may be used by another process. `proc` is the process file system. */
  constructor(leader: number, proc = "/proc") {
    this.#proc = proc;
    this.#leader = this.#read(leader);
  }

  /** Adds all current descendants of the leader and of members seen before. */
  look(): void {
    if (this.#leader === undefined) return;
    const running = this.#list();
    const children = new Map<number, RunningProcess[]>();
    for (const each of running) {
      const siblings = children.get(each.parent);
      if (siblings === undefined) children.set(each.parent, [each]);
      else siblings.push(each);
    }
    // The start time excludes other processes that use the same id by now.
    const isMember = ({ pid, startTime }: RunningProcess): boolean =>
      this.#seen.get(pid) === startTime || (pid === this.#leader?.pid && startTime === this.#leader.startTime);
    const parents = running.filter(isMember);
    for (const parent of parents) {
      for (const child of children.get(parent.pid) ?? []) {
        if (isMember(child) || this.#seen.size >= MAX_MEMBERS) continue;
        this.#seen.set(child.pid, child.startTime);
        parents.push(child);
      }
    }
  }

  /** Sends a signal to all running members outside the leader's process group, which gets signals as a whole. */
  signal(signal: "SIGTERM" | "SIGKILL"): void {
    for (const { pid, group } of this.#running()) {
      if (group === this.#leader?.pid) continue;
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended meanwhile, or belongs to another user.
      }
    }
  }

  /** Whether no member runs any more. */
  get isGone(): boolean {
    return this.#running().length === 0;
  }

  #running(): RunningProcess[] {
    return [...this.#seen].flatMap(([pid, startTime]) => {
      const running = this.#read(pid);
      return running?.startTime === startTime ? [running] : [];
    });
  }

  #list(): RunningProcess[] {
    let names: string[];
    try {
      names = readdirSync(this.#proc);
    } catch {
      return [];
    }
    const pids = names.filter((name) => /^\d+$/.test(name)).slice(0, MAX_LOOKED_AT);
    return pids.flatMap((pid) => this.#read(Number(pid)) ?? []);
  }

  /** Reads `/proc/[pid]/stat` (proc(5)); `undefined` if the process has ended, even if its parent has not waited for it. */
  #read(pid: number): RunningProcess | undefined {
    let text: string;
    try {
      text = readFileSync(`${this.#proc}/${pid}/stat`, "utf8");
    } catch {
      return undefined;
    }
    // The second field is the program's name in parentheses, which may itself hold some; the third follows the last one.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state, parent, group] = fields;
    const startTime = fields[19];
    if (state === "Z" || state === "X" || startTime === undefined) return undefined;
    return { pid, parent: Number(parent), group: Number(group), startTime };
  }
}
