import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import type { Environment } from "./environment.ts";
import { systemProgram } from "./command.ts";
import { readdirSync, readFileSync } from "node:fs";

interface SilentOptions {
  readonly stdio: "ignore";
  readonly windowsHide: true;
}

/** What is needed of a child process to end it. */
type Child = Pick<ChildProcess, "pid" | "kill">;

/**
 * Ends a process and what it has started. On POSIX a server leads a process group of its own, to which the signal goes; on
 * Windows `taskkill` walks the tree, and knows no gentle way. What is gone already is no error.
 */
export function signalTree(child: Child, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  if (process.platform === "win32") endWindowsTree(child, child.pid, process.env);
  else send(-child.pid, signal);
}

/** The same at the very end of this process, when nothing asynchronous runs any more. */
export function killTreeNow(pid: number): void {
  if (process.platform !== "win32") {
    const family = new ProcessFamily(pid);
    family.look();
    send(-pid, "SIGKILL");
    family.signal("SIGKILL");
  } else if (spawnSync(...taskkill(pid, process.env)).status !== 0) send(pid, "SIGKILL");
}

/** Ends the tree of a child by `taskkill`; where that fails, at least the child. */
export function endWindowsTree(child: Child, pid: number, env: Environment): void {
  const killer = spawn(...taskkill(pid, env));
  killer.once("error", () => child.kill("SIGKILL"));
  // The handle of the child is used, as its id may be another process's by now.
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
    // All of it has ended.
  }
}

/** How many processes are looked at, and how many of them may be descendants: more than any server has. */
const MAX_LOOKED_AT = 32_768;
const MAX_MEMBERS = 4096;

/** A process that runs. Its id may be that of another one later, but not together with the time at which it was started. */
interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  /** The process group that it is in: the id of the process that leads it. */
  readonly group: number;
  /** In ticks since the machine was started. */
  readonly startTime: string;
}

/**
 * The descendants of a process, as they were seen while it ran. Those that have left its process group do not get the signals
 * which the group gets, and once their parent is gone, nothing tells whose they were. Only Linux says who they are, in
 * /proc; elsewhere the family stays empty.
 */
export class ProcessFamily {
  readonly #leader: RunningProcess | undefined;
  readonly #proc: string;
  /** The ids of those that were seen, and when each was started. */
  readonly #seen = new Map<number, string>();

  /** The leader must not have ended, or its id may be another's. `proc` is where the system tells of processes. */
  constructor(leader: number, proc = "/proc") {
    this.#proc = proc;
    this.#leader = this.#read(leader);
  }

  /** Takes note of all descendants that the leader, and those seen before, have now. */
  look(): void {
    if (this.#leader === undefined) return;
    const running = this.#list();
    const children = new Map<number, RunningProcess[]>();
    for (const each of running) {
      const siblings = children.get(each.parent);
      if (siblings === undefined) children.set(each.parent, [each]);
      else siblings.push(each);
    }
    // Ids that are those of other processes by now have no part in this.
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

  /** Sends a signal to all members that still run, but not to those that get it with the process group of the leader. */
  signal(signal: "SIGTERM" | "SIGKILL"): void {
    for (const { pid, group } of this.#running()) {
      if (group === this.#leader?.pid) continue;
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended meanwhile, or is not ours to end.
      }
    }
  }

  /** Whether none of them runs any more. */
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

  /** Reads `/proc/[pid]/stat` (proc(5)); `undefined` if the process has ended, also if nobody has asked for its exit code. */
  #read(pid: number): RunningProcess | undefined {
    let text: string;
    try {
      text = readFileSync(`${this.#proc}/${pid}/stat`, "utf8");
    } catch {
      return undefined;
    }
    // The second field is the name of the program in parentheses, which may hold anything; the third follows the last of them.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state, parent, group] = fields;
    const startTime = fields[19];
    if (state === "Z" || state === "X" || startTime === undefined) return undefined;
    return { pid, parent: Number(parent), group: Number(group), startTime };
  }
}
