import type { Tool } from "@toolwire/protocol";
import { fingerprintTool, type Fingerprints } from "./fingerprint.ts";

/** Keeps which tools of a server were approved. */
export interface PinStore {
  /** `undefined` if nothing was ever approved: the first list is then approved as it is. */
  load(): Fingerprints | undefined | Promise<Fingerprints | undefined>;
  save(approved: Fingerprints): void | Promise<void>;
}

/** A tool that is not as it was approved. */
export interface PinChange {
  /** The tool as the server describes it now. Its words are those of the server. */
  readonly tool: Tool;
  /** Its fingerprint, as it is kept if the tool is approved. */
  readonly fingerprint: string;
  /**
   * `changed`: the tool of this name was another one; `renamed`: it is what was approved under another name; `new`: nothing of this
   * name or form was approved.
   */
  readonly kind: "changed" | "renamed" | "new";
  /** The name under which it was approved, if it was renamed. */
  readonly formerName: string | undefined;
}

/** Decides about a change: `true` approves the tool as it is now. */
export type DecidePin = (change: PinChange) => boolean | Promise<boolean>;

/** A server may list any number of tools. More are not approved at once. */
const MAX_TOOLS = 10_000;

/** Among so many approved tools, one that was renamed is looked for. */
const MAX_FORMER_NAMES = 500;

/** Compares tools with those that were approved. */
export class PinnedTools {
  readonly #store: PinStore;
  readonly #decide: DecidePin;
  #loading: Promise<void> | undefined;
  #approved = new Map<string, string>();
  /** Whether nothing was ever approved, and the first list has not come to its end: what is seen is approved. */
  #isFirst = false;
  /** Whether the beginning of that list was seen. */
  #hasBegun = false;
  /** Decisions, so that nobody is asked twice about the same tool. */
  readonly #decisions = new Map<string, Promise<boolean>>();
  /** By the object of a listing, which stays the same as long as it is cached. */
  readonly #fingerprints = new WeakMap<Tool, Promise<string>>();

  constructor(store: PinStore, decide: DecidePin) {
    this.#store = store;
    this.#decide = decide;
  }

  /** Whether a tool is as it was approved. Rejects if that cannot be known. */
  async admits(tool: Tool): Promise<boolean> {
    await this.#load();
    const fingerprint = await this.#fingerprintOf(tool);
    const approved = this.#approved.get(tool.name);
    if (approved === fingerprint) return true;
    if (this.#isFirst && approved === undefined && this.#approved.size < MAX_TOOLS) {
      this.#approved.set(tool.name, fingerprint);
      return true;
    }
    return this.#ask(tool, fingerprint);
  }

  /** A page of the list was seen. The first list is kept when its last page was. */
  async sawPage(isFirstPage: boolean, isLastPage: boolean): Promise<void> {
    if (!this.#isFirst) return;
    if (isFirstPage) this.#hasBegun = true;
    if (!isLastPage || !this.#hasBegun) return;
    this.#isFirst = false;
    await this.#save();
  }

  /** Loads what was approved. A failure is not remembered, so that the next call tries again. */
  async #load(): Promise<void> {
    const load = async (): Promise<void> => {
      const stored = await this.#store.load();
      this.#isFirst = stored === undefined;
      this.#approved = new Map(Object.entries(stored ?? {}));
    };
    this.#loading ??= load();
    try {
      await this.#loading;
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }

  #save(): void | Promise<void> {
    return this.#store.save(Object.fromEntries(this.#approved));
  }

  #fingerprintOf(tool: Tool): Promise<string> {
    let known = this.#fingerprints.get(tool);
    if (known === undefined) this.#fingerprints.set(tool, (known = fingerprintTool(tool)));
    return known;
  }

  #ask(tool: Tool, fingerprint: string): Promise<boolean> {
    let decision = this.#decisions.get(fingerprint);
    if (decision !== undefined) return decision;
    // A full map is cleared, so that a server with ever new tools cannot fill the memory. The user is asked again.
    if (this.#decisions.size >= MAX_TOOLS) this.#decisions.clear();
    decision = this.#decideAbout(tool, fingerprint);
    this.#decisions.set(fingerprint, decision);
    // A failed question leaves no decision, so the next call asks again.
    decision.catch(() => this.#decisions.delete(fingerprint));
    return decision;
  }

  async #decideAbout(tool: Tool, fingerprint: string): Promise<boolean> {
    const formerName = await this.#findFormerName(tool);
    const isKnown = this.#approved.has(tool.name);
    const kind = formerName !== undefined ? "renamed" : isKnown ? "changed" : "new";
    // Only `true` approves, whatever a function without types returns.
    const decision: unknown = await this.#decide({ tool, fingerprint, kind, formerName });
    if (decision !== true) return false;
    this.#approved.set(tool.name, fingerprint);
    await this.#save();
    return true;
  }

  /** The name of an approved tool that was the same but for its name. */
  async #findFormerName(tool: Tool): Promise<string | undefined> {
    const candidates = [...this.#approved].filter(([name]) => name !== tool.name).slice(0, MAX_FORMER_NAMES);
    for (const [name, approved] of candidates) {
      if ((await fingerprintTool({ ...tool, name })) === approved) return name;
    }
    return undefined;
  }
}
