import { UsageError } from "@toolwire/protocol";
import { describeValue } from "@toolwire/protocol/internal";
import type { TaskRecord, TaskStore } from "../store.ts";
import { TaskDirectory } from "./directory.ts";
import { decodeFile, encodeFile, nextFile, type TaskFile, type TaskHeader, toRecord } from "./task-file.ts";

/** How often the last version is looked for, while others replace it. */
const MAX_LOOKS = 100;
/** How many folders are read at the same time. */
const AT_ONCE = 16;
/** A look at all folders that takes no longer than so many milliseconds is made whenever somebody asks. */
const QUICK = 50;
/** After a longer one, nobody looks again for so many times as long. */
const REST = 10;
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

/**
 * Knows the headers of all tasks. Its own changes it knows at once, those of other processes when it has looked at all folders: there may
 * be thousands, so that those who ask at the same time share a look, and with so many, most of the time nobody looks.
 */
class FileTaskStore implements TaskStore {
  readonly #directory: TaskDirectory;
  /** The headers by folder, so that only what has changed is read again. */
  readonly #known = new Map<string, TaskHeader>();
  #looking: Promise<void> | undefined;
  #nextLook: Promise<void> | undefined;
  /** When the last look at all folders ended, and how long it took. */
  #lookedAt = -Infinity;
  #lookTook = 0;
  #tidiedAt = -Infinity;

  constructor(directory: TaskDirectory) {
    this.#directory = directory;
  }

  async create(record: TaskRecord): Promise<boolean> {
    const file = nextFile({ ...record, version: 1 });
    const isNew = await this.#directory.create(record.id, encodeFile(file));
    if (isNew) this.#known.set(this.#directory.folderOf(record.id), file.header);
    return isNew;
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
    const counts = await this.#counts(file.header);
    if (counts) this.#learn(file.header);
    return counts;
  }

  delete(id: string): Promise<void> {
    this.#known.delete(this.#directory.folderOf(id));
    return this.#directory.delete(id);
  }

  async due(now: number, limit: number): Promise<readonly string[]> {
    await this.#tidy(now);
    await this.#look();
    return [...this.#known.values()]
      .filter((header) => dueAt(header) <= now)
      .toSorted((a, b) => dueAt(a) - dueAt(b))
      .slice(0, limit)
      .map(({ id }) => id);
  }

  async count(owner: string | null): Promise<{ readonly owner: number; readonly all: number }> {
    await this.#look();
    const open = [...this.#known.values()].filter((header) => !header.isOver);
    return { owner: open.filter((header) => header.owner === owner).length, all: open.length };
  }

  async list(owner: string | null, after: string | undefined, limit: number): Promise<readonly TaskRecord[]> {
    await this.#look();
    const owned = [...this.#known.values()].filter((header) => header.owner === owner);
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
      this.#known.delete(folder);
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

  /**
   * Looks at all folders. A look that has begun already may have missed what the caller asks for, so those who ask meanwhile share the
   * next one. If there are very many folders, what was seen a moment ago is good enough.
   */
  #look(): Promise<void> {
    const rest = this.#lookTook > QUICK ? REST * this.#lookTook : 0;
    if (performance.now() - this.#lookedAt < rest) return Promise.resolve();
    if (this.#looking === undefined) return this.#beginLook();
    return (this.#nextLook ??= this.#looking.then(
      () => this.#beginLook(),
      () => this.#beginLook(),
    ));
  }

  #beginLook(): Promise<void> {
    this.#nextLook = undefined;
    this.#looking = this.#lookAtAll().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookAtAll(): Promise<void> {
    const start = performance.now();
    // A task that is created meanwhile is not among the folders, and is there all the same.
    const before = [...this.#known.keys()];
    const folders = await this.#directory.folders();
    for (let first = 0; first < folders.length; first += AT_ONCE) {
      await Promise.all(folders.slice(first, first + AT_ONCE).map((folder) => this.#readHeader(folder)));
    }
    const there = new Set(folders);
    for (const folder of before) if (!there.has(folder)) this.#known.delete(folder);
    this.#lookedAt = performance.now();
    this.#lookTook = this.#lookedAt - start;
  }

  #learn(header: TaskHeader): void {
    const folder = this.#directory.folderOf(header.id);
    const known = this.#known.get(folder);
    if (known === undefined || known.version < header.version) this.#known.set(folder, header);
  }

  /** A damaged file must not hide the other tasks. */
  async #readHeader(folder: string): Promise<void> {
    const { last } = await this.#directory.look(folder);
    if (last === this.#known.get(folder)?.version) return;
    const file = await this.#read(folder).catch(() => undefined);
    if (file === undefined) this.#known.delete(folder);
    else this.#known.set(folder, file.header);
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
