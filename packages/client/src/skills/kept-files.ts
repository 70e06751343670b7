import type { SkillContents } from "./verify.ts";

/**
 * Files that were verified, by URI and digest. They are kept in the memory of the client, where nobody else can change them, so that
 * they need not be fetched again. Those that were not used for the longest time go first.
 */
export class KeptFiles {
  readonly #most: number;
  readonly #files = new Map<string, SkillContents>();
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get(uri: string, digest: string): SkillContents | undefined {
    const key = keyOf(uri, digest);
    const file = this.#files.get(key);
    if (file === undefined) return undefined;
    this.#files.delete(key);
    this.#files.set(key, file);
    return copy(file);
  }

  add(digest: string, file: SkillContents): void {
    const { length } = file.bytes;
    const key = keyOf(file.uri, digest);
    if (length > this.#most || this.#files.has(key)) return;
    this.#files.set(key, copy(file));
    this.#bytes += length;
    for (const [oldest, { bytes }] of this.#files) {
      if (this.#bytes <= this.#most) return;
      this.#files.delete(oldest);
      this.#bytes -= bytes.length;
    }
  }
}

function keyOf(uri: string, digest: string): string {
  return `${digest} ${uri}`;
}

/** Whoever gets a file may write into its bytes. */
function copy(file: SkillContents): SkillContents {
  return { ...file, bytes: file.bytes.slice() };
}
