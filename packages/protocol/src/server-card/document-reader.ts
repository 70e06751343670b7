import { escapeUnprintable } from "../messages/quote.ts";
import { isObject } from "../model/json.ts";

/** A JSON object of a stranger. */
export type JsonRecord = { readonly [name: string]: unknown };

/** What a text has to be. */
export interface TextRule {
  readonly isRequired?: boolean;
  /** The least number of characters. */
  readonly min?: number;
  /** The greatest number of characters. */
  readonly max?: number;
}

/** The most problems that are reported of one document. */
const MAX_PROBLEMS = 20;

/** The most characters of a path that are shown: names in it come from a stranger. */
const LONGEST_PATH = 200;

/** Reads the members of a document, and writes down what is wrong with them. Absent members are `undefined`. */
export class DocumentReader {
  readonly #problems: string[] = [];
  readonly #maxMembers: number;

  /** `maxMembers`: the most members of one list or object. */
  constructor(maxMembers: number) {
    this.#maxMembers = maxMembers;
  }

  /** What is wrong, a sentence each. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Writes down a problem. */
  report(path: string, problem: string): void {
    const shown = escapeUnprintable(path.slice(0, LONGEST_PATH));
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(`\`${shown}\` ${problem}.`);
  }

  /** Reads a text. */
  text(from: JsonRecord, name: string, path: string, rule: TextRule = {}): string | undefined {
    const value = this.#member(from, name, path, rule);
    if (value === undefined) return undefined;
    const { min = 0, max = Infinity } = rule;
    // Characters count as in JSON Schema: a pair of surrogates is one.
    if (typeof value === "string" && value.length >= min && (value.length <= max || [...value].length <= max)) {
      return value;
    }
    const length = max === Infinity ? "" : ` of ${min} to ${max} characters`;
    this.report(join(path, name), `must be a text${length}`);
    return undefined;
  }

  /** Reads a URL with one of these schemes. */
  url(
    from: JsonRecord,
    name: string,
    path: string,
    schemes: readonly string[],
    rule: TextRule = {},
  ): string | undefined {
    const value = this.text(from, name, path, rule);
    if (value === undefined) return undefined;
    if (URL.canParse(value)) {
      const { protocol, username, password } = new URL(value);
      if (schemes.includes(protocol) && username === "" && password === "") return value;
    }
    this.report(join(path, name), `must be a URL with ${schemes.join(" or ")}, without a user name or a password`);
    return undefined;
  }

  /** Reads one of several texts. */
  choice<const T extends string>(
    from: JsonRecord,
    name: string,
    path: string,
    choices: readonly T[],
    rule: TextRule = {},
  ): T | undefined {
    const value = this.text(from, name, path, rule);
    if (value === undefined || choices.includes(value as T)) return value as T | undefined;
    this.report(join(path, name), `must be ${choices.map((choice) => JSON.stringify(choice)).join(" or ")}`);
    return undefined;
  }

  /** Reads a boolean. */
  flag(from: JsonRecord, name: string, path: string): boolean | undefined {
    const value = this.#member(from, name, path);
    if (value === undefined || typeof value === "boolean") return value;
    this.report(join(path, name), "must be true or false");
    return undefined;
  }

  /** Reads a list of texts. */
  texts(from: JsonRecord, name: string, path: string): readonly string[] | undefined {
    const values = this.#array(from, name, path);
    if (values === undefined || values.every((value) => typeof value === "string")) return values?.slice();
    this.report(join(path, name), "must be a list of texts");
    return undefined;
  }

  /** Reads a list of objects. */
  list<T>(
    from: JsonRecord,
    name: string,
    path: string,
    read: (given: JsonRecord, path: string) => T,
    rule: TextRule = {},
  ): readonly T[] | undefined {
    return this.#array(from, name, path, rule)?.flatMap((given, index) => {
      const at = `${join(path, name)}[${index}]`;
      if (isObject(given)) return [read(given, at)];
      this.report(at, "must be an object");
      return [];
    });
  }

  /** Reads an object. */
  object<T>(from: JsonRecord, name: string, path: string, read: (given: JsonRecord, path: string) => T): T | undefined {
    const value = this.#member(from, name, path);
    if (value === undefined) return undefined;
    if (isObject(value) && Object.keys(value).length <= this.#maxMembers) return read(value, join(path, name));
    this.report(join(path, name), `must be an object with at most ${this.#maxMembers} members`);
    return undefined;
  }

  /** Reads an object whose members are objects. Its names come from a stranger: `__proto__` is one like all others. */
  map<T>(
    from: JsonRecord,
    name: string,
    path: string,
    read: (given: JsonRecord, path: string) => T,
  ): { readonly [name: string]: T } | undefined {
    return this.object(from, name, path, (given, at) =>
      Object.fromEntries(
        Object.entries(given).flatMap(([key, value]): [string, T][] => {
          if (isObject(value)) return [[key, read(value, `${at}.${key}`)]];
          this.report(`${at}.${key}`, "must be an object");
          return [];
        }),
      ),
    );
  }

  #array(from: JsonRecord, name: string, path: string, rule?: TextRule): readonly unknown[] | undefined {
    const value = this.#member(from, name, path, rule);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.length <= this.#maxMembers) return value as readonly unknown[];
    this.report(join(path, name), `must be a list of at most ${this.#maxMembers}`);
    return undefined;
  }

  #member(from: JsonRecord, name: string, path: string, { isRequired = false }: TextRule = {}): unknown {
    const value = Object.hasOwn(from, name) ? from[name] : undefined;
    if (value === undefined && isRequired) this.report(join(path, name), "is missing");
    return value;
  }
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
