import { AuthError } from "@toolwire/protocol";

/** The operations on files that a series of numbered files is made of. Each is done as a whole or not at all. */
export interface Files {
  /** The names in a folder; none if there is no folder. */
  list(folder: string): Promise<readonly string[]>;
  /** The content of a file; `undefined` if there is none. */
  read(folder: string, name: string): Promise<Uint8Array | undefined>;
  /** Writes a new file, and makes the folder. Nothing reads the file before it is complete. */
  write(folder: string, name: string, bytes: Uint8Array, isDurable: boolean): Promise<void>;
  /** Gives a file a second name. Resolves to `false` if that name is taken, or the file is gone. */
  link(folder: string, from: string, to: string): Promise<boolean>;
  remove(folder: string, name: string): Promise<void>;
}

/** The content of one file. */
export interface Entry {
  readonly version: string;
  /** The versions before this one, the last one first. */
  readonly history: readonly string[];
  /** Absent: the value was deleted. */
  readonly value?: unknown;
}

/** How the content of a file is written. `decode` throws if it cannot read it. */
export interface Codec {
  encode(entry: Entry): Promise<Uint8Array>;
  decode(bytes: Uint8Array): Promise<Entry>;
}

/** One value of a series. */
export interface Numbered extends Entry {
  readonly number: number;
}

/** How many earlier versions a file names. */
const MAX_HISTORY = 32;

/** How often the last value is looked for, while others replace it. */
const MAX_LOOKS = 100;

const NUMBER = /^\d{1,15}$/;
const DRAFT = /^(\d{1,15})\.[0-9a-f-]+\.tmp$/;

/**
 * A value that several processes replace, none of which can be trusted to run on: each write adds a file with the next number,
 * and the file with the highest number counts. A name can be given once (`link`), so of those who have seen the same value one
 * replaces it. A process that was stopped in the middle, for however long, gets a number that counts no more.
 */
export class NumberedFiles {
  readonly #files: Files;
  readonly #folder: string;
  readonly #codec: Codec;
  readonly #isDurable: boolean;

  constructor(files: Files, folder: string, codec: Codec, isDurable: boolean) {
    this.#files = files;
    this.#folder = folder;
    this.#codec = codec;
    this.#isDurable = isDurable;
  }

  /** The last value, and the place of the next one; `undefined` if nothing was ever written. */
  async read(): Promise<Numbered | undefined> {
    for (let look = 0; look < MAX_LOOKS; look += 1) {
      const names = await this.#files.list(this.#folder);
      const number = Math.max(0, ...names.filter((name) => NUMBER.test(name)).map(Number));
      if (number === 0) return undefined;
      const bytes = await this.#files.read(this.#folder, String(number));
      // It was replaced between the two.
      if (bytes === undefined) continue;
      await this.#tidy(names, number);
      return { ...(await this.#codec.decode(bytes)), number };
    }
    throw new AuthError("TEMPORARY", "The store is written all the time by others. Try again later.");
  }

  /**
   * Writes a value in the place of one that was read, or deletes it. Resolves to `undefined`, and changes nothing, if there is
   * another one by now.
   */
  async append(before: Numbered | undefined, value: unknown): Promise<Numbered | undefined> {
    const { number: last = 0, version: replaced, history: earlier = [] } = before ?? {};
    const number = last + 1;
    const history = replaced === undefined ? [] : [replaced, ...earlier].slice(0, MAX_HISTORY);
    const version = crypto.randomUUID();
    const next: Numbered = { number, version, history, ...(value !== undefined && { value }) };
    if (!(await this.#link(next))) return undefined;
    const current = await this.read();
    if (current?.version === next.version) return next;
    return this.#wasRead(next, current) ? next : undefined;
  }

  async #link({ number, ...entry }: Numbered): Promise<boolean> {
    const draft = `${number}.${entry.version}.tmp`;
    try {
      const bytes = await this.#codec.encode(entry);
      await this.#files.write(this.#folder, draft, bytes, this.#isDurable);
      return await this.#files.link(this.#folder, draft, String(number));
    } finally {
      await this.#files.remove(this.#folder, draft);
    }
  }

  /**
   * Whether a value that does not count any more has ever counted: then those who replaced it have read it. If not, this process
   * was stopped before it took the number, and the number was free only because a later one had made it useless.
   */
  #wasRead({ number, version }: Numbered, current: Numbered | undefined): boolean {
    const known = current?.history[current.number - number - 1];
    if (known !== undefined) return known === version;
    const message = "The store was changed many times while this program was stopped, so what it wrote may be lost.";
    throw new AuthError("TEMPORARY", `${message} Try again.`);
  }

  /** Removes the files that do not count any more: they hold tokens. Drafts of these numbers can have no name any more. */
  async #tidy(names: readonly string[], number: number): Promise<void> {
    const isOld = (name: string): boolean => {
      const draftOf = DRAFT.exec(name)?.[1];
      return draftOf === undefined ? NUMBER.test(name) && Number(name) < number : Number(draftOf) <= number;
    };
    for (const name of names.filter(isOld)) await this.#files.remove(this.#folder, name);
  }
}
