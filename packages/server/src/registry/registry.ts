import { isObject, describeKind } from "@toolwire/protocol/internal";
import { expectListingTexts } from "../define/check-options.ts";
import { UsageError } from "@toolwire/protocol";
import { checkName, inDefinition } from "../define/names.ts";
import { ListPages, type ListSettings } from "./pages.ts";

/** A registered definition. Its number is higher than that of all before it, so that cursors survive changes. */
export interface Entry {
  readonly name: string;
  readonly order: number;
  /** As clients see it. */
  readonly listing: object;
}

/**
 * Named definitions in the order in which they were added. Clients look them up by name, so this is a `Map`:
 * `constructor` is a name like any other.
 */
export abstract class Registry<Definition, Compiled extends Entry> {
  /** How everything is listed. */
  readonly settings: ListSettings;
  readonly pages: ListPages;
  /** The highest number given out so far. */
  lastOrder = 0;
  readonly #kind: string;
  readonly #entries = new Map<string, Compiled>();
  readonly #onChange: () => void;

  constructor(kind: "tool" | "resource" | "prompt", settings: ListSettings, onChange: () => void) {
    this.#kind = kind;
    this.settings = settings;
    this.pages = new ListPages({ method: `${kind}s/list`, member: `${kind}s` }, settings, () => this.listed());
    this.#onChange = onChange;
  }

  /** Makes a definition ready to be served. Throws a `UsageError` if it is invalid. */
  protected abstract compile(name: string, definition: Definition, order: number): Compiled;

  /** The entries that {@link pages} shows. */
  protected listed(): Iterable<Entry> {
    return this.#entries.values();
  }

  /** Updates further indexes of a registry, before subscribers are notified. */
  protected changed(_entry: Compiled, _isAdded: boolean): void {}

  /** Adds a definition and tells subscribers. Throws a `UsageError` if it is invalid, or the name is taken. */
  add(name: string, definition: Definition): void {
    checkName(this.#kind, name);
    if (this.#entries.has(name)) {
      throw new UsageError("DUPLICATE_NAME", `There is a ${this.#kind} "${name}" already: remove it, or rename this.`);
    }
    const entry = inDefinition(this.#kind, name, () => this.#prepare(name, definition));
    this.lastOrder = entry.order;
    this.#entries.set(name, entry);
    this.#announce(entry, true);
  }

  /** Removes a definition and tells subscribers. Requests in flight continue. Returns whether there was one. */
  remove(name: string): boolean {
    const entry = this.#entries.get(name);
    if (entry === undefined) return false;
    this.#entries.delete(name);
    this.#announce(entry, false);
    return true;
  }

  /** Whether there is a definition of this name. */
  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** All names, in order. */
  get names(): string[] {
    return [...this.#entries.keys()];
  }

  /** Whether there ever was a definition. */
  get wasUsed(): boolean {
    return this.lastOrder > 0;
  }

  find(name: string): Compiled | undefined {
    return this.#entries.get(name);
  }

  entries(): IterableIterator<Compiled> {
    return this.#entries.values();
  }

  #prepare(name: string, definition: Definition): Compiled {
    if (!isObject(definition)) {
      const given = describeKind(definition);
      throw new UsageError("INVALID_DEFINITION", `Make it with \`${this.#kind}({ … })\`: ${given} will not do.`);
    }
    const entry = this.compile(name, definition, this.lastOrder + 1);
    expectListingTexts(entry.listing);
    try {
      JSON.stringify(entry.listing);
    } catch (cause) {
      throw new UsageError("INVALID_DEFINITION", `It cannot be listed as JSON: ${(cause as Error).message}`, { cause });
    }
    return entry;
  }

  #announce(entry: Compiled, isAdded: boolean): void {
    this.pages.changed(entry);
    this.changed(entry, isAdded);
    this.#onChange();
  }
}
