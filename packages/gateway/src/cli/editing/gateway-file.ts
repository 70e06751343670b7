import { copyFile, readFile, rename, stat, writeFile } from "node:fs/promises";
import { type Document, isMap, parseDocument } from "yaml";
import type { ServerConfig } from "../../config/config.ts";
import { CommandFailure } from "../command.ts";

/** The first lines of a file that is made anew. */
const HEAD = `# The configuration of a Toolwire gateway.
version: 1
servers: {}
`;

/** A configuration file that is changed in place: everything else in it stays, comments included. */
export class GatewayFile {
  readonly file: string;
  readonly #document: Document;

  private constructor(file: string, document: Document) {
    this.file = file;
    this.#document = document;
  }

  /** Opens a file, or makes a new one. Nothing is written before `save`. */
  static async open(file: string): Promise<GatewayFile> {
    return GatewayFile.read(file, await readIfThere(file));
  }

  /** Reads the text of a file, or begins a new one. `file` is for messages, and for `save`. */
  static read(file: string, text?: string): GatewayFile {
    const document = parseDocument(text ?? HEAD);
    const [error] = document.errors;
    if (error !== undefined) throw new CommandFailure(`${file} was not changed: ${error.message.split("\n", 1)[0]}`);
    if (document.contents === null) return new GatewayFile(file, parseDocument(HEAD));
    if (isMap(document.contents)) return new GatewayFile(file, document);
    throw new CommandFailure(`${file} was not changed: it is no configuration of a gateway.`);
  }

  hasServer(slug: string): boolean {
    return this.#document.hasIn(["servers", slug]);
  }

  hasUpstream(slug: string, name: string): boolean {
    return this.#document.hasIn(["servers", slug, "upstreams", name]);
  }

  /** The slugs of all servers. */
  get slugs(): readonly string[] {
    const servers = this.#document.get("servers");
    return isMap(servers) ? servers.items.map(({ key }) => String(key)) : [];
  }

  /** Writes a server in place of the one with this slug, or beside the others. */
  putServer(slug: string, server: object): void {
    this.#put(["servers", slug], server);
  }

  /** Writes an upstream to a server, which is made if there is none. */
  putUpstream(slug: string, name: string, upstream: object, allow: readonly string[]): void {
    this.#put(["servers", slug, "upstreams", name], upstream);
    if (allow.length === 0) return;
    const path = ["servers", slug, "network", "allow"];
    const before = this.#document.hasIn(path) ? (this.#document.toJS() as Content).servers?.[slug]?.network?.allow : [];
    this.#put(path, [...new Set([...(before ?? []), ...allow])]);
  }

  #put(path: readonly string[], value: unknown): void {
    const document = this.#document;
    for (let length = 1; length < path.length; length++) {
      const part = path.slice(0, length);
      const node = document.getIn(part, true);
      // An empty `{}` is a line; what is written into it should be a block, as a person would write it.
      if (isMap(node)) {
        if (node.items.length === 0) node.flow = false;
      } else if (node === undefined || node === null || document.getIn(part) === null) {
        document.setIn(part, document.createNode({}));
      } else throw new CommandFailure(`${this.file} was not changed: \`${part.join(".")}\` is no object.`);
    }
    document.setIn(path, document.createNode(value));
  }

  toString(): string {
    return this.#document.toString({ lineWidth: 0, flowCollectionPadding: true });
  }

  save(): Promise<void> {
    return replaceFile(this.file, this.toString());
  }
}

interface Content {
  readonly servers?: { readonly [slug: string]: ServerConfig };
}

/** The text of a file; `undefined` if there is none. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new CommandFailure(`${file} cannot be read: ${message}`);
  }
}

/** Puts a new text in the place of a file at once, with the mode that it had. With `keepsOld`, the old one is kept as `.bak`. */
export async function replaceFile(file: string, text: string, keepsOld = false): Promise<void> {
  const before = await stat(file).catch(() => undefined);
  try {
    if (keepsOld && before !== undefined) await copyFile(file, `${file}.bak`);
    const next = `${file}.${process.pid}.tmp`;
    await writeFile(next, text, { mode: before?.mode ?? 0o600 });
    await rename(next, file);
  } catch (error) {
    throw new CommandFailure(`${file} cannot be written: ${(error as Error).message}`);
  }
}
