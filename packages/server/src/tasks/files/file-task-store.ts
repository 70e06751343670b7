import { UsageError } from "@toolwire/protocol";
import { describeValue } from "@toolwire/protocol/internal";
import type { TaskRecord, TaskStore } from "../store.ts";
import { TaskDirectory } from "./directory.ts";
import { decodeFile, encodeFile, nextFile, type TaskFile, type TaskHeader, toRecord } from "./task-file.ts";

/** How often the last version is looked for, while others replace it. */
const MAX_LOOKS = 100;
/** How many folders are read at the same time. */
const AT_ONCE = 16;
/** How much time passes between two looks at what other processes have left behind. */
const TIDY_INTERVAL = 600_000;

/**
 * Makes a store that keeps tasks in files of a directory. The tasks survive the end of the process, and of the machine, and several
 * processes of one machine can share them. Give each server a directory of its own, on a local disk: file systems of a network are
 * not reliable enough. The directory is made when it is needed.
 *
 * @example
 * ```ts
 * const server = createServer({ name: "reports", version: "1.0.0", tools, extensions: [tasks({ store: fileTaskStore("tasks") })] });
 * ```
 */
export function fileTaskStore(directory: string): TaskStore {
  if (typeof directory === "string" && directory !== "") return new FileTaskStore(new TaskDirectory(directory));
  const given = describeValue(directory);
  throw new UsageError("INVALID_ARGUMENT", `fileTaskStore() takes the path of a directory; got ${given}.`);
}

class FileTaskStore implements TaskStore {
  readonly #directory: TaskDirectory;
  /** What was read of each folder, so that only what has changed is read again. */
  readonly #known = new Map<string, TaskHeader>();
  #tidiedAt = -Infinity;

  constructor(directory: TaskDirectory) {
    this.#directory = directory;
  }

  create(record: TaskRecord): Promise<boolean> {
    return this.#directory.create(record.id, encodeFile(nextFile({ ...record, version: 1 })));
  }

  async read(id: string): Promise<TaskRecord | undefined> {
    const file = await this.#read(this.#directory.folderOf(id));
    return file === undefined || file.header.id !== id ? undefined : toRecord(file);
  }

  async replace(record: TaskRecord, ifVersion: number): Promise<boolean> {
    const before = await this.#read(this.#directory.folderOf(record.id));
    if (before === undefined || before.header.version !== ifVersion) return false;
    const file = nextFile({ ...record, version: ifVersion + 1 }, before.header);
    if (!(await this.#directory.add(record.id, file.header.version, encodeFile(file)))) return false;
    return this.#counts(file.header);
  }

  delete(id: string): Promise<void> {
    this.#known.delete(this.#directory.folderOf(id));
    return this.#directory.delete(id);
  }

  async due(now: number, limit: number): Promise<readonly string[]> {
    await this.#tidy(now);
    const due = (await this.#headers()).filter((header) => dueAt(header) <= now);
    return due
      .toSorted((a, b) => dueAt(a) - dueAt(b))
      .slice(0, limit)
      .map(({ id }) => id);
  }

  async count(owner: string | null): Promise<{ readonly owner: number; readonly all: number }> {
    const open = (await this.#headers()).filter((header) => !header.isOver);
    return { owner: open.filter((header) => header.owner === owner).length, all: open.length };
  }

  async list(owner: string | null, after: string | undefined, limit: number): Promise<readonly TaskRecord[]> {
    const owned = (await this.#headers()).filter((header) => header.owner === owner);
    const later = after === undefined ? owned : owned.filter(({ id }) => id > after);
    const page = later.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
    const records = await Promise.all(page.map(({ id }) => this.read(id)));
    return records.filter((record) => record !== undefined);
  }

  /** The version of a task that counts; `undefined` if there is no task. */
  async #read(folder: string): Promise<TaskFile | undefined> {
    for (let look = 0; look < MAX_LOOKS; look += 1) {
      const { last, old } = await this.#directory.look(folder);
      if (last === 0) return undefined;
      const text = await this.#directory.read(folder, last);
      // It was replaced between the two.
      if (text === undefined) continue;
      for (const name of old) await this.#directory.remove(folder, name);
      const file = decodeFile(text);
      if (file !== undefined) return file;
      throw new Error(`The file ${last} of the task in ${folder} is damaged.`);
    }
    throw new Error(`The task in ${folder} is written all the time by others.`);
  }

  /**
   * Whether a version that was added counts, or has counted before others took its place. It does not if this process was stopped
   * before it took the number, and the number was free only because a later one had made it useless.
   */
  async #counts({ id, version, write }: TaskHeader): Promise<boolean> {
    const current = await this.#read(this.#directory.folderOf(id));
    if (current === undefined) return false;
    const { header } = current;
    if (header.write === write) return true;
    const known = header.history[header.version - version - 1];
    if (known !== undefined) return known === write;
    throw new Error(`The task ${id} was changed many times while this process was stopped.`);
  }

  /** The headers of all tasks. */
  async #headers(): Promise<readonly TaskHeader[]> {
    const folders = await this.#directory.folders();
    const headers: TaskHeader[] = [];
    for (let first = 0; first < folders.length; first += AT_ONCE) {
      const found = await Promise.all(folders.slice(first, first + AT_ONCE).map((folder) => this.#header(folder)));
      headers.push(...found.filter((header) => header !== undefined));
    }
    const there = new Set(folders);
    for (const folder of this.#known.keys()) if (!there.has(folder)) this.#known.delete(folder);
    return headers;
  }

  /** A damaged file must not hide the other tasks. */
  async #header(folder: string): Promise<TaskHeader | undefined> {
    const known = this.#known.get(folder);
    const { last } = await this.#directory.look(folder);
    if (last === known?.version) return known;
    const file = await this.#read(folder).catch(() => undefined);
    if (file === undefined) this.#known.delete(folder);
    else this.#known.set(folder, file.header);
    return file?.header;
  }

  async #tidy(now: number): Promise<void> {
    if (now - this.#tidiedAt < TIDY_INTERVAL) return;
    this.#tidiedAt = now;
    await this.#directory.tidy();
  }
}

/** When somebody has to look at a task: to delete it, or to go on with it. */
function dueAt({ wake, expires }: Pick<TaskRecord, "wake" | "expires">): number {
  return Math.min(wake ?? Infinity, expires ?? Infinity);
}
