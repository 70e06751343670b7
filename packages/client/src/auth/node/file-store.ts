import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { UsageError } from "@toolwire/protocol";
import type { AuthStore, LockedWork, StoredValue } from "../store/auth-store.ts";
import { fileCodec, importFileKey } from "./file-codec.ts";
import { type Clock, systemClock, withLease } from "./lease.ts";
import { type Files, NumberedFiles } from "./numbered-files.ts";
import { PrivateFiles, unreadable } from "./private-files.ts";

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

/**
 * Makes a store of files that several processes share, also those of several containers: one folder for each grant and
 * registration, readable by this user alone (0600 in directories of 0700). A value is replaced only by whoever knows its latest
 * version, even if a process is stopped in the middle, and a grant is locked while it is renewed. On Windows, the files are as
 * private as the user's profile.
 */
export function fileStore(options: FileStoreOptions = {}): AuthStore {
  const { directory = defaultDirectory(), key } = options;
  if (typeof directory !== "string" || directory === "") {
    throw new UsageError("INVALID_ARGUMENT", "`directory` must be the path of a directory.");
  }
  if (key !== undefined && (!(key instanceof Uint8Array) || key.length !== 32)) {
    throw new UsageError("INVALID_ARGUMENT", "`key` must be 32 bytes.");
  }
  return new FileStore(new PrivateFiles(directory), directory, key && importFileKey(key), systemClock);
}

/** A store on files. Made by {@link fileStore}; tests give it a file system and a clock of their own. */
export class FileStore implements AuthStore {
  readonly #files: Files;
  readonly #place: string;
  readonly #key: Promise<CryptoKey> | undefined;
  readonly #clock: Clock;

  constructor(files: Files, place: string, key: Promise<CryptoKey> | undefined, clock: Clock) {
    this.#files = files;
    this.#place = place;
    this.#key = key;
    this.#clock = clock;
  }

  async get(name: string): Promise<StoredValue | undefined> {
    const found = await this.#seriesOf(name, "").read();
    return found?.value === undefined ? undefined : { value: found.value, version: found.version };
  }

  async swap(name: string, expected: string | undefined, next: unknown): Promise<boolean> {
    const series = this.#seriesOf(name, "");
    const found = await series.read();
    const isThere = found?.value !== undefined;
    if ((isThere ? found.version : undefined) !== expected) return false;
    if (next === undefined && !isThere) return true;
    return (await series.append(found, next)) !== undefined;
  }

  lock<T>(name: string, work: LockedWork<T>, { signal }: { readonly signal: AbortSignal | undefined }): Promise<T> {
    return withLease(this.#seriesOf(name, ".lock"), `a grant in ${this.#place}`, signal, work, this.#clock);
  }

  /** The files of a key. The name of their folder is a hash: keys hold URLs, which are no file names. */
  #seriesOf(name: string, end: "" | ".lock"): NumberedFiles {
    const folder = `${createHash("sha256").update(name).digest("hex")}${end}`;
    const codec = fileCodec(name, this.#key, () => unreadable(this.#place));
    // A lock is of no use after the machine has stopped, so its files need not be on the disk.
    return new NumberedFiles(this.#files, folder, codec, end === "");
  }
}

function defaultDirectory(): string {
  const { XDG_CONFIG_HOME: config = "", APPDATA: windows = "" } = process.env;
  const [named, usual] = process.platform === "win32" ? [windows, homedir()] : [config, join(homedir(), ".config")];
  // An empty or relative path counts as none (XDG Base Directory Specification): tokens must not end up in a working directory.
  return join(isAbsolute(named) ? named : usual, "toolwire", "auth");
}
