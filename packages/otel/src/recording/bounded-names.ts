import { OTHER } from "../conventions/names.ts";

/** How many different names a metric gets. */
const MAX_NAMES = 1000;
/** The most characters of a name. */
const MAX_LENGTH = 128;

/** Names that models choose: a bounded number of them becomes series, and all further ones are counted together. */
export class BoundedNames {
  readonly #names = new Set<string>();

  of(name: string): string {
    if (this.#names.has(name)) return name;
    if (name.length > MAX_LENGTH || this.#names.size >= MAX_NAMES) return OTHER;
    this.#names.add(name);
    return name;
  }
}

/** A name for one span, cut to a length that no real one has. */
export function cutName(name: string): string {
  return name.length > MAX_LENGTH ? `${name.slice(0, MAX_LENGTH)}…` : name;
}
