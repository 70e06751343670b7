import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A program that is Redis or Valkey. */
export interface FoundRedis {
  readonly program: string;
  readonly version: string;
}

/** Where `npm run install:engines` puts a Valkey. */
const KEPT_VALKEY = fileURLToPath(new URL("../../../.toolwire-valkey/valkey-server", import.meta.url));

/** Finds a Redis: the program that `TOOLWIRE_REDIS_BIN` names, or `redis-server` on the PATH. `undefined` if there is none. */
export function findRedis(): FoundRedis | undefined {
  return look([process.env["TOOLWIRE_REDIS_BIN"], ...onPath("redis-server")]);
}

/** Finds a Valkey: the program that `TOOLWIRE_VALKEY_BIN` names, `valkey-server` on the PATH, or the one that was fetched. */
export function findValkey(): FoundRedis | undefined {
  return look([process.env["TOOLWIRE_VALKEY_BIN"], ...onPath("valkey-server"), KEPT_VALKEY]);
}

function onPath(name: string): string[] {
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name));
}

function look(candidates: readonly (string | undefined)[]): FoundRedis | undefined {
  const program = candidates.find((candidate) => candidate !== undefined && existsSync(candidate));
  if (program === undefined) return undefined;
  return { program, version: execFileSync(program, ["--version"], { encoding: "utf8" }).trim() };
}
