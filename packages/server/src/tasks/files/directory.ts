import { createHash } from "node:crypto";
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "@toolwire/protocol";

/** Folders that are being made, and those that are being deleted. */
const NEW = ".new-";
const GONE = ".gone-";

/** How old a folder that is being made has to be to be given up: its process has ended. */
const ABANDONED = 3_600_000;

const NUMBER = /^[1-9]\d{0,14}$/;
const DRAFT = /^([1-9]\d{0,14})\.[0-9a-f-]+\.tmp$/;
/** Names that all file systems keep apart, also those that ignore case. */
const PLAIN_ID = /^[a-z0-9][a-z0-9_-]{0,99}$/;

/** The error codes of file systems, and of platforms, that make no hard links. */
const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "EACCES", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);
/** The error codes of a rename to the name of a folder that is there: of POSIX, and of Windows. */
const TAKEN: ReadonlySet<string> = new Set(["EEXIST", "ENOTEMPTY", "EPERM", "EACCES"]);

/**
 * A directory with a folder for each task, and in that a file for each version, of which the highest counts. Each operation is done as
 * a whole or not at all, whenever the process or the machine ends: what was written is on the disk before its name is.
 */
export class TaskDirectory {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Makes the folder of a task, with a first version. Resolves to `false` if there is one. */
  async create(id: string, text: string): Promise<boolean> {
    await mkdir(this.#path, { recursive: true, mode: 0o700 });
    const draft = join(this.#path, `${NEW}${crypto.randomUUID()}`);
    await mkdir(draft, { mode: 0o700 });
    try {
      await writeDurably(join(draft, "1"), text);
      await syncFolder(draft);
      await rename(draft, this.#folder(id));
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      if (TAKEN.has(codeOf(error)) && (await this.has(id))) return false;
      throw error;
    }
    await syncFolder(this.#path);
    return true;
  }

  async has(id: string): Promise<boolean> {
    return (await unlessMissing(stat(this.#folder(id)))) !== undefined;
  }

  /** The number of the version of a task that counts, and the files that do not count any more. 0 if there is no such task. */
  async look(folder: string): Promise<{ readonly last: number; readonly old: readonly string[] }> {
    const names = (await unlessMissing(readdir(join(this.#path, folder)))) ?? [];
    const last = Math.max(0, ...names.filter((name) => NUMBER.test(name)).map(Number));
    // Drafts of these numbers can have no name any more: a process has ended while it wrote them, or will be too late.
    const isOld = (name: string): boolean => {
      const draftOf = DRAFT.exec(name)?.[1];
      return draftOf === undefined ? NUMBER.test(name) && Number(name) < last : Number(draftOf) <= last;
    };
    return { last, old: names.filter(isOld) };
  }

  /** The text of a version; `undefined` if it is not there any more. */
  async read(folder: string, version: number): Promise<string | undefined> {
    return unlessMissing(readFile(join(this.#path, folder, String(version)), "utf8"));
  }

  /** Adds a version. Resolves to `false` if there is one of this number, or the task was deleted. */
  async add(id: string, version: number, text: string): Promise<boolean> {
    const folder = this.#folder(id);
    const draft = join(folder, `${version}.${crypto.randomUUID()}.tmp`);
    try {
      await writeDurably(draft, text);
      await link(draft, join(folder, String(version)));
      await syncFolder(folder);
      return true;
    } catch (error) {
      const code = codeOf(error);
      if (code === "EEXIST" || code === "ENOENT") return false;
      if (!NO_LINKS.has(code)) throw error;
      const message = `Tasks cannot be kept in ${this.#path}, because its file system has no hard links (${code}).`;
      throw new UsageError("INVALID_STATE", `${message} Choose another directory.`, { cause: error });
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** Removes a file that does not count any more. */
  async remove(folder: string, name: string): Promise<void> {
    await rm(join(this.#path, folder, name), { force: true });
  }

  /** Deletes a task. Its folder gets another name first: then nobody can add a version to it any more. */
  async delete(id: string): Promise<void> {
    const gone = join(this.#path, `${GONE}${crypto.randomUUID()}`);
    const isRenamed = await unlessMissing(rename(this.#folder(id), gone).then(() => true));
    if (isRenamed === undefined) return;
    await syncFolder(this.#path);
    await rm(gone, { recursive: true, force: true });
  }

  /** The folders of all tasks. */
  async folders(): Promise<readonly string[]> {
    const names = (await unlessMissing(readdir(this.#path))) ?? [];
    return names.filter((name) => !name.startsWith("."));
  }

  /** Removes what processes have left behind that have ended in the middle. */
  async tidy(): Promise<void> {
    const names = (await unlessMissing(readdir(this.#path))) ?? [];
    for (const name of names) {
      const path = join(this.#path, name);
      const isLeft = name.startsWith(GONE) || (name.startsWith(NEW) && (await isAbandoned(path)));
      if (isLeft) await rm(path, { recursive: true, force: true });
    }
  }

  /** The name of the folder of a task. */
  folderOf(id: string): string {
    return PLAIN_ID.test(id) ? id : `=${createHash("sha256").update(id).digest("hex")}`;
  }

  #folder(id: string): string {
    return join(this.#path, this.folderOf(id));
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Puts the names in a folder on the disk. Windows cannot open folders, and does so by itself. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const found = await unlessMissing(stat(path));
  return found !== undefined && Date.now() - found.mtimeMs > ABANDONED;
}

/** The outcome of an operation; `undefined` if its file or folder is not there. */
async function unlessMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}
