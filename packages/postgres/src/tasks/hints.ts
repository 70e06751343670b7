import { Listening } from "../bus/listening.ts";
import { Seal } from "../bus/seal.ts";
import { type Engine, prepare } from "../engine/engine.ts";
import { digestOf } from "./digest.ts";

/** How many digits of a digest a notification has, and how many digests: it takes at most 7999 bytes. */
const DIGITS = 24;
const MAX_TOLD = 300;

/** What processes notify each other of: `c` tasks have changed, `a` any task may have, `d` one is due, `p` a process finds out whether it hears. */
const NOTIFICATION = /^([acp])([a-z0-9]+)((?: [0-9a-f]{24})*)$/;

const NOTIFY = prepare("select pg_notify($1::text, $2::text)::text as sent");

/** What hints need to know. */
export interface HintOptions {
  readonly schema: string;
  /** Tells this process from others. */
  readonly node: string;
  /** How often to make sure that what others notify of still arrives, in milliseconds. */
  readonly pingInterval: number;
}

/**
 * Tells processes of tasks that have changed or are due, so that they need not wait until they look for themselves. Any hint may be lost,
 * and none is the truth about a task.
 *
 * Changes are told apart from the statement that makes them, and as many at once as there are: a transaction that notifies holds a lock of
 * the whole instance of Postgres while it is committed, and those that write tasks wait for the disk there.
 */
export class TaskHints {
  readonly #engine: Engine;
  readonly #channel: string;
  readonly #node: string;
  readonly #pingInterval: number;
  readonly #listening: Listening;
  /** By the digest of the id. */
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #workers = new Set<(id: string) => void>();
  /** What others are not told of yet. */
  readonly #untold = new Set<string>();
  #isTelling = false;
  #seal: Seal | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #hasHeard = true;
  #hasAsked = false;

  constructor(engine: Engine, { schema, node, pingInterval }: HintOptions) {
    this.#engine = engine;
    this.#channel = `${schema}.tasks`;
    this.#node = node;
    this.#pingInterval = pingInterval;
    this.#listening = new Listening(engine, [this.#channel], {
      heard: (payload) => this.#hear(payload),
      again: () => this.#changedAny(),
    });
  }

  /** Begins to hear. `secret` seals ids, which are credentials if callers have none. */
  async open(secret: string): Promise<void> {
    this.#seal = new Seal(secret);
    await this.#listening.begin();
    this.#timer = setInterval(() => this.#check(), this.#pingInterval);
    this.#timer.unref();
  }

  /** Calls back when a task may have changed. */
  watch(id: string, changed: () => void): () => void {
    const digest = shorten(id);
    const watchers = this.#watchers.get(digest) ?? new Set();
    // Each call counts alone, even if several pass the same function.
    const own = (): void => changed();
    this.#watchers.set(digest, watchers.add(own));
    return () => {
      watchers.delete(own);
      if (watchers.size === 0 && this.#watchers.get(digest) === watchers) this.#watchers.delete(digest);
    };
  }

  /** Calls back when a task may be due. */
  onDue(due: (id: string) => void): () => void {
    const own = (id: string): void => due(id);
    this.#workers.add(own);
    return () => void this.#workers.delete(own);
  }

  /** Tells this process at once, and others soon, that this process has changed a task. */
  changed(id: string): void {
    const digest = shorten(id);
    this.#changedHere(digest);
    this.#untold.add(digest);
    if (this.#isTelling) return;
    this.#isTelling = true;
    void this.#tell().finally(() => {
      this.#isTelling = false;
    });
  }

  /** Tells all processes, this one included, that a task is due. */
  async wake(id: string): Promise<void> {
    const sealed = this.#seal?.close(id, this.#channel);
    if (sealed !== undefined) await this.#notify(`d${sealed}`);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watchers.clear();
    this.#workers.clear();
    this.#untold.clear();
    this.#listening.close();
  }

  async #tell(): Promise<void> {
    while (this.#untold.size > 0) {
      const digests = [...this.#untold];
      this.#untold.clear();
      const isTooMuch = digests.length > MAX_TOLD;
      const payload = isTooMuch ? `a${this.#node}` : ["c", this.#node, ...digests.map((each) => ` ${each}`)].join("");
      await this.#notify(payload).catch(() => {});
    }
  }

  #hear(payload: string): void {
    this.#hasHeard = true;
    this.#hasAsked = false;
    if (payload.startsWith("d")) {
      const id = this.#seal?.open(payload.slice(1), this.#channel);
      if (id !== undefined) for (const due of this.#workers) due(id);
      return;
    }
    const [, type, node, digests = ""] = NOTIFICATION.exec(payload) ?? [];
    if (type === undefined || node === this.#node) return;
    if (type === "a") this.#changedAny();
    else for (const digest of digests.split(" ").slice(1)) this.#changedHere(digest);
  }

  #changedHere(digest: string): void {
    for (const changed of this.#watchers.get(digest) ?? []) changed();
  }

  #changedAny(): void {
    for (const digest of this.#watchers.keys()) this.#changedHere(digest);
  }

  /** A connection can be open and bring nothing any more: after silence, this process notifies itself. */
  #check(): void {
    if (!this.#engine.isUp || this.#hasHeard) {
      this.#hasHeard = false;
      this.#hasAsked = false;
    } else if (this.#hasAsked) {
      this.#hasAsked = false;
      this.#listening.restore();
    } else {
      this.#hasAsked = true;
      this.#notify(`p${this.#node}`).catch(() => {
        this.#hasAsked = false;
      });
    }
  }

  async #notify(payload: string): Promise<void> {
    await this.#engine.run(NOTIFY, [this.#channel, payload]);
  }
}

function shorten(id: string): string {
  return digestOf(id).slice(0, DIGITS);
}
