import { createHash } from "node:crypto";

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

/** Another name for something that differs from what has the name already. */
export function variantName(name: string, fingerprint: string): string {
  return withHash(name, `${name} ${fingerprint}`);
}

function withHash(name: string, hashed: string): string {
  return `${name.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hashText(hashed).slice(0, HASH_LENGTH)}`;
}

/** A hash of a text, in hexadecimal digits. */
export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Makes a test of names from patterns, in which `*` stands for any characters. */
export function matchAny(patterns: readonly string[]): (name: string) => boolean {
  const parts = patterns.map((pattern) => pattern.split("*"));
  return (name) => parts.some((pieces) => matches(pieces, name));
}

/** Whether a name begins with the first piece, ends with the last, and has the others in between, in this order. */
function matches(pieces: readonly string[], name: string): boolean {
  const first = pieces[0] ?? "";
  if (pieces.length === 1) return name === first;
  const last = pieces.at(-1) ?? "";
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let position = first.length;
  const end = name.length - last.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, position);
    if (found === -1 || found + piece.length > end) return false;
    position = found + piece.length;
  }
  return true;
}
