import { constants } from "node:fs";
import { link, lstat, mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { AuthError, UsageError } from "@toolwire/protocol";
import type { Files } from "./numbered-files.ts";

/** The largest file that is read. */
const MAX_BYTES = 1024 * 1024;

const SUPPORTS_MODES = process.platform !== "win32";

/** The names of the files that earlier versions of this store kept beside each other: values, locks and drafts. */
const EARLIER_LAYOUT = /^[0-9a-f]{64}($|\.)/;

/**
 * Files that only this user can read and write, in folders of one directory. Nothing about the directory is remembered: a user
 * may delete it while the program runs, and the next write makes it again.
 */
export class PrivateFiles implements Files {
  readonly #directory: string;
  #isTidy = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async list(folder: string): Promise<readonly string[]> {
    const path = join(this.#directory, folder);
    if (!(await this.#isOwnFolder(this.#directory)) || !(await this.#isOwnFolder(path))) return [];
    return unlessMissing(readdir(path), []);
  }

  async read(folder: string, name: string): Promise<Uint8Array | undefined> {
    const path = join(this.#directory, folder, name);
    const flags = constants.O_RDONLY | (SUPPORTS_MODES ? constants.O_NOFOLLOW : 0);
    const file = await unlessMissing(open(path, flags), undefined, path);
    if (file === undefined) return undefined;
    try {
      const found = await file.stat();
      if (!found.isFile() || found.size > MAX_BYTES) throw insecure(path, "is no file of this store");
      checkOwner(path, found);
      return Uint8Array.from(await file.readFile());
    } finally {
      await file.close();
    }
  }

  async write(folder: string, name: string, bytes: Uint8Array, isDurable: boolean): Promise<void> {
    const path = join(this.#directory, folder);
    await mkdir(path, { recursive: true, mode: 0o700 });
    await this.#isOwnFolder(this.#directory);
    await this.#isOwnFolder(path);
    await this.#removeEarlierLayout();
    const file = await open(join(path, name), "wx", 0o600);
    try {
      await file.writeFile(bytes);
      if (isDurable) await file.sync();
    } finally {
      await file.close();
    }
  }

  async link(folder: string, from: string, to: string): Promise<boolean> {
    const path = join(this.#directory, folder);
    try {
      await link(join(path, from), join(path, to));
      return true;
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      // Somebody else was faster: the name is taken, or the draft was removed because of that.
      if (code === "EEXIST" || code === "ENOENT") return false;
      if (!NO_LINKS.has(code)) throw error;
      const message = `Tokens cannot be kept in ${this.#directory}, because its file system has no hard links (${code}).`;
      throw new UsageError("INVALID_STATE", `${message} Choose another \`directory\`.`);
    }
  }

  async remove(folder: string, name: string): Promise<void> {
    await rm(join(this.#directory, folder, name), { force: true });
  }

  /** Whether a folder is there. Refuses one that others can read or write. */
  async #isOwnFolder(path: string): Promise<boolean> {
    const found = await unlessMissing(lstat(path), undefined);
    if (found === undefined) return false;
    if (!found.isDirectory()) throw insecure(path, "is a link or no directory");
    checkOwner(path, found);
    return true;
  }

  /** Removes what an earlier version has kept: nobody would use those tokens, or delete them. */
  async #removeEarlierLayout(): Promise<void> {
    if (this.#isTidy) return;
    this.#isTidy = true;
    for (const entry of await readdir(this.#directory, { withFileTypes: true })) {
      if (entry.isFile() && EARLIER_LAYOUT.test(entry.name)) await this.remove("", entry.name);
    }
  }
}

/** The error codes of file systems, and of platforms, that make no hard links. */
const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "EACCES", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** The error that says that the files of a store cannot be used. Its cause would quote them. */
export function unreadable(directory: string): AuthError {
  const message = `A file in ${directory} cannot be read: it is damaged, or was written with another \`key\`, or without one.`;
  return new AuthError("LOGIN_REQUIRED", `${message} Give the right key, or delete the directory and log in again.`);
}

/** Throws if somebody else owns a file or directory, or may read or write it. */
function checkOwner(path: string, { mode, uid }: { readonly mode: number; readonly uid: number }): void {
  if (!SUPPORTS_MODES) return;
  if (uid !== process.getuid?.()) throw insecure(path, "belongs to another user");
  if ((mode & 0o077) !== 0) throw insecure(path, `can be used by other users (mode ${(mode & 0o777).toString(8)})`);
}

function insecure(path: string, why: string): UsageError {
  const message = `${path} ${why}, so no tokens are kept there. Delete it, or run \`chmod -R go= ${path}\`, or choose another \`directory\`.`;
  return new UsageError("INVALID_STATE", message);
}

/** The outcome of an operation, or something else if its file or folder is not there. Links are refused. */
async function unlessMissing<T, U>(operation: Promise<T>, otherwise: U, path = ""): Promise<T | U> {
  try {
    return await operation;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return otherwise;
    if (code === "ELOOP") throw insecure(path, "is a link");
    throw error;
  }
}
