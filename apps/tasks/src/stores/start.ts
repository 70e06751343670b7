import { findPostgres, findRedis, startPostgres, startRedis } from "@toolwire/engines";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineMissing, type StartedStore, type StoreName } from "./store.ts";

/** Starts what a store needs, with nothing in it. Throws `EngineMissing` if this machine does not have it. */
export async function startStore(name: StoreName): Promise<StartedStore> {
  if (name === "memory") return { address: { name }, title: "memory", close: async () => {} };
  if (name === "files") return makeFolder();
  return name === "redis" ? startRedisHere() : startPostgresHere();
}

async function makeFolder(): Promise<StartedStore> {
  const directory = await mkdtemp(join(tmpdir(), "toolwire-tasks-"));
  const close = (): Promise<void> => rm(directory, { recursive: true, force: true });
  return { address: { name: "files", directory }, title: "files", close };
}

/** Writes everything to its file before it answers, as the README of the package asks for. */
async function startRedisHere(): Promise<StartedStore> {
  const found = findRedis();
  if (found === undefined) {
    throw new EngineMissing("There is no redis-server: install it, or name one in TOOLWIRE_REDIS_BIN.");
  }
  const server = await startRedis(found.program, ["--appendonly", "yes", "--appendfsync", "always"]);
  return running(server, { name: "redis", url: server.url }, `Redis ${numberIn(found.version)}`);
}

async function startPostgresHere(): Promise<StartedStore> {
  let found;
  try {
    found = findPostgres();
  } catch (error) {
    throw new EngineMissing((error as Error).message);
  }
  const server = await startPostgres(found.bin);
  return running(server, { name: "postgres", url: server.url }, `Postgres ${numberIn(found.version)}`);
}

function running(server: { close(): Promise<void> }, address: StartedStore["address"], title: string): StartedStore {
  // Sends its signal at once, so nothing is left running if this process is told to end.
  const abandon = (): void => void server.close();
  process.on("exit", abandon);
  return {
    address,
    title,
    close() {
      process.off("exit", abandon);
      return server.close();
    },
  };
}

/** The number in what a program says of its version. */
function numberIn(text: string): string {
  return /\d+(?:\.\d+)+/.exec(text)?.[0] ?? "";
}
