import { mkdirSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { FetchedPeers } from "../fetched/fetch-peers.ts";

/** Where a pair runs. */
export interface Place {
  /** A folder of its own. */
  readonly directory: string;
  /** What was fetched; absent if that was not possible. */
  readonly fetched: FetchedPeers | undefined;
}

/** Environment variables. */
export type Variables = { readonly [name: string]: string };

/** A text that the command line or the environment of every process of a pair contains. */
export function mentionOf({ directory }: Place): string {
  return directory + sep;
}

/** The environment of programs of this app that are built on what is installed. */
export function ownEnvironment(place: Place): Variables {
  return { ...(process.env as Variables), INTEROP_PAIR: mentionOf(place) };
}

const OFFLINE = new URL("stay-offline.js", import.meta.url).href;

/**
 * The environment of fetched programs: a home of their own, so that they find no settings and leave none, no secrets of
 * whoever runs this, and no network. Nobody has to know that they run.
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

/** The folder of the programs that run with what is installed. */
export const OWN_PROGRAMS: string = fileURLToPath(new URL("..", import.meta.url));
