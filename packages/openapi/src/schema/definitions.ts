import { hashShort } from "../document/short-hash.ts";
import type { LoadedDocument } from "../document/references.ts";

/** The places where documents keep schemas by name. */
const USUAL_PLACE = /^\/(?:components\/schemas|definitions)\/([^/]+)$/;

/**
 * Names for definitions. A name depends on the place of the schema alone, not on the order in which schemas are met, so that
 * tools stay the same when a document grows.
 */
export class DefinitionNames {
  readonly #main: LoadedDocument;
  readonly #names = new Map<string, string>();
  readonly #taken = new Map<string, string>();

  constructor(main: LoadedDocument) {
    this.#main = main;
  }

  /** The name of the schema at a pointer of a document: its own name if it has one, else one with a hash. */
  nameOf(document: LoadedDocument, pointer: string): string {
    const place = document === this.#main ? `#${pointer}` : `${document.url}#${pointer}`;
    let name = this.#names.get(place);
    if (name === undefined) {
      name = this.#makeName(document, pointer, place);
      this.#names.set(place, name);
      this.#taken.set(name, place);
    }
    return name;
  }

  #makeName(document: LoadedDocument, pointer: string, place: string): string {
    const usual = USUAL_PLACE.exec(pointer)?.[1];
    const last = usual ?? pointer.split("/").findLast((token) => token !== "") ?? lastSegment(document.url);
    const plain = last.replaceAll(/[^\w.-]+/g, "_").slice(0, 60);
    const isOwn = usual !== undefined && plain === usual && document === this.#main;
    if (isOwn && !this.#taken.has(plain)) return plain;
    for (let digits = 6; ; digits += 6) {
      const name = `${plain}_${hashShort(place, digits)}`;
      if (!this.#taken.has(name) || digits > 60) return name;
    }
  }
}

function lastSegment(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}
