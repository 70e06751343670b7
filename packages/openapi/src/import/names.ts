import { hashShort } from "../document/short-hash.ts";
import { type ReadableSource, readableName } from "./readable-name.ts";

/** The longest name of a tool. A gateway can put a short prefix before it and stay within the 64 that models allow. */
const MAX_TOOL_NAME = 56;

/** The longest name of an argument: what the vendors of models allow. */
const MAX_ARGUMENT_NAME = 64;

const HASH_DIGITS = 6;

/** How tools are named: in words with the verb first, like the id of their operation, or like its method and path. */
export type NameStyle = "readable" | "operationId" | "path";

/** An operation that needs a name. */
export interface Nameable extends ReadableSource {
  /** A name that the author of the document suggests. */
  readonly suggestion?: string | undefined;
  /** A name that the user has chosen. It is taken as it is. */
  readonly chosen?: string | undefined;
}

/**
 * Names for the tools of all operations. If several operations want a name, the one with the shortest path gets it, and the names of
 * the others end in a hash of their method and path, as do names that are too long. So a name depends neither on the order of the
 * operations nor on which of them are imported, and an operation that is added takes a name away from none with a shorter path.
 */
export function nameTools(operations: readonly Nameable[], style: NameStyle): readonly string[] {
  const wishes = operations.map((operation) => wishOf(operation, style));
  const owners = new Map<string, number>();
  for (const [index, operation] of operations.entries()) {
    const wish = wishes[index]!;
    if (operation.chosen === undefined && wish.length > MAX_TOOL_NAME) continue;
    const owner = owners.get(operation.chosen ?? wish);
    if (owner === undefined || comesBefore(operation, operations[owner]!)) owners.set(operation.chosen ?? wish, index);
  }
  return operations.map(({ method, path, chosen }, index) => {
    const wish = wishes[index]!;
    if (chosen !== undefined || owners.get(wish) === index) return chosen ?? wish;
    return addHash(wish, `${method} ${path}`, owners);
  });
}

function wishOf(operation: Nameable, style: NameStyle): string {
  const { id, suggestion, method, path } = operation;
  if (suggestion !== undefined) return legalize(suggestion);
  if (style === "readable") return readableName(operation) || "unnamed";
  return legalize((style === "operationId" ? id : undefined) ?? method.toLowerCase() + path);
}

/** Whether an operation gets a name that another one wants as well. */
function comesBefore(one: Nameable, other: Nameable): boolean {
  if ((one.chosen === undefined) !== (other.chosen === undefined)) return one.chosen !== undefined;
  const levels = ({ path }: Nameable): number => path.split("/").length;
  const difference = levels(one) - levels(other) || one.path.length - other.path.length;
  if (difference !== 0) return difference < 0;
  return one.path === other.path ? one.method < other.method : one.path < other.path;
}

function addHash(wish: string, identity: string, taken: ReadonlyMap<string, unknown>): string {
  for (let digits = HASH_DIGITS; ; digits += HASH_DIGITS) {
    const hash = hashShort(identity, digits);
    const name = `${cutWords(wish, MAX_TOOL_NAME - 1 - digits)}_${hash}`;
    // Another operation may be called like this by its author, so the hash grows. A longer one than 36 leaves no room.
    if (!taken.has(name) || digits >= 36) return name;
  }
}

/** Cuts a name, after a whole word if there is one near. */
function cutWords(name: string, maxLength: number): string {
  if (name.length <= maxLength) return name;
  const end = name.lastIndexOf("_", maxLength);
  return trim(name.slice(0, end > maxLength - 16 ? end : maxLength));
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
