import { UsageError } from "@toolwire/protocol";
import { expectOptions, isObject } from "@toolwire/protocol/internal";
import { SKILL_FILE, SKILL_LIMITS, type SkillFrontmatter } from "@toolwire/protocol/skills";
import type { Context } from "../define/context.ts";
import type { Awaitable } from "../define/tool.ts";
import { serveFile, type ServedFile, type SkillFile, type SkillFiles } from "./file.ts";
import { readFields, writeFrontmatter } from "./frontmatter.ts";
import { expectPath, nameOf } from "./paths.ts";

/** What all skills have. */
interface SkillInfo {
  /**
   * Where the skill is among those of the server, such as `acme/billing/refunds`. The last part is its name. Default: the name alone.
   */
  readonly path?: string | undefined;
  /**
   * The fields at the beginning of `SKILL.md`, by the specification of Agent Skills: `name`, `description` and others. Clients get them
   * as they are.
   */
  readonly frontmatter: SkillFrontmatter;
}

/** The options of {@link skill}: a skill whose contents are the same for everybody. */
export interface FixedSkillOptions extends SkillInfo {
  /** The instructions: `SKILL.md` below its front matter, in Markdown. */
  readonly body?: string | undefined;
  /** `SKILL.md` as it is, with its front matter, instead of `body`. Its front matter must say what `frontmatter` says. */
  readonly source?: string | Uint8Array | undefined;
  /** Further files. Those of skills in folders below belong to this skill as well, and are added. */
  readonly files?: SkillFiles | undefined;
}

/** The options of {@link skill}: a skill whose contents are made for each reader. */
export interface GeneratedSkillOptions extends SkillInfo {
  /** Makes the instructions. The front matter is written above them. */
  readonly body: (ctx: Context) => Awaitable<string>;
  /** Makes further files. Called for each file that is read, and for each folder that is listed. */
  readonly files?: ((ctx: Context) => Awaitable<SkillFiles>) | undefined;
}

/** A skill, made by {@link skill}. */
export type SkillDefinition = FixedSkill | GeneratedSkill;

/** A skill whose contents are the same for everybody. */
export interface FixedSkill {
  readonly path: string;
  readonly frontmatter: SkillFrontmatter;
  /** Its files by path, `SKILL.md` among them. */
  readonly files: ReadonlyMap<string, ServedFile>;
}

/** A skill whose contents are made for each reader. */
export interface GeneratedSkill {
  readonly path: string;
  readonly frontmatter: SkillFrontmatter;
  /** Makes its files, `SKILL.md` among them. */
  readonly generate: (ctx: Context) => Promise<ReadonlyMap<string, ServedFile>>;
}

const NAMES = { path: true, frontmatter: true, body: true, source: true, files: true } as const;

/**
 * Defines a skill: instructions for an agent, with the files that they mention.
 *
 * If `body` is a function, it is called for each reader. Such a skill has no digests, and hosts may decline it.
 *
 * @example
 * ```ts
 * const refunds = skill({
 *   frontmatter: { name: "refunds", description: "Refund an order. Use it when a customer wants money back." },
 *   body: "1. Look the order up.\n2. Write the mail in `templates/mail.md`.",
 *   files: { "templates/mail.md": "Dear customer, …" },
 * });
 * ```
 *
 * @throws UsageError for what the specification of Agent Skills does not allow, and for what is larger than hosts accept
 */
export function skill(options: FixedSkillOptions): FixedSkill;
export function skill(options: GeneratedSkillOptions): GeneratedSkill;
export function skill(options: FixedSkillOptions | GeneratedSkillOptions): SkillDefinition {
  expectOptions("skill", options, NAMES);
  const frontmatter = readFields(options.frontmatter);
  const path = options.path === undefined ? frontmatter.name : expectPath("`path`", options.path);
  if (nameOf(path) !== frontmatter.name) {
    throw new UsageError(
      "INVALID_DEFINITION",
      `The skill "${frontmatter.name}" must be in a folder of this name, and its path is "${path}": let the path end in "/${frontmatter.name}".`,
    );
  }
  const head = writeFrontmatter(frontmatter);
  if (typeof options.body === "function") {
    const { body, files } = options as GeneratedSkillOptions;
    return {
      path,
      frontmatter,
      generate: async (ctx) => {
        const [text, others] = await Promise.all([body(ctx), files?.(ctx)]);
        return collect(path, join(head, text), others ?? {});
      },
    };
  }
  const { body, source, files = {} } = options as FixedSkillOptions;
  if ((body === undefined) === (source === undefined)) {
    throw new UsageError("INVALID_DEFINITION", `The skill "${path}" needs either a \`body\` or a \`source\`.`);
  }
  return { path, frontmatter, files: collect(path, source ?? join(head, body), files) };
}

function join(head: string, body: unknown): string {
  if (typeof body === "string") return `${head}\n${body}`;
  throw new UsageError("INVALID_DEFINITION", "The `body` of a skill must be text, or a function that returns it.");
}

/** All files of a skill, each of them ready to be served. */
function collect(path: string, main: SkillFile, others: unknown): ReadonlyMap<string, ServedFile> {
  if (!isObject(others)) {
    throw new UsageError("INVALID_DEFINITION", `The \`files\` of the skill "${path}" must map paths to files.`);
  }
  const files = new Map<string, ServedFile>([[SKILL_FILE, serveFile(SKILL_FILE, main)]]);
  for (const [name, file] of Object.entries(others)) {
    expectPath(`A path in the \`files\` of the skill "${path}"`, name);
    if (name === SKILL_FILE) {
      throw new UsageError(
        "INVALID_DEFINITION",
        `\`files\` of the skill "${path}" has ${SKILL_FILE}, which is made of \`frontmatter\` and \`body\`: leave it out, or give it as \`source\`.`,
      );
    }
    files.set(name, serveFile(name, file as SkillFile));
  }
  expectTree(path, files);
  expectSize(path, files);
  if (files.get(SKILL_FILE)?.read().text === undefined) {
    throw new UsageError("INVALID_DEFINITION", `The ${SKILL_FILE} of the skill "${path}" must be text in UTF-8.`);
  }
  return files;
}

/** Refuses a path that is both a file and a folder. */
export function expectTree(path: string, files: ReadonlyMap<string, unknown>): void {
  for (const file of files.keys()) {
    for (let slash = file.indexOf("/"); slash !== -1; slash = file.indexOf("/", slash + 1)) {
      const folder = file.slice(0, slash);
      if (!files.has(folder)) continue;
      throw new UsageError(
        "INVALID_DEFINITION",
        `In the skill "${path}", "${folder}" is a file, and "${file}" needs it to be a folder.`,
      );
    }
  }
}

/** Refuses a skill that is larger than what every host accepts. */
export function expectSize(path: string, files: ReadonlyMap<string, ServedFile>): void {
  let bytes = 0;
  for (const { size } of files.values()) bytes += size;
  if (files.size <= SKILL_LIMITS.files && bytes <= SKILL_LIMITS.bytes) return;
  throw new UsageError(
    "INVALID_DEFINITION",
    `The skill "${path}" has ${files.size} files of ${bytes} bytes together. Hosts need not accept more than ${SKILL_LIMITS.files} files ` +
      `and ${SKILL_LIMITS.bytes} bytes: leave some out, or divide it into several skills.`,
  );
}
