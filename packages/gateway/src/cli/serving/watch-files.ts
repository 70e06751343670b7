import { createHash } from "node:crypto";
import { type FSWatcher, watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** How long files must be quiet before a change is looked at, in milliseconds: editors write in several steps. */
const QUIET = 100;

/** Watches files, also if they are replaced, as editors do it, or made anew. */
export class FileWatch {
  readonly #onChange: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  /** The digests of the contents that were seen last, by file. */
  #digests: ReadonlyMap<string, string> = new Map();
  #timer: NodeJS.Timeout | undefined;

  /** `onChange` is called when the contents of a file have changed. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Watches these files from now on, and no others. */
  async watch(files: readonly string[]): Promise<void> {
    const paths = files.map((file) => resolve(file));
    // A file that was watched before may have changed since it was read: the digest of what was read then stays.
    const known = this.#digests;
    const now = await digestAll(paths.filter((path) => !known.has(path)));
    this.#digests = new Map(paths.map((path) => [path, known.get(path) ?? now.get(path) ?? ""]));
    // Folders are watched, because a file that is replaced is another one for the system.
    const folders = new Set(paths.map((path) => dirname(path)));
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#watchFolder(folder);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watchFolder(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#expectChange());
      watcher.on("error", () => watcher.close());
      this.#watchers.set(folder, watcher);
    } catch {
      // A folder that does not exist, or a system without watching: SIGHUP still works.
    }
  }

  #expectChange(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#compare(), QUIET);
  }

  async #compare(): Promise<void> {
    const now = await digestAll([...this.#digests.keys()]);
    const hasChanged = [...now].some(([path, digest]) => this.#digests.get(path) !== digest);
    this.#digests = now;
    if (hasChanged) this.#onChange();
  }
}

async function digestAll(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>();
  for (const path of paths) {
    const contents = await readFile(path).catch(() => "");
    digests.set(path, createHash("sha256").update(contents).digest("base64"));
  }
  return digests;
}
