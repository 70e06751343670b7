import { watch, type FSWatcher } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { UsageError } from "@toolwire/protocol";
import { expectBoolean, expectBytes, expectFunction, expectOption, expectOptions } from "@toolwire/protocol/internal";
import { CompiledCatalog } from "../skills/catalog.ts";
import { readRoot } from "../skills/paths.ts";
import type { FixedSkill } from "../skills/skill.ts";
import type { SkillCatalog } from "../skills/service.ts";
import { findChanges, type SkillsFolderChange } from "./find-changes.ts";
import { folderError } from "./problems.ts";
import { readSkills } from "./read-skills.ts";
import type { Ignore } from "./walk.ts";

/** The options of {@link openSkillsFolder}. */
export interface SkillsFolderOptions {
  /** Whether to read the folder again whenever a file changes. Default: false. */
  readonly watch?: boolean | undefined;
  /**
   * Leaves files and folders out, by their path below the folder. Names that begin with a dot, `node_modules` and `__pycache__` are
   * always left out.
   */
  readonly ignore?: ((path: string) => boolean) | undefined;
  /** The most bytes of all skills together, which are kept in memory. Default: 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** Told when skills have changed, and are served as they are now. */
  readonly onChange?: ((change: SkillsFolderChange) => void) | undefined;
  /**
   * Told when a folder that is watched can no longer be served. The skills stay as they were until it can. Default: prints to stderr.
   */
  readonly onProblem?: ((error: Error) => void) | undefined;
}

/** The skills of a folder. Give it to `skills()`. */
export interface SkillsFolder extends SkillCatalog {
  readonly skills: readonly FixedSkill[];
  /**
   * Reads the folder again. Resolves to whether anything has changed.
   *
   * @throws UsageError if it cannot be served. The skills then stay as they were.
   */
  reload(): Promise<boolean>;
  /** Ends watching. The skills stay as they are. */
  close(): void;
}

const NAMES = { watch: true, ignore: true, maxBytes: true, onChange: true, onProblem: true } as const;

/** Editors and version control write many files at once, and some of them in several steps. */
const QUIET = 100;

/** After a change, the folder is read once more. */
const SETTLED = 1000;

/**
 * Reads the skills in a folder: each folder in it that has a `SKILL.md`, by the specification of Agent Skills.
 *
 * @example
 * ```ts
 * const folder = await openSkillsFolder("skills");
 * createServer({ name: "shop", version: "1.0.0", extensions: [skills(folder)] });
 * ```
 *
 * @throws UsageError that lists what is wrong, with files and lines
 */
export async function openSkillsFolder(folder: string, options: SkillsFolderOptions = {}): Promise<SkillsFolder> {
  expectOption("folder", folder, typeof folder === "string" && folder !== "", "the path of a folder");
  const opened = new OpenFolder(folder, options);
  await opened.reload();
  if (expectBoolean("watch", options.watch, false)) await opened.watch();
  return opened;
}

class OpenFolder implements SkillsFolder {
  readonly #folder: string;
  readonly #ignore: Ignore;
  readonly #maxBytes: number;
  readonly #onChange: (change: SkillsFolderChange) => void;
  readonly #onProblem: (error: Error) => void;
  #skills: readonly FixedSkill[] = [];
  /** The last reading, which the next one waits for. */
  #reading: Promise<unknown> = Promise.resolve();
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The last problem that was told. */
  #told: string | undefined;

  constructor(folder: string, options: SkillsFolderOptions) {
    const { ignore, maxBytes, onChange, onProblem } = expectOptions("openSkillsFolder", options, NAMES);
    const isUnwanted = expectFunction("ignore", ignore ?? (() => false));
    this.#folder = folder;
    this.#ignore = (path) => ALWAYS_IGNORED.test(path) || isUnwanted(path);
    this.#maxBytes = expectBytes("maxBytes", maxBytes, 64 * 1024 * 1024);
    this.#onChange = expectFunction("onChange", onChange ?? (() => undefined));
    this.#onProblem = expectFunction("onProblem", onProblem ?? printProblem);
  }

  get skills(): readonly FixedSkill[] {
    return this.#skills;
  }

  reload(): Promise<boolean> {
    const reading = this.#reading.then(() => this.#read());
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  /** Begins to read the folder again whenever a file in it changes. */
  async watch(): Promise<void> {
    // The program may end while the folder is watched.
    this.#watcher = watch(await this.#place(), { recursive: true, persistent: false });
    this.#watcher.on("change", () => this.#readSoon());
    this.#watcher.on("error", (error) => this.#tell(error));
    // What has changed since it was read.
    this.#readSoon();
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    clearTimeout(this.#timer);
  }

  #readSoon(delay: number = QUIET): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.reload().catch((error: unknown) => this.#tell(error as Error));
      // A folder that has just been made is watched a little later: what is written into it meanwhile is not announced.
      if (delay < SETTLED && this.#watcher !== undefined) this.#readSoon(SETTLED);
    }, delay).unref();
  }

  /** Tells of a problem once, however often it is met. */
  #tell(error: Error): void {
    if (this.#told === error.message) return;
    this.#told = error.message;
    this.#onProblem(error);
  }

  async #read(): Promise<boolean> {
    const { skills, problems } = await readSkills(await this.#place(), this.#ignore, this.#maxBytes);
    if (problems.length > 0) throw folderError(this.#folder, problems);
    // Refuses skills that do not go together, before anybody is served them.
    void new CompiledCatalog(skills, readRoot());
    this.#told = undefined;
    const { skills: now, change } = findChanges(this.#skills, skills);
    if (change === undefined) return false;
    this.#skills = now;
    this.#onChange(change);
    return true;
  }

  /** Where the folder is, without symbolic links. */
  async #place(): Promise<string> {
    try {
      const place = await realpath(this.#folder);
      if ((await stat(place)).isDirectory()) return place;
    } catch (cause) {
      throw new UsageError("INVALID_ARGUMENT", `There is no folder ${this.#folder}, or it may not be read.`, { cause });
    }
    throw new UsageError("INVALID_ARGUMENT", `${this.#folder} is no folder. Give the folder that skills are in.`);
  }
}

/** Hidden files and folders, and what tools leave behind. */
const ALWAYS_IGNORED = /(?:^|\/)(?:\.[^/]*|node_modules|__pycache__)$/;

function printProblem(error: Error): void {
  // oxlint-disable-next-line no-console -- stderr is where an operator looks.
  console.error(`[toolwire] error: ${error.message}`);
}
