import { UsageError } from "@toolwire/protocol";
import { followPointer } from "./json-pointer.ts";

/** A schema that is not just true or false. */
export type Keywords = { readonly [keyword: string]: unknown };

/** The base of what has no `$id`; nothing is ever found there (RFC 2606). */
export const NO_BASE = "https://schema.invalid/";

/** Where the references of one schema lead, by `$id`, by anchor, or by pointer. Nothing is ever fetched. */
export class SchemaReferences {
  /** Whatever has a name, by its URI; that of an anchor has a fragment. */
  readonly #named: Map<string, Keywords>;
  readonly #isDraft07: boolean;

  constructor(root: Keywords, isDraft07: boolean) {
    this.#named = new Map([[NO_BASE, root]]);
    this.#isDraft07 = isDraft07;
  }

  /** Takes down the names of a schema. Returns the base of everything in it. */
  enter(schema: Keywords, outerBase: string): string {
    const { $ref, $id, $anchor, $dynamicAnchor } = schema;
    // In draft-07, whatever stands next to `$ref` is ignored, and `$id` is what makes an anchor.
    if (this.#isDraft07 && $ref !== undefined) return outerBase;
    let base = outerBase;
    if (typeof $id === "string") {
      const uri = resolve($id, outerBase).replace(/#$/, "");
      base = withoutFragment(uri);
      this.#name(this.#isDraft07 ? uri : base, schema);
    }
    for (const anchor of this.#isDraft07 ? [] : [$anchor, $dynamicAnchor]) {
      if (typeof anchor === "string") this.#name(`${base}#${anchor}`, schema);
    }
    return base;
  }

  /** Generators write a schema out wherever it is used, with its name: of several that are the same, any will do. */
  #name(uri: string, schema: Keywords): void {
    const holder = this.#named.get(uri) ?? schema;
    this.#named.set(uri, holder);
    if (holder !== schema && JSON.stringify(holder) !== JSON.stringify(schema)) {
      throw new UsageError("INVALID_SCHEMA", `Invalid JSON Schema: two schemas have the name ${uri}.`);
    }
  }

  /** What a reference leads to, once all names are taken down, and the base of that; no base if it leads elsewhere. */
  follow(reference: string, from: string): { readonly target?: unknown; readonly base?: string } {
    const uri = resolve(reference, from);
    const base = withoutFragment(uri);
    const document = this.#named.get(base);
    if (document === undefined) return {};
    const fragment = uri.slice(base.length + 1);
    const isPointer = fragment === "" || fragment.startsWith("/");
    return { base, target: isPointer ? followPointer(document, fragment) : this.#named.get(uri) };
  }
}

function resolve(reference: string, base: string): string {
  return URL.canParse(reference, base) ? new URL(reference, base).href : "";
}

function withoutFragment(uri: string): string {
  return uri.replace(/#.*/, "");
}
