import { spawn, type ChildProcess } from "node:child_process";
import { Socket } from "node:net";
import { killTreeNow } from "./process-tree.ts";

/**
 * Makes sure that a server does not outlive this process, however this process ends. Returns a function that ends the
 * guard.
 *
 * If this process exits, or an exception ends it, a listener kills the server. If it is killed, none of its code runs any
 * more: servers then see the end of their input, but many ignore it. For those a small shell process (POSIX only) waits
 * for the end of this process and ends their process groups. It is started with the first server, ends with the last,
 * and never keeps this process alive. Without `/bin/sh`, there is no such watchdog. Windows itself ends the children of a
 * Node process that is killed, but not their children: behind a batch file, only the end of the input tells a server.
 */
export function guardAgainstOrphans(pid: number): () => void {
  if (guarded.size === 0) {
    process.on("exit", killAll);
    watchdog = startWatchdog();
  }
  guarded.add(pid);
  tell(`+ ${pid}`);
  return () => {
    if (!guarded.delete(pid)) return;
    tell(`- ${pid}`);
    if (guarded.size > 0) return;
    process.off("exit", killAll);
    watchdog?.stdin?.end();
    watchdog = undefined;
  };
}

const guarded = new Set<number>();
let watchdog: ChildProcess | undefined;

function killAll(): void {
  for (const pid of guarded) {
    killTreeNow(pid);
    tell(`- ${pid}`);
  }
}

/** Keeps a list of process groups, and ends them at the end of its input, which comes with the end of this process. */
const WATCHDOG_SCRIPT = `
groups=
while read -r change group; do
  if [ "$change" = + ]; then
    groups="$groups $group"
  else
    kept=
    for each in $groups; do
      [ "$each" = "$group" ] || kept="$kept $each"
    done
    groups=$kept
  fi
done
left=
for each in $groups; do
  kill -TERM "-$each" && left="$left $each"
done
[ -z "$left" ] && exit
sleep 2
for each in $left; do kill -KILL "-$each"; done
`;

function startWatchdog(): ChildProcess | undefined {
  if (process.platform === "win32") return undefined;
  const child = spawn("/bin/sh", ["-c", WATCHDOG_SCRIPT], {
    cwd: "/",
    // Not in the terminal's process group: Ctrl-C must not end it before its work begins.
    detached: true,
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.unref();
  // Pipes to processes are sockets at run time, though their type does not say so.
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}

function tell(line: string): void {
  watchdog?.stdin?.write(`${line}\n`);
}
