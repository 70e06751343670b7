import { type Auth, listOpenApi } from "@toolwire/openapi";
import type { PreparedCredential } from "./credentials.ts";

/** The credentials of one server while its tools are made: which tool gets which, and which are used at all. */
export class ServerCredentials {
  readonly all: readonly PreparedCredential[];
  /** The names of credentials that something uses. */
  readonly used: Set<string> = new Set<string>();
  readonly #byName: ReadonlyMap<string, PreparedCredential>;

  constructor(credentials: readonly PreparedCredential[]) {
    this.all = credentials;
    this.#byName = new Map(credentials.map((each) => [each.name, each]));
  }

  /** The credential of a tool: the one it names, or the only one that there is. */
  ofTool(name: string | undefined): PreparedCredential | undefined {
    if (name === "none") return undefined;
    const [only, ...others] = this.all;
    const found = name === undefined && others.length === 0 ? only : this.#byName.get(name ?? "");
    if (found !== undefined) this.used.add(found.name);
    return found;
  }

  /**
   * The credentials that the security schemes of a document need, by name. If none has the name of a scheme, the only one there is
   * stands for all of them. `forDocument` names the one that fetches the document.
   */
  ofSchemes(
    document: unknown,
    forDocument: string | undefined,
  ): Auth | { readonly [scheme: string]: Auth } | undefined {
    const { schemes } = listOpenApi(document, { include: () => false });
    const found = schemes.flatMap(({ name }) => {
      const auth = this.#byName.get(name)?.auth;
      return auth === undefined ? [] : [[name, auth] as const];
    });
    if (found.length > 0) return Object.fromEntries(found);
    const [only, ...others] = this.all.filter(({ name }) => name !== forDocument);
    return others.length === 0 ? only?.auth : undefined;
  }

  /** Sends callers of an operation to a page where they can store its credential. */
  connectOf(auth: unknown): PreparedCredential["connect"] {
    const found = this.all.find((each) => each.auth !== undefined && each.auth === auth);
    // One that stands for all schemes has not the name of any.
    if (found !== undefined) this.used.add(found.name);
    return found?.connect;
  }

  /** The credentials that an operation sends: it may need several at once. */
  sentWith(auth: unknown): readonly PreparedCredential[] {
    if (auth === undefined) return [];
    const one = this.all.find((each) => each.auth === auth);
    return one === undefined ? this.all : [one];
  }
}
