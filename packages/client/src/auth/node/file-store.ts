import { constants } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { AuthError, UsageError } from "@toolwire/protocol";
import type { AuthStore, StoredValue } from "../store/auth-store.ts";
import { withFileLock } from "./file-lock.ts";

/** The options of {@link fileStore}. */
export interface FileStoreOptions {
  /** The directory. Default: `toolwire/auth` in the user's configuration directory. */
  readonly directory?: string | undefined;
  /**
   * Encrypts the files (AES-256-GCM): 32 bytes. A key that lies beside the files protects nothing: take it from a keychain, or
   * from the environment of a service.
   */
  readonly key?: Uint8Array | undefined;
}

/** The end of the names of files that are being written. */
const DRAFT = ".tmp";

/** The largest file that is read. */
const MAX_BYTES = 1024 * 1024;

const SUPPORTS_MODES = process.platform !== "win32";

/**
 * Makes a store of files that several processes share: one file for each grant and registration, readable by this user alone
 * (0600 in a directory of 0700), replaced as a whole, and locked while a grant is renewed. On Windows, the files are as private
 * as the user's profile.
 */
export function fileStore(options: FileStoreOptions = {}): AuthStore {
  const { directory = defaultDirectory(), key } = options;
  if (typeof directory !== "string" || directory === "") {
    throw new UsageError("INVALID_ARGUMENT", "`directory` must be the path of a directory.");
  }
  if (key !== undefined && (!(key instanceof Uint8Array) || key.length !== 32)) {
    throw new UsageError("INVALID_ARGUMENT", "`key` must be 32 bytes.");
  }
  return new FileStore(directory, key && importKey(key));
}

class FileStore implements AuthStore {
  readonly #directory: string;
  readonly #key: Promise<CryptoKey> | undefined;
  #isReady: Promise<void> | undefined;

  constructor(directory: string, key: Promise<CryptoKey> | undefined) {
    this.#directory = directory;
    this.#key = key;
  }

  async get(name: string): Promise<StoredValue | undefined> {
    await this.#prepare();
    const bytes = await readPrivate(await this.#pathOf(name));
    if (bytes === undefined) return undefined;
    const entry = await this.#decode(bytes);
    // A file whose name is the hash of another key was put there by somebody else.
    if (entry.key !== name) throw unreadable(this.#directory);
    return { value: entry.value, version: entry.version };
  }

  async swap(name: string, expected: string | undefined, next: unknown): Promise<boolean> {
    await this.#prepare();
    const path = await this.#pathOf(name);
    // The comparison and the replacement must not be divided, whether or not the caller holds the lock of the grant.
    return withFileLock(`${path}.write`, undefined, async () => {
      if ((await this.get(name))?.version !== expected) return false;
      if (next === undefined) await rm(path, { force: true });
      else await writePrivate(path, await this.#encode({ key: name, version: crypto.randomUUID(), value: next }));
      return true;
    });
  }

  async lock<T>(
    name: string,
    work: () => Promise<T>,
    { signal }: { readonly signal: AbortSignal | undefined },
  ): Promise<T> {
    await this.#prepare();
    return withFileLock(`${await this.#pathOf(name)}.lock`, signal, work);
  }

  /** Makes the directory, and refuses one that others can read or write. */
  #prepare(): Promise<void> {
    return (this.#isReady ??= prepareDirectory(this.#directory).catch((error: unknown) => {
      this.#isReady = undefined;
      throw error;
    }));
  }

  /** The path of an entry. Its name is a hash: keys hold URLs, which are no file names. */
  async #pathOf(name: string): Promise<string> {
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(name)));
    return join(this.#directory, Buffer.from(hash).toString("hex"));
  }

  async #encode(entry: Entry): Promise<Uint8Array> {
    const plain = new TextEncoder().encode(JSON.stringify(entry));
    if (this.#key === undefined) return plain;
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await this.#key, plain);
    return Buffer.concat([iv, new Uint8Array(sealed)]);
  }

  async #decode(bytes: Uint8Array<ArrayBuffer>): Promise<Entry> {
    try {
      const plain =
        this.#key === undefined
          ? bytes
          : await crypto.subtle.decrypt(
              { name: "AES-GCM", iv: bytes.subarray(0, 12) },
              await this.#key,
              bytes.subarray(12),
            );
      return JSON.parse(new TextDecoder().decode(plain)) as Entry;
    } catch {
      // The cause may quote the file.
      throw unreadable(this.#directory);
    }
  }
}

interface Entry {
  readonly key: string;
  readonly version: string;
  readonly value: unknown;
}

function unreadable(directory: string): AuthError {
  const message = `A file in ${directory} cannot be read: it is damaged, or was written with another \`key\`, or without one.`;
  return new AuthError("LOGIN_REQUIRED", `${message} Give the right key, or delete the directory and log in again.`);
}

function defaultDirectory(): string {
  const { XDG_CONFIG_HOME: config = "", APPDATA: windows = "" } = process.env;
  const [named, usual] = process.platform === "win32" ? [windows, homedir()] : [config, join(homedir(), ".config")];
  // An empty or relative path counts as none (XDG Base Directory Specification): tokens must not end up in a working directory.
  return join(isAbsolute(named) ? named : usual, "toolwire", "auth");
}

function importKey(key: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", Uint8Array.from(key), "AES-GCM", false, ["encrypt", "decrypt"]);
}

async function prepareDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const found = await lstat(directory);
  if (!found.isDirectory()) throw insecure(directory, "is a link or no directory");
  checkOwner(directory, found);
  await removeOldDrafts(directory);
}

/** How long a draft may be in use. */
const DRAFT_MS = 60_000;

/** Removes the drafts of processes that were killed while they wrote: they hold tokens. */
async function removeOldDrafts(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.endsWith(DRAFT)) continue;
    const path = join(directory, name);
    const found = await lstat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > DRAFT_MS) await rm(path, { force: true });
  }
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

/** Reads a file that only this user can read; `undefined` if there is none. Links are not followed. */
async function readPrivate(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const flags = constants.O_RDONLY | (SUPPORTS_MODES ? constants.O_NOFOLLOW : 0);
  let file;
  try {
    file = await open(path, flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP") throw insecure(path, "is a link");
    throw error;
  }
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size > MAX_BYTES) throw insecure(path, "is no file of this store");
    checkOwner(path, found);
    return Uint8Array.from(await file.readFile());
  } finally {
    await file.close();
  }
}

/** Replaces a file as a whole: readers see the old one or the new one, also if the machine stops in between. */
async function writePrivate(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}${DRAFT}`;
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    // A disk that is full leaves half of a token otherwise.
    await rm(draft, { force: true });
    throw error;
  }
}
