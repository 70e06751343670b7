import { open, readFile, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { AuthError } from "@toolwire/protocol";
import { wait } from "../../waiting.ts";

/** How often a holder shows that it lives, and after how long without that its lock is taken over. */
const HEARTBEAT_MS = 5_000;
const STALE_MS = 30_000;

/** How often a lock is tried. */
const POLL_MS = 25;

/** How long a lock is waited for, if nobody gives up before. A login takes minutes. */
const MAX_WAIT_MS = 10 * 60_000;

/**
 * Runs work while no other process that uses the same file does. The lock is a file that is created exclusively, with the id
 * of its process and machine. A lock of a process that has ended is taken over at once, one without a heartbeat after half a minute.
 */
export async function withFileLock<T>(
  path: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const token = `${process.pid} ${hostname()} ${crypto.randomUUID()}`;
  await acquire(path, token, signal);
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, HEARTBEAT_MS);
  heartbeat.unref();
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    // Another process may have taken it over, if this one was stopped for a while.
    if ((await readLock(path)) === token) await rm(path, { force: true });
  }
}

async function acquire(path: string, token: string, signal: AbortSignal | undefined): Promise<void> {
  const end = performance.now() + MAX_WAIT_MS;
  for (;;) {
    signal?.throwIfAborted();
    if (await create(path, token)) return;
    await removeStale(path);
    if (performance.now() > end) {
      throw new AuthError(
        "TEMPORARY",
        `Another process has held ${path} for ten minutes. If none runs, delete the file.`,
      );
    }
    // Random, so that many processes do not try in the same moment.
    await wait(POLL_MS * (0.5 + Math.random()), signal);
  }
}

async function create(path: string, token: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(token);
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** How long taking a lock over may take. */
const TAKEOVER_MS = 5_000;

/** Takes away the lock of a process that cannot give it back. One process does it at a time, and looks once more before. */
async function removeStale(path: string): Promise<void> {
  const holder = await readLock(path);
  if (holder === undefined || !(await isStale(path, holder))) return;
  const guard = `${path}.takeover`;
  if (!(await create(guard, holder))) {
    if ((await ageOf(guard)) > TAKEOVER_MS) await rm(guard, { force: true });
    return;
  }
  try {
    if ((await readLock(path)) === holder) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

async function isStale(path: string, holder: string): Promise<boolean> {
  const age = await ageOf(path);
  const [pid = "", host] = holder.split(" ");
  // A lock without a holder is being written, or its process was killed in between.
  if (host === undefined) return age > 1000;
  // Containers that share a directory do not see each other's processes.
  const isHere = host === hostname() && Number(pid) !== process.pid;
  return age > STALE_MS || (isHere && !isAlive(Number(pid)));
}

/** The milliseconds since a file was touched; 0 if there is none. */
async function ageOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined ? 0 : Date.now() - found.mtimeMs;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is alive, too.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function readLock(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}
