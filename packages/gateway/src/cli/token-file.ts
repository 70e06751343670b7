import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Console } from "./command.ts";

/**
 * The file with the token of a gateway that made one for its run, so that commands of the same user find it. Nobody else can read
 * it. `undefined` if the user has no folder for it.
 */
function tokenFile(port: string, env: Console["env"]): string | undefined {
  const home = env["HOME"] ?? env["USERPROFILE"];
  const state =
    env["XDG_STATE_HOME"] ?? env["LOCALAPPDATA"] ?? (home === undefined ? undefined : join(home, ".local", "state"));
  return state === undefined || state === "" ? undefined : join(state, "toolwire", `gateway-${port}.token`);
}

/** Keeps the token of a gateway for the commands of this user. Returns how to remove it, or `undefined` if it cannot be kept. */
export async function keepToken(
  adminUrl: string,
  token: string,
  env: Console["env"],
): Promise<(() => Promise<void>) | undefined> {
  const file = tokenFile(new URL(adminUrl).port, env);
  if (file === undefined) return undefined;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    // A file that is there keeps its mode, so it is made anew.
    await rm(file, { force: true });
    await writeFile(file, token, { mode: 0o600, flag: "wx" });
  } catch {
    return undefined;
  }
  return () => rm(file, { force: true });
}

/** Finds the token of a gateway on this machine that made one for its run. */
export async function findToken(adminUrl: string, env: Console["env"]): Promise<string | undefined> {
  const { hostname, port } = new URL(adminUrl);
  if (!["127.0.0.1", "localhost", "[::1]"].includes(hostname)) return undefined;
  const file = tokenFile(port, env);
  if (file === undefined) return undefined;
  return readFile(file, "utf8").catch(() => undefined);
}
