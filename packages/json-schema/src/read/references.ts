import { invalidSchema } from "../error.ts";
import { step, type Place } from "../issues/issue.ts";
import { isObject } from "../schema.ts";
import type { Dialect } from "./read-schema.ts";
import { isRawSchema, subschemas, type RawSchema, type SchemaObject } from "./subschemas.ts";

/** The base of relative references in a document without `$id`. Nothing can exist under this name (RFC 2606). */
const NO_BASE = "https://schema.invalid/";

/** Longest base: every name and reference below a `$id` is resolved against it, and kept with it. */
const MAX_BASE_LENGTH = 1_000;

/**
 * Resolves the references of one document, by `$id`, anchor or JSON pointer. It never fetches anything, and documents do not
 * know of each other, so equal `$id`s of different servers cannot be confused.
 */
export class References {
  readonly #dialect: Dialect;
  readonly #resources = new Map<string, SchemaObject>();
  readonly #anchors = new Map<string, SchemaObject>();
  readonly #bases = new Map<SchemaObject, string>();
  readonly #dynamicAnchors = new Map<string, number>();
  #recursiveAnchors = 0;

  constructor(document: SchemaObject, dialect: Dialect) {
    this.#dialect = dialect;
    this.#resources.set(NO_BASE, document);
    this.#index(document, undefined, NO_BASE);
  }

  /** The schema that the reference at `here`, a keyword of `from`, leads to. */
  resolve(reference: string, from: SchemaObject, here: Place): RawSchema {
    const shown = JSON.stringify(reference);
    const uri = resolveUri(reference, this.#bases.get(from) ?? NO_BASE);
    const [resourceUri = "", fragment = ""] = uri?.split("#", 2) ?? [];
    const resource = this.#resources.get(resourceUri);
    if (uri === undefined || resource === undefined) {
      throw invalidSchema(
        here,
        `${shown} leads outside of this document, and schemas are never fetched: embed it in $defs`,
      );
    }
    const target =
      fragment === "" || fragment.startsWith("/") ? followPointer(resource, fragment) : this.#anchors.get(uri);
    if (!isRawSchema(target)) throw invalidSchema(here, `${shown} leads nowhere in this document`);
    this.#refuseDynamicScope(target, fragment, here);
    // A pointer may lead to a place that is not a keyword of schemas, such as OpenAPI's `components`.
    if (isObject(target) && !this.#bases.has(target)) this.#index(target, here, resourceUri);
    return target;
  }

  /**
   * A dynamic reference with one possible target is an ordinary one, and so is one that does not name a dynamic anchor
   * (JSON Schema Core 2020-12, section 8.2.3.2). With several, the target depends on the path of validation, which only
   * meta-schemas need.
   */
  #refuseDynamicScope(target: RawSchema, fragment: string, here: Place): void {
    if (!isObject(target)) return;
    const candidates =
      here.key === "$dynamicRef" && target["$dynamicAnchor"] === fragment
        ? (this.#dynamicAnchors.get(fragment) ?? 0)
        : here.key === "$recursiveRef" && target["$recursiveAnchor"] === true
          ? this.#recursiveAnchors
          : 1;
    if (candidates > 1) {
      throw invalidSchema(
        here,
        `${candidates} possible targets, which is not supported: use $ref to say which is meant`,
      );
    }
  }

  #index(schema: SchemaObject, place: Place | undefined, outerBase: string, isInCopy = false): void {
    const { base, isCopy } = this.#readIds(schema, place, outerBase, isInCopy);
    this.#bases.set(schema, base);
    for (const [member, here] of subschemas(schema, place)) {
      if (isObject(member) && !this.#bases.has(member)) this.#index(member, here, base, isCopy);
    }
  }

  /**
   * Registers the names of a schema. In a copy of another schema all names are known and not compared again: comparing nested
   * named schemas would take quadratic time.
   */
  #readIds(
    schema: SchemaObject,
    place: Place | undefined,
    outerBase: string,
    isInCopy: boolean,
  ): { readonly base: string; readonly isCopy: boolean } {
    const isDraft07 = this.#dialect === "draft-07";
    let base = outerBase;
    let isCopy = isInCopy;
    // In draft-07, keywords next to `$ref` are ignored.
    if (isDraft07 && "$ref" in schema) return { base, isCopy };
    const { $id, $anchor, $dynamicAnchor } = schema;
    if (typeof $id === "string" && !(isDraft07 && $id.startsWith("#"))) {
      base = resolveUri($id, outerBase)?.split("#", 1)[0] ?? outerBase;
      if (base.length > MAX_BASE_LENGTH) {
        throw invalidSchema(step(place, "$id"), `longer than ${MAX_BASE_LENGTH} characters`);
      }
      isCopy ||= this.#register(this.#resources, base, schema, step(place, "$id"));
    }
    const anchors = isDraft07
      ? [typeof $id === "string" && $id.startsWith("#") && $id.slice(1)]
      : [$anchor, $dynamicAnchor];
    for (const anchor of anchors) {
      if (typeof anchor !== "string" || anchor === "") continue;
      isCopy ||= this.#register(this.#anchors, `${base}#${anchor}`, schema, place);
    }
    if (typeof $dynamicAnchor === "string") {
      this.#dynamicAnchors.set($dynamicAnchor, (this.#dynamicAnchors.get($dynamicAnchor) ?? 0) + 1);
    }
    if (schema["$recursiveAnchor"] === true) this.#recursiveAnchors++;
    return { base, isCopy };
  }

  /** Gives a schema a name. Returns true if the name is taken by an equal schema, which keeps it. */
  #register(names: Map<string, SchemaObject>, name: string, schema: SchemaObject, place: Place | undefined): boolean {
    const holder = names.get(name);
    if (holder === undefined || holder === schema) {
      names.set(name, schema);
      return false;
    }
    // Generators repeat a named schema wherever it is used. Equal copies are interchangeable.
    if (JSON.stringify(holder) === JSON.stringify(schema)) return true;
    throw invalidSchema(place, `${JSON.stringify(name)} is taken by another subschema`);
  }
}

function resolveUri(reference: string, base: string): string | undefined {
  try {
    return new URL(reference, base).href;
  } catch {
    return undefined;
  }
}

/** Follows a JSON pointer (RFC 6901) given as a URI fragment. Returns `undefined` if it leads nowhere. */
export function followPointer(document: unknown, fragment: string): unknown {
  let target = document;
  for (const part of fragment.split("/").slice(1)) {
    const key = decodePart(part);
    const isThere = key !== undefined && typeof target === "object" && target !== null && Object.hasOwn(target, key);
    if (!isThere) return undefined;
    target = (target as Record<string, unknown>)[key];
  }
  return target;
}

function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return undefined;
  }
}
