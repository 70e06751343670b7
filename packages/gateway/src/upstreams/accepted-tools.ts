import { fingerprintTools, type PinStore, type Tool } from "@toolwire/client";

/**
 * Flags tools that have changed since somebody accepted them. A server can show harmless tools when it is added, and others later
 * ("rug pull"). The first list is accepted as it is.
 */
export class ToolChanges {
  readonly #store: PinStore | undefined;
  readonly #failed: (error: unknown) => void;
  #accepted: Map<string, string> | undefined;
  #loading: Promise<void> | undefined;
  /** The tools as they were listed last, by name. */
  #current: ReadonlyMap<string, string> = new Map();
  #changed: ReadonlySet<string> = new Set();
  /** Lists are compared one after the other, in the order in which they came. */
  #looking: Promise<void> = Promise.resolve();

  constructor(store: PinStore | undefined, failed: (error: unknown) => void) {
    this.#store = store;
    this.#failed = failed;
  }

  /** The names of tools that are new or different. */
  get names(): readonly string[] {
    return [...this.#changed];
  }

  has(tool: string): boolean {
    return this.#changed.has(tool);
  }

  /**
   * Compares a list with what was accepted. Rejects if that cannot be read: then nothing is accepted, and the next list is compared
   * with what can be read by then.
   */
  look(tools: readonly Tool[]): Promise<void> {
    const look = (): Promise<void> => this.#lookAt(tools);
    return (this.#looking = this.#looking.then(look, look));
  }

  async #lookAt(tools: readonly Tool[]): Promise<void> {
    this.#current = new Map(Object.entries(await fingerprintTools(tools)));
    try {
      await (this.#loading ??= this.#load());
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
    if (this.#accepted === undefined) this.accept();
    else this.#compare(this.#accepted);
  }

  /** Accepts the tools as they are now. */
  accept(): void {
    this.#accepted = new Map(this.#current);
    this.#changed = new Set();
    // Failures of the store must not end a call; the operator is told.
    const save = async (): Promise<void> => this.#store?.save(Object.fromEntries(this.#current));
    save().catch(this.#failed);
  }

  #compare(accepted: ReadonlyMap<string, string>): void {
    const changed = [...this.#current].filter(([name, fingerprint]) => accepted.get(name) !== fingerprint);
    this.#changed = new Set(changed.map(([name]) => name));
  }

  async #load(): Promise<void> {
    const stored = await this.#store?.load();
    if (stored !== undefined) this.#accepted = new Map(Object.entries(stored));
  }
}
