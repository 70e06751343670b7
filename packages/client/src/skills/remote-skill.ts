import { quoteWords } from "@toolwire/protocol/internal";
import { digestOf, type Skill, type SkillFrontmatter, type SkillResource } from "@toolwire/protocol/skills";
import type { RequestOptions } from "../call-options.ts";
import type { ExtensionClient } from "../extensions/extension.ts";
import { listChildren, type SkillChild } from "./directories.ts";
import { folderOf, pathOf } from "./entry.ts";
import { SkillError } from "./errors.ts";
import type { KeptFiles } from "./kept-files.ts";
import { resolveReference, unlisted } from "./references.ts";
import { readContents, verifyFile, verifyFrontmatter, type SkillContents } from "./verify.ts";

/** What all skills of a server have in common. */
export interface SkillSource {
  /** The name by which the application knows the server. */
  readonly server: string;
  readonly client: ExtensionClient;
  readonly kept: KeptFiles;
  readonly maxFiles: number;
  readonly maxBytes: number;
  readonly allowsDynamic: boolean;
  /** Gets a skill as it is now. */
  readonly get: (uri: string, options?: RequestOptions) => Promise<RemoteSkill>;
}

/** A `SKILL.md` that was read and verified. */
export interface LoadedSkill extends SkillContents {
  /** The name by which the application knows the server. Say it wherever the text goes: it is not the user's, and untrusted. */
  readonly server: string;
  readonly text: string;
  /** The instructions, without the front matter. */
  readonly body: string;
  readonly frontmatter: SkillFrontmatter;
}

/**
 * A skill as a server has listed it. It does not change, and nothing of it has been read yet. What is read is checked against it, and a
 * file that was added since is refused; {@link refresh} gets the skill as it is now.
 *
 * `server` and `uri` together tell it from all others: keep both wherever it is recorded.
 */
export class RemoteSkill {
  /** The name by which the application knows the server. */
  readonly server: string;
  readonly uri: string;
  /** A label. Other skills may have the same, here and on other servers. */
  readonly name: string;
  readonly description: string;
  /** The path of its folder, such as `acme/billing/refunds`, which tells skills of the same name apart. */
  readonly path: string;
  /**
   * All fields that its author wrote. Untrusted. In particular, `allowed-tools` is a wish: it grants nothing unless the user agrees to it
   * for this skill.
   */
  readonly frontmatter: SkillFrontmatter;
  /** Its files; `"dynamic"` if nothing is known of them before they are read. */
  readonly resources: readonly SkillResource[] | "dynamic";
  readonly #entry: Skill;
  readonly #source: SkillSource;
  /** The sizes of the files of a dynamic skill that were read. */
  readonly #read = new Map<string, number>();

  constructor(entry: Skill, source: SkillSource) {
    this.#entry = entry;
    this.#source = source;
    this.server = source.server;
    this.uri = entry.uri;
    this.name = entry.frontmatter.name;
    this.description = entry.frontmatter.description;
    this.path = pathOf(folderOf(entry.uri));
    this.frontmatter = entry.frontmatter;
    this.resources = entry.resources;
  }

  /**
   * Why the skill cannot be loaded, as far as that is known without reading it: it is too large, or has no digests. Tell the user, rather
   * than let it fail later.
   */
  get problem(): SkillError | undefined {
    const { maxFiles, maxBytes, allowsDynamic } = this.#source;
    const { uri, resources } = this;
    if (resources === "dynamic") {
      if (allowsDynamic) return undefined;
      const message = `The skill ${quoteWords(uri)} is made for each reader, so its files cannot be verified. The option \`dynamic\` allows such skills.`;
      return new SkillError("UNVERIFIABLE", uri, message);
    }
    const bytes = resources.reduce((sum, { size }) => sum + size, 0);
    if (resources.length <= maxFiles && bytes <= maxBytes) return undefined;
    const message = `The skill ${quoteWords(uri)} has ${resources.length} files of ${bytes} bytes together. This client takes ${maxFiles} files and ${maxBytes} bytes.`;
    return new SkillError("TOO_LARGE", uri, message);
  }

