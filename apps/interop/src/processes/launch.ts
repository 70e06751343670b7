import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { FetchedPeers } from "../fetched/fetch-peers.ts";
import type { AppProgram, Circumstances, PackageProgram } from "../matrix/cell.ts";
import { findFreePort } from "../servers/program.ts";
import { fetchedEnvironment, OWN_PROGRAMS, ownEnvironment, type Place, type Variables } from "./place.ts";

/** How to start a program. */
export interface Launch {
  readonly command: readonly [string, ...string[]];
  readonly folder: string;
  /** Its whole environment, also if a client starts it. */
  readonly variables?: Variables;
  /** Its environment if this process starts it. Clients pass on what they usually do. */
  readonly inherited?: Variables;
  /** Its URL, if it does not print it. */
  readonly url?: string;
}

/** The circumstances that the pair decides. */
export type PackageTask = Pick<Circumstances, "transport" | "command" | "url">;

/** How to start a program of this app. */
export function launchOwn(
  folder: "clients" | "servers",
  program: AppProgram,
  args: readonly string[],
  place: Place,
): Launch {
  mkdirSync(place.directory, { recursive: true });
  const file = join(folder, `${program.file}.js`);
  if (program.isFetched !== true) {
    return {
      command: [process.execPath, join(OWN_PROGRAMS, file), ...args],
      folder: place.directory,
      inherited: ownEnvironment(place),
    };
  }
  const { node, programs } = fetchedOf(place);
  return {
    command: [node, join(programs, file), ...args],
    folder: place.directory,
    variables: fetchedEnvironment(place),
  };
}

/** How to start a program of a package. */
export async function launchPackage(program: PackageProgram, task: PackageTask, place: Place): Promise<Launch> {
  const { node, findProgram } = fetchedOf(place);
  const folder = join(place.directory, "folder");
  mkdirSync(folder, { recursive: true });
  const port = await findFreePort();
  const scheme = task.transport === "websocket" ? "ws" : "http";
  return {
    command: [node, findProgram(program.package), ...program.args({ ...task, port, folder })],
    folder,
    variables: { ...fetchedEnvironment(place), ...program.variables?.({ ...task, port, folder }) },
    url: `${scheme}://127.0.0.1:${port}${program.path?.(task.transport) ?? ""}`,
  };
}

function fetchedOf({ fetched }: Place): FetchedPeers {
  if (fetched === undefined) throw new Error("The packages that this needs were not fetched.");
  return fetched;
}
