import { hashShort } from "../document/short-hash.ts";

/** The longest name of a tool. A gateway can put a short prefix before it and stay within the 64 that models allow. */
const MAX_TOOL_NAME = 56;

/** The longest name of an argument: what the vendors of models allow. */
const MAX_ARGUMENT_NAME = 64;

const HASH_DIGITS = 6;

/** An operation that needs a name. */
export interface Nameable {
  readonly method: string;
  readonly path: string;
  /** A name that the document or its author suggests. */
  readonly suggestion: string | undefined;
  /** A name that the user has chosen. It is taken as it is. */
  readonly chosen?: string | undefined;
}

/**
 * Names for the tools of all operations. A name is the suggestion, or method and path, in legal characters. If it is too long or
 * several operations want it, all of these get a hash of their method and path. So a name depends neither on the order of the
 * operations, nor on which of them are imported.
 */
export function nameTools(operations: readonly Nameable[]): readonly string[] {
  const wishes = operations.map(({ method, path, suggestion }) => legalize(suggestion ?? method.toLowerCase() + path));
  const counts = new Map<string, number>();
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const [index, { chosen }] of operations.entries()) count(chosen ?? wishes[index]!);
  const names = operations.map(({ chosen }, index) => {
    if (chosen !== undefined) return chosen;
    const wish = wishes[index]!;
    return wish.length <= MAX_TOOL_NAME && counts.get(wish) === 1 ? wish : undefined;
  });
  const taken = new Set(names);
  return names.map((name, index) => {
    if (name !== undefined) return name;
    const { method, path } = operations[index]!;
    return addHash(wishes[index]!, `${method} ${path}`, taken);
  });
}

function addHash(wish: string, identity: string, taken: ReadonlySet<string | undefined>): string {
  for (let digits = HASH_DIGITS; ; digits += HASH_DIGITS) {
    const hash = hashShort(identity, digits);
    const name = `${trim(wish.slice(0, MAX_TOOL_NAME - 1 - digits))}_${hash}`;
    // Another operation may be called like this by its author, so the hash grows. A longer one than 36 leaves no room.
    if (!taken.has(name) || digits >= 36) return name;
  }
}

/** Replaces runs of other characters than letters, digits, `_`, `-` and `.` by one underscore. */
function legalize(text: string): string {
  return trim(text.replaceAll(/[^\w.-]+/g, "_")) || "unnamed";
}

/** Removes underscores that stand for characters at the ends, such as the bracket of `filter[name]`. */
function trim(name: string): string {
  let end = name.length;
  while (end > 0 && name[end - 1] === "_") end -= 1;
  let start = 0;
  while (start < end && name[start] === "_") start += 1;
  return name.slice(start, end);
}

/** Where an argument goes. */
export type ArgumentPlace = "body" | "path" | "query" | "header" | "cookie";

/** The body comes first: it keeps its names. */
const PLACES: readonly ArgumentPlace[] = ["body", "path", "query", "header", "cookie"];

/** Something that needs the name of an argument. */
export interface ArgumentWish {
  readonly place: ArgumentPlace;
  /** The name that the API knows. */
  readonly name: string;
}

/**
 * Names for arguments that stand side by side. Names that are legal stay as they are, if possible. If two are the same, the body
 * keeps its name, and others get the place they go to: `id_path`. The order of the arguments makes no difference.
 */
export function nameArguments(wishes: readonly ArgumentWish[]): readonly string[] {
  const order = wishes.map((wish, index) => ({ ...wish, index, isLegal: isLegalArgument(wish.name) }));
  order.sort(
    (one, other) =>
      Number(other.isLegal) - Number(one.isLegal) ||
      PLACES.indexOf(one.place) - PLACES.indexOf(other.place) ||
      (one.name < other.name ? -1 : one.name > other.name ? 1 : 0),
  );
  const names: string[] = [];
  const taken = new Set<string>();
  for (const { name, place, index, isLegal } of order) {
    const base = isLegal ? name : legalize(name).slice(0, MAX_ARGUMENT_NAME);
    let suffix = taken.has(base) ? `_${place}` : "";
    while (taken.has(base.slice(0, MAX_ARGUMENT_NAME - suffix.length) + suffix)) suffix += "_";
    const chosen = base.slice(0, MAX_ARGUMENT_NAME - suffix.length) + suffix;
    taken.add(chosen);
    names[index] = chosen;
  }
  return names;
}

/** Whether the vendors of models accept the name of an argument. */
export function isLegalArgument(name: string): boolean {
  return /^[\w.-]{1,64}$/.test(name);
}
