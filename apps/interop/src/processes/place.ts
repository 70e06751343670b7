import { mkdirSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { FetchedPeers } from "../fetched/fetch-peers.ts";

/** The folder and the packages that a pair runs with. */
export interface Place {
  /** A folder of its own. */
  readonly directory: string;
  /** `undefined` if the packages were not fetched. Then only pairs without fetched parts can be run. */
  readonly fetched: FetchedPeers | undefined;
}

/** Environment variables. */
export type Variables = { readonly [name: string]: string };

/** A text by which `findLeftovers` finds the processes of a pair: it is in their environment or command line. */
export function mentionOf({ directory }: Place): string {
  return directory + sep;
}

/** The environment of programs that do not use fetched packages. */
export function ownEnvironment(place: Place): Variables {
  return { ...(process.env as Variables), INTEROP_PAIR: mentionOf(place) };
}

const OFFLINE = new URL("stay-offline.js", import.meta.url).href;

/**
 * The environment of fetched programs. It has none of the caller's variables, which may contain secrets. `HOME` is an empty
 * folder, telemetry is disabled, and Node loads `stay-offline.ts`.
 */
export function fetchedEnvironment(place: Place): Variables {
  const home = join(place.directory, "home");
  mkdirSync(home, { recursive: true });
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    INTEROP_PAIR: mentionOf(place),
    NODE_OPTIONS: `--import=${OFFLINE}`,
    NODE_ENV: "production",
    NO_COLOR: "1",
    CI: "1",
    DO_NOT_TRACK: "1",
    OTEL_SDK_DISABLED: "true",
  };
}

/** The folder of the compiled programs of this app. */
export const OWN_PROGRAMS: string = fileURLToPath(new URL("..", import.meta.url));
