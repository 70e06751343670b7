import { FaultProxy, findPostgres, findRedis, startPostgres, startRedis } from "@toolwire/engines";
import { setTimeout as delay } from "node:timers/promises";
import { type Engine, EngineMissing, type EngineName } from "./engine.ts";

/** An engine that was started, as `@toolwire/engines` gives it. */
interface Started {
  readonly url: string;
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Starts an engine on loopback, with a proxy in front. Throws `EngineMissing` if this machine has none. */
export async function startEngine(name: EngineName): Promise<Engine> {
  if (name === "workers") return { address: { name }, title: "`workers`", close: async () => {} };
  const { title, server } = await (name === "redis" ? startRedisHere() : startPostgresHere());
  const url = new URL(server.url);
  const port = Number(url.port);
  const proxy = new FaultProxy(() => port);
  await proxy.listen();
  url.port = String(proxy.port);
  // Sends its signal at once, so nothing is left running if this process is told to end.
  const abandon = (): void => void server.close();
  process.on("exit", abandon);
  return {
    address: { name, url: url.href },
    title,
    faults: {
      restart: () => server.restart(),
      async cutOff(ms) {
        proxy.swallow();
        await delay(ms);
        proxy.passAgain();
      },
    },
    async close() {
      process.off("exit", abandon);
      proxy.close();
      await server.close();
    },
  };
}

/** Writes everything to its file before it answers. Otherwise, a restart would forget sessions, as it should. */
async function startRedisHere(): Promise<{ title: string; server: Started }> {
  const found = findRedis();
  if (found === undefined) {
    throw new EngineMissing("There is no redis-server: install it, or name one in TOOLWIRE_REDIS_BIN.");
  }
  const server = await startRedis(found.program, ["--appendonly", "yes", "--appendfsync", "always"]);
  return { title: `Redis ${numberIn(found.version)}`, server };
}

async function startPostgresHere(): Promise<{ title: string; server: Started }> {
  let found;
  try {
    found = findPostgres();
  } catch (error) {
    throw new EngineMissing((error as Error).message);
  }
  const server = await startPostgres(found.bin);
  return {
    title: `Postgres ${numberIn(found.version)}`,
    server: {
      url: server.url,
      // After a crash, its tables would be empty, because they have no log of their own.
      async restart() {
        await server.stop();
        await server.restart();
      },
      close: () => server.close(),
    },
  };
}

/** The number in what a program says of its version. */
function numberIn(text: string): string {
  return /\d+(?:\.\d+)+/.exec(text)?.[0] ?? "";
}
