import { UsageError } from "@toolwire/server";
import { itemsOf, type JsonMembers, memberOf } from "./json-value.ts";
import { MAX_REFERENCES_IN_A_ROW } from "./limits.ts";
import { parseDocument } from "./parse-document.ts";

/** A document that references can lead into. */
export interface LoadedDocument {
  readonly url: string;
  readonly root: JsonMembers;
}

/** A value and the document it is in, because the references inside of it are relative to that. */
export interface Located {
  readonly value: unknown;
  readonly document: LoadedDocument;
}

/** The outcome of following a reference: a value under a name that is the same for all references to it, or a problem. */
export type Followed =
  | (Located & { readonly pointer: string; readonly problem?: undefined })
  | { readonly problem: string };

/** Stands for the URL of a document whose own URL is not known. */
const NO_URL = "document:///openapi";

/**
 * Follows references within a document, and into other documents that were passed along. It fetches nothing, and puts nothing
 * in the place of a reference: recursive schemas stay finite.
 */
export class References {
  readonly main: LoadedDocument;
  readonly #others = new Map<string, unknown>();
  readonly #loaded = new Map<string, LoadedDocument>();

  constructor(
    root: JsonMembers,
    documentUrl: string | undefined,
    others: { readonly [reference: string]: unknown } = {},
  ) {
    this.main = { url: documentUrl ?? NO_URL, root };
    this.#loaded.set(this.main.url, this.main);
    for (const [reference, other] of Object.entries(others)) {
      const url = resolveUrl(reference, this.main.url);
      if (url === undefined) {
        throw new UsageError(
          "INVALID_ARGUMENT",
          `\`documents\` has the key ${JSON.stringify(reference)}, which is neither a URL nor a path.`,
        );
      }
      this.#others.set(url, other);
    }
  }

  /** Follows references until something else comes. A value that is no reference is returned as it is. */
  follow(place: Located): Followed {
    let found: Followed = { ...place, pointer: "" };
    for (let count = 0; found.problem === undefined; count += 1) {
      const reference: unknown = memberOf(found.value, "$ref");
      if (typeof reference !== "string") return found;
      if (count >= MAX_REFERENCES_IN_A_ROW) {
        return {
          problem: `${show(reference)} leads to a circle, or through more than ${MAX_REFERENCES_IN_A_ROW} references`,
        };
      }
      found = this.#step(reference, found.document);
    }
    return found;
  }

  #step(reference: string, from: LoadedDocument): Followed {
    const hash = reference.indexOf("#");
    const address = hash === -1 ? reference : reference.slice(0, hash);
    const document = address === "" ? from : this.#load(address, from);
    if (document === undefined) {
      return {
        problem: `${show(reference)} is in another document, which is not fetched: pass it in \`documents\``,
      };
    }
    const pointer = hash === -1 ? "" : decodeFragment(reference.slice(hash + 1));
    const value = pointer === undefined ? undefined : followPointer(document.root, pointer);
    if (pointer === undefined || value === undefined) return { problem: `${show(reference)} leads nowhere` };
    return { value, document, pointer };
  }

  #load(address: string, from: LoadedDocument): LoadedDocument | undefined {
    const url = resolveUrl(address, from.url);
    if (url === undefined) return undefined;
    let document = this.#loaded.get(url);
    if (document === undefined && this.#others.has(url)) {
      document = { url, root: parseDocument(this.#others.get(url)) };
      this.#loaded.set(url, document);
    }
    return document;
  }
}

/** A value at a JSON pointer (RFC 6901). Only own members count. */
function followPointer(root: unknown, pointer: string): unknown {
  if (pointer === "") return root;
  if (!pointer.startsWith("/")) return undefined;
  let value = root;
  for (const token of pointer.slice(1).split("/")) {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    value = Array.isArray(value) && /^\d{1,9}$/.test(name) ? itemsOf(value)[Number(name)] : memberOf(value, name);
    if (value === undefined) return undefined;
  }
  return value;
}

function decodeFragment(fragment: string): string | undefined {
  if (!fragment.includes("%")) return fragment;
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

function resolveUrl(reference: string, base: string): string | undefined {
  try {
    const url = new URL(reference, base);
    url.hash = "";
    return url.href;
  } catch {
    return undefined;
  }
}

/** A reference in a message: quoted, and not longer than a line. */
function show(reference: string): string {
  return JSON.stringify(reference.length > 100 ? `${reference.slice(0, 99)}…` : reference);
}