  /**
   * A digest of the server, the skill and all of its files. Keep it with the approval of the user: once it is another, the skill has
   * changed, and the approval is void. `undefined` for a dynamic skill, which nobody can approve once and for all.
   */
  async fingerprint(): Promise<string | undefined> {
    const { server, uri, resources } = this;
    if (resources === "dynamic") return undefined;
    const files = resources.map((file) => [file.uri, file.digest] as const).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return digestOf(new TextEncoder().encode(JSON.stringify([server, uri, files])));
  }

  /**
   * Reads its `SKILL.md`, and checks size, digest and front matter against what was listed. Ask the user before the text reaches a model,
   * and before a model that has it runs anything.
   *
   * @throws SkillError if it must not be used
   */
  async load(options?: RequestOptions): Promise<LoadedSkill> {
    const contents = await this.#fetch(this.uri, options);
    const { body } = verifyFrontmatter(this.frontmatter, contents);
    const { server, frontmatter } = this;
    return { ...contents, text: contents.text ?? "", server, body, frontmatter };
  }

  /**
   * Reads a file, and checks its size and digest. Takes what instructions say: a path from the folder of the skill, such as
   * `references/FORMS.md`, or a URI.
   *
   * @throws SkillError if it is no file of the skill, or must not be used
   */
  async read(reference: string, options?: RequestOptions): Promise<SkillContents> {
    const uri = this.resolve(reference);
    return uri === this.uri ? this.load(options) : this.#fetch(uri, options);
  }

  /**
   * The URI that a reference means.
   *
   * @throws SkillError for what is no file of the skill
   */
  resolve(reference: string): string {
    return resolveReference(this.#entry, reference);
  }

  /**
   * What is in a folder of the skill, by default in its own. Nothing is requested for it, unless the skill is dynamic: then the server
   * is asked, if it lists folders.
   */
  list(folder: string = "", options?: RequestOptions): Promise<readonly SkillChild[]> {
    return listChildren(this.#source.client, this.#entry, folder, options);
  }

  /** Gets the skill as it is now. If its {@link fingerprint} is another, whoever has approved it has to be asked again. */
  refresh(options?: RequestOptions): Promise<RemoteSkill> {
    return this.#source.get(this.uri, options);
  }

  async #fetch(uri: string, options: RequestOptions | undefined): Promise<SkillContents> {
    const { problem, resources } = this;
    if (problem !== undefined) throw problem;
    const { client, kept } = this.#source;
    if (resources === "dynamic") {
      const result = await client.request("resources/read", { uri }, options);
      const contents = readContents(uri, result, this.#roomFor(uri), "TOO_LARGE");
      this.#read.set(uri, contents.bytes.length);
      return contents;
    }
    const file = resources.find((each) => each.uri === uri);
    if (file === undefined) throw unlisted(this.uri, uri);
    const known = kept.get(uri, file.digest);
    if (known !== undefined) return known;
    const result = await client.request("resources/read", { uri }, options);
    const contents = readContents(uri, result, file.size, "SIZE_MISMATCH");
    await verifyFile(file, contents.bytes);
    kept.add(file.digest, contents);
    return contents;
  }

  /** How many bytes a file of a dynamic skill may have: the limit is for all that were read. */
  #roomFor(uri: string): number {
    const { maxFiles, maxBytes } = this.#source;
    let room = maxBytes;
    for (const [other, size] of this.#read) if (other !== uri) room -= size;
    if (this.#read.has(uri) || this.#read.size < maxFiles) return room;
    const message = `The skill ${quoteWords(this.uri)} is made for each reader, and has more than ${maxFiles} files.`;
    throw new SkillError("TOO_LARGE", uri, message);
  }
}
