import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { askRedis } from "./ask-redis.ts";
import { findPort } from "./free-port.ts";

/** A Redis or Valkey that runs on loopback, in a temporary folder. It keeps its data in memory only. */
export interface RedisServer {
  readonly port: number;
  readonly url: string;
  /** Ends it without a word to its clients. */
  crash(): Promise<void>;
  /** Starts it again on the same port, with nothing in it. It may be running. */
  restart(): Promise<void>;
  /** Stops it as a machine that hangs: connections stay open, and nothing is answered. */
  pause(): void;
  /** Ends that. What was sent meanwhile is answered. */
  continue(): void;
  /** Stops it, and removes its folder. */
  close(): Promise<void>;
}

/** Starts a Redis or Valkey. `settings` are further ones of its command line. */
export async function startRedis(program: string, settings: readonly string[] = []): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), "toolwire-redis-"));
  const port = await findPort();
  const start = async (): Promise<ChildProcess> => {
    const own = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--loglevel", "warning"];
    const child = spawn(program, [...own, ...settings], { cwd: folder, stdio: "ignore" });
    await reach(port, child);
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
    port,
    url: `redis://127.0.0.1:${port}`,
    crash: () => stop("SIGKILL"),
    async restart() {
      await stop("SIGKILL");
      server = await start();
    },
    pause: () => void server.kill("SIGSTOP"),
    continue: () => void server.kill("SIGCONT"),
    async close() {
      await stop("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function reach(port: number, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`The engine ended with ${child.exitCode} before it took commands.`);
    const reply = await askRedis(port, ["PING"]).catch(() => "");
    if (reply.startsWith("+PONG")) return;
    await delay(50);
  }
  throw new Error("The engine takes no commands after 15 s.");
}
