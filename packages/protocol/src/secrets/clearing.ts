import { isObject } from "../model/json.ts";
import { readBase64 } from "./encoded-runs.ts";
import { type IndexedSecret, SHORTEST_SECRET } from "./secret-index.ts";
import { SECRET_MARK, SecretSet } from "./secret-set.ts";

/** The text in the place of binary data that has a secret in it. */
export const LEFT_OUT: string = `${SECRET_MARK} Binary data is left out here, because it contains a credential.`;

/** Takes secrets out of what somebody is about to see. */
export interface Clearing {
  text(text: string): string;
  /** Clears all texts of a value that is JSON, names of members included. Returns the value itself if there is nothing to clear. */
  value<T>(value: T): T;
  /** Whether binary data has to be left out as a whole. */
  holds(bytes: Uint8Array): boolean;
}

/** The clearing of those who may see everything: there is no secret to take out. */
const NOTHING: Clearing = { text: (text) => text, value: (value) => value, holds: () => false };

/**
 * Makes the clearing of a call. `known` is what its caller has sent: a secret that is in it stays, because the caller knows it
 * anyhow. Otherwise an API that repeats arguments would tell whether a guess was right.
 */
export function createClearing(secrets: readonly string[] | undefined, ...known: readonly unknown[]): Clearing {
  if (secrets === undefined || !secrets.some(({ length }) => length >= SHORTEST_SECRET)) return NOTHING;
  const set = new SecretSet();
  for (const secret of secrets) set.add(secret);
  return set.size === 0 ? NOTHING : clearingOf(set, known);
}

/** The clearing by a set of secrets that is kept. */
export function clearingOf(set: SecretSet, known: readonly unknown[] = []): Clearing {
  return new SetClearing(set, known);
}

class SetClearing implements Clearing {
  readonly #set: SecretSet;
  readonly #spared: ReadonlySet<IndexedSecret>;

  constructor(set: SecretSet, known: readonly unknown[]) {
    const spared = new Set<IndexedSecret>();
    for (const text of textsOf(known)) for (const secret of set.in(text)) spared.add(secret);
    this.#set = set;
    this.#spared = spared;
  }

  text(text: string): string {
    return this.#set.clear(text, this.#spared);
  }

  value<T>(value: T): T {
    return this.#value(value) as T;
  }

  holds(bytes: Uint8Array): boolean {
    return [...this.#set.inBytes(bytes)].some((secret) => !this.#spared.has(secret));
  }

  #value(value: unknown): unknown {
    if (typeof value === "string") return this.text(value);
    if (typeof value === "number") return this.#number(value);
    if (Array.isArray(value)) {
      const items = value.map((item: unknown) => this.#value(item));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    return isObject(value) ? this.#object(value) : value;
  }

  /** A secret of digits may have become a number. */
  #number(value: number): unknown {
    const text = String(value);
    if (text.length < SHORTEST_SECRET) return value;
    const cleared = this.text(text);
    return cleared === text ? value : cleared;
  }

  /** If the data of a content block, or of a resource, has a secret in it, a text says so in its place. */
  #object(value: JsonObject): JsonObject {
    const { type, data, blob } = value;
    if ((type === "image" || type === "audio") && this.#isHeldBy(data)) return { type: "text", text: LEFT_OUT };
    if (!this.#isHeldBy(blob)) return this.#members(value);
    const others = Object.entries(value).filter(([name]) => name !== "blob");
    return { ...this.#members(Object.fromEntries(others)), text: LEFT_OUT };
  }

  #isHeldBy(data: unknown): boolean {
    return typeof data === "string" && this.holds(readBase64(data));
  }

  #members(value: JsonObject): JsonObject {
    const entries = Object.entries(value).map(([name, member]) => [this.text(name), this.#value(member)] as const);
    return entries.some(([name, member]) => member !== value[name]) ? Object.fromEntries(entries) : value;
  }
}

interface JsonObject {
  readonly [name: string]: unknown;
}

/** All texts and numbers in values that are JSON, and the names of members. */
function* textsOf(values: readonly unknown[]): Generator<string> {
  const waiting: unknown[] = [...values];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") yield next;
    else if (typeof next === "number") yield String(next);
    else if (Array.isArray(next)) for (const item of next as unknown[]) waiting.push(item);
    else if (isObject(next)) for (const [name, member] of Object.entries(next)) waiting.push(name, member);
  }
}
