import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { UsageError } from "@toolwire/protocol";

/** The holder of a lock. */
interface Holder {
  readonly token: string;
  readonly pid: number;
  /** When the process was started, so that another one with the same id is not taken for it. */
  readonly startedAt: string;
  /** The machine and the container: elsewhere, ids of processes mean nothing. */
  readonly place: string;
}

const BEAT = 2000;
const DEAD_AFTER = 5 * BEAT;

/**
 * Locks a folder for this process. The lock of a process that was killed is found out and taken over: at once in the same
 * place, and after ten seconds without a sign of life if it ran in another container.
 *
 * @throws UsageError if another process has it
 */
export async function lockFolder(folder: string, deadAfter: number = DEAD_AFTER): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "lock");
  const own: Holder = { token: randomUUID(), pid: process.pid, startedAt: startOf(process.pid), place: placeOf() };
  // Waiting for signs of life takes 10 s, and whoever takes over in the meantime is seen alive at the next attempt.
  for (let attempt = 0; attempt < 4; attempt += 1) {
    if (await create(file, own)) return keepAlive(file, own);
    const holder = await readHolder(file);
    if (holder !== undefined && (await isAlive(file, holder, deadAfter))) throw lockedBy(folder, holder);
    await takeAway(file, holder);
  }
  throw new UsageError(
    "INVALID_STATE",
    `The folder ${folder} cannot be locked: other processes are trying to at the same time.`,
  );
}

/** Makes the lock with its contents at once: a file that is there is complete. */
async function create(file: string, own: Holder): Promise<boolean> {
  const fresh = `${file}.${own.token}`;
  await writeFile(fresh, JSON.stringify(own), { mode: 0o600 });
  try {
    await link(fresh, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  } finally {
    await rm(fresh, { force: true });
  }
}

function keepAlive(file: string, own: Holder): () => Promise<void> {
  const timer = setInterval(() => {
    const now = new Date();
    void utimes(file, now, now).catch(() => undefined);
  }, BEAT).unref();
  return async () => {
    clearInterval(timer);
    const holder = await readHolder(file);
    if (holder?.token === own.token) await rm(file, { force: true });
  };
}

async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Holder;
  } catch {
    return undefined;
  }
}

async function isAlive(file: string, holder: Holder, deadAfter: number): Promise<boolean> {
  if (holder.place === placeOf()) return isRunning(holder.pid) && startOf(holder.pid) === holder.startedAt;
  const seen = await lastBeat(file);
  for (let waited = 0; waited < deadAfter; waited += 250) {
    await delay(250);
    const now = await lastBeat(file);
    if (now === undefined) return false;
    if (now !== seen) return true;
  }
  return false;
}

async function lastBeat(file: string): Promise<number | undefined> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

/** Removes the lock of a dead process, unless somebody else has taken it over in the meantime: then theirs is put back. */
async function takeAway(file: string, holder: Holder | undefined): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
  } catch {
    return;
  }
  const taken = await readHolder(aside);
  if (taken?.token !== holder?.token) await link(aside, file).catch(() => undefined);
  await rm(aside, { force: true });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** On Linux, the 22nd field of `stat` (proc(5)): clock ticks from the start of the machine to that of the process. */
function startOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}

function placeOf(): string {
  try {
    return `${hostname()} ${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

function lockedBy(folder: string, { pid, place }: Holder): UsageError {
  const where = place === placeOf() ? "" : ` on ${place.split(" ")[0]}`;
  return new UsageError(
    "INVALID_STATE",
    `The folder ${folder} is in use by the process ${pid}${where}. Only one gateway can use it: stop that one, or give this one ` +
      "another folder. To read or change what a running gateway keeps, use its admin API. Several gateways can share a Postgres.",
  );
}
