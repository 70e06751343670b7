import { readFileSync, watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { ServerExtension } from "../../define/extension.ts";
import type { Server } from "../../define/server.ts";
import { catalogOf } from "../views.ts";

/** Files of views that are watched. */
export interface WatchedViews {
  /** Stops. */
  close(): void;
}

/**
 * For development: tells hosts when the file of a view has changed, so that they show the new one. Hosts subscribe to the view as to any
 * resource. Views that begin later are not watched.
 *
 * @example
 * ```ts
 * if (process.env.NODE_ENV === "development") watchViews(server, apps);
 * ```
 */
export function watchViews(server: Server, extension: ServerExtension): WatchedViews {
  const stop = new AbortController();
  for (const [uri, { file }] of catalogOf(extension).views) {
    if (file === undefined) continue;
    watchFile(file, stop.signal, () => server.resources.updated(uri));
  }
  return { close: () => stop.abort() };
}

/** Calls `changed` when the contents of a file are others. Editors and bundlers replace files, so its directory is watched. */
function watchFile(file: string, signal: AbortSignal, changed: () => void): void {
  const read = (): Promise<string | undefined> => readFile(file, "utf8").catch(() => undefined);
  // One look after the other: events come in swarms, and out of order.
  let last: Promise<string | undefined> = Promise.resolve(readNow(file));
  const look = async (before: Promise<string | undefined>): Promise<string | undefined> => {
    const known = await before;
    const text = await read();
    // While it is being written, a file is empty, or not there.
    if (text === undefined || text === "" || text === known) return known;
    if (!signal.aborted) changed();
    return text;
  };
  const watcher = watch(dirname(file), { signal, persistent: false }, (_, name) => {
    if (name === null || name === basename(file)) last = look(last);
  });
  // The directory may be removed. The server goes on.
  watcher.on("error", () => watcher.close());
}

function readNow(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
