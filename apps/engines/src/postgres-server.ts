import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { findPort } from "./free-port.ts";

/** A Postgres that runs on loopback, in a temporary folder. */
export interface PostgresServer {
  readonly url: string;
  /** Stops it as a crash would, without a checkpoint and without a word to its clients. */
  crash(): Promise<void>;
  /** Starts it again, on the same port and data. */
  restart(): Promise<void>;
  /** Lets none of its processes run, as on a machine that hangs: connections stay open, and nobody answers. */
  pause(): void;
  /** Lets them run again. */
  resume(): void;
  /** Stops it and removes its data. */
  close(): Promise<void>;
}

/** Starts a Postgres with the programs of a folder. Postgres refuses to run as root, so root runs it as `nobody`. */
export async function startPostgres(bin: string): Promise<PostgresServer> {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const folder = await mkdtemp(join(tmpdir(), "toolwire-postgres-"));
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const made = spawnSync(
    join(bin, "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "--encoding=UTF8", "--locale=C"],
    { ...user, cwd: folder, encoding: "utf8" },
  );
  if (made.status !== 0) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
  }
  const port = await findPort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const start = async (): Promise<ChildProcess> => {
    const settings = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off"];
    const child = spawn(join(bin, "postgres"), ["-D", data, ...settings.flatMap((setting) => ["-c", setting])], {
      ...user,
      cwd: folder,
      stdio: "ignore",
    });
    await reach(url, child);
    return child;
  };
  let server = await start();
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, "exit");
    server.kill(signal);
    await exited;
  };
  return {
    url,
    crash: () => stop("SIGQUIT"),
    async restart() {
      server = await start();
    },
    pause: () => signalAll(server, "SIGSTOP"),
    resume: () => signalAll(server, "SIGCONT"),
    async close() {
      signalAll(server, "SIGCONT");
      await stop("SIGINT");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Signals the first process before its children, which only it starts. They are in sessions of their own, so no group has them all. */
function signalAll(server: ChildProcess, signal: NodeJS.Signals): void {
  if (server.exitCode !== null || server.signalCode !== null || !server.kill(signal)) return;
  const { stdout } = spawnSync("pgrep", ["-P", String(server.pid)], { encoding: "utf8" });
  for (const pid of stdout.split("\n").filter((line) => line !== "")) {
    try {
      process.kill(Number(pid), signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}

async function reach(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 150; attempt += 1) {
    if (child.exitCode !== null) {
      throw new Error(`Postgres has ended with ${child.exitCode} before it took connections.`);
    }
    const sql = postgres(url, { max: 1, connect_timeout: 2 });
    const isUp = await sql.unsafe("select 1").then(
      () => true,
      () => false,
    );
    await sql.end({ timeout: 1 });
    if (isUp) return;
    await delay(200);
  }
  throw new Error("Postgres takes no connections after 30 s.");
}
