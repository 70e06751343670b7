import { hashText } from "./hash.ts";

/** The most characters in a name that all models accept. The protocol allows 128. */
const MAX_LENGTH = 64;

/** How many characters of a hash tell names apart that would be the same otherwise. */
const HASH_LENGTH = 6;

/** Characters that some model does not accept in a name, though the protocol does. */
const FOREIGN = /[^A-Za-z0-9_-]+/g;

/**
 * The name under which something of an upstream is offered. A name that models would not accept is changed, and gets a hash of
 * the original one, so that the same name becomes the same in any order, and no two become one.
 */
export function offeredName(prefix: string | undefined, name: string): string {
  const whole = prefix === undefined || prefix === "" ? name : `${prefix}_${name}`;
  const legal = whole.replaceAll(FOREIGN, "_");
  if (legal === whole && legal !== "" && legal.length <= MAX_LENGTH) return legal;
  return withHash(legal, whole);
}

/** What the names of an upstream's tools begin with where they are offered, unless they have to be changed. */
export function toolPrefix(prefix: string | undefined): string {
  return prefix === undefined || prefix === "" ? "" : `${prefix.replaceAll(FOREIGN, "_")}_`;
}

/** Another name for something that differs from what has the name already. */
export function variantName(name: string, fingerprint: string): string {
  return withHash(name, `${name} ${fingerprint}`);
}

function withHash(name: string, hashed: string): string {
  return `${name.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hashText(hashed).slice(0, HASH_LENGTH)}`;
}
