import { Subscriber } from "../bus/subscriber.ts";
import type { Link } from "../client/client.ts";
import type { Engine } from "../engine/engine.ts";
import { digestOf, type TaskNames } from "./names.ts";

/** What processes publish to each other: `c` a task has changed, `d` one is due, `p` a process finds out whether it hears. */
const CHANGED = /^c([a-z0-9]+) ([\w-]{22})$/;

/** What hints need to know. */
export interface HintOptions {
  /** Tells this process from others. */
  readonly node: string;
  /** How often to make sure that what others publish still arrives, in milliseconds. */
  readonly pingInterval: number;
}

/**
 * Tells processes of tasks that have changed or are due, so that they need not wait until they look for themselves. Any hint may be lost,
 * and none is the truth about a task.
 */
export class TaskHints {
  readonly #engine: Engine;
  readonly #channel: string;
  readonly #node: string;
  readonly #pingInterval: number;
  readonly #subscriber: Subscriber;
  /** By the digest of the id. */
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #workers = new Set<(id: string) => void>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #hasHeard = true;
  #hasAsked = false;

  constructor(link: Link, engine: Engine, { channel }: TaskNames, { node, pingInterval }: HintOptions) {
    this.#engine = engine;
    this.#channel = channel;
    this.#node = node;
    this.#pingInterval = pingInterval;
    this.#subscriber = new Subscriber(link, [channel], {
      hear: (message) => this.#hear(message),
      resumed: () => this.#tellAll(),
    });
  }

  /** Begins to hear. */
  async open(): Promise<void> {
    await this.#subscriber.open();
    this.#timer = setInterval(() => this.#check(), this.#pingInterval);
    this.#timer.unref();
  }

  /** Calls back when a task may have changed. */
  watch(id: string, changed: () => void): () => void {
    const digest = digestOf(id);
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

  /** What a script publishes when this process has changed a task. */
  changeOf(digest: string): string {
    return `c${this.#node} ${digest}`;
  }

  /** Tells this process at once of a change of its own. What it hears of it later is ignored. */
  changed(digest: string): void {
    for (const changed of this.#watchers.get(digest) ?? []) changed();
  }

  /** Tells all processes, this one included, that a task is due. */
  async wake(id: string): Promise<void> {
    await this.#publish(`d${id}`);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watchers.clear();
    this.#workers.clear();
    this.#subscriber.close();
  }

  #hear(message: string): void {
    this.#hasHeard = true;
    this.#hasAsked = false;
    const [, node, digest = ""] = CHANGED.exec(message) ?? [];
    if (node !== undefined) {
      if (node !== this.#node) this.changed(digest);
    } else if (message.startsWith("d")) {
      for (const due of this.#workers) due(message.slice(1));
    }
  }

  /** Hints may have been lost. */
  #tellAll(): void {
    for (const digest of this.#watchers.keys()) this.changed(digest);
  }

  /** A connection can be open and bring nothing any more: after silence, this process publishes a word for itself. */
  #check(): void {
    if (!this.#engine.isUp || this.#hasHeard) {
      this.#hasHeard = false;
      this.#hasAsked = false;
    } else if (this.#hasAsked) {
      this.#hasAsked = false;
      this.#subscriber.replace();
    } else {
      this.#hasAsked = true;
      this.#publish(`p${this.#node}`).catch(() => {
        this.#hasAsked = false;
      });
    }
  }

  async #publish(message: string): Promise<void> {
    await this.#engine.call(this.#channel, ["PUBLISH", this.#channel, message]);
  }
}
