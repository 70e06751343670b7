import type { Engine } from "../engine/engine.ts";
import type { Names } from "../engine/names.ts";
import { writePublished } from "./wire.ts";

/** How long the sign of a node is kept that is not refreshed any more, and how often it is refreshed. In milliseconds. */
const SIGN_TTL = 15_000;
const REFRESH = 5000;

/** How long others are told that a node has ended. */
const GONE_TTL = 60_000;

/** After how many pulses without anything a node asks whether it still hears. */
const QUIET_PULSES = 4;

const PING = writePublished({ type: "ping" });

/** What a pulse does besides. */
export interface PulseOptions {
  readonly node: string;
  /** Milliseconds between two pulses. */
  readonly interval: number;
  /** Reads the log of changes. */
  catchUp(): void;
  /** What this node has published for itself has not arrived. */
  fellSilent(): void;
}

/**
 * What a node does again and again: it shows that it is there, looks for changes of which it was not told, and finds out whether it still
 * hears what is published. A subscriber can stay connected to a server of Redis that gets nothing any more.
 */
export class Pulse {
  readonly #engine: Engine;
  readonly #names: Names;
  readonly #options: PulseOptions;
  #timer: ReturnType<typeof setInterval> | undefined;
  #refreshed = -Infinity;
  #heard = performance.now();
  /** When this node has asked whether it still hears, and has heard nothing since. */
  #asked: number | undefined;

  constructor(engine: Engine, names: Names, options: PulseOptions) {
    this.#engine = engine;
    this.#names = names;
    this.#options = options;
  }

  /** Shows for the first time that the node is there. */
  async start(): Promise<void> {
    await this.#refresh();
    this.#timer = setInterval(() => this.#beat(), this.#options.interval);
    this.#timer.unref();
  }

  /** Something has arrived. */
  heard(): void {
    this.#heard = performance.now();
    if (this.#asked === undefined) return;
    this.#asked = undefined;
    // It hears again: whatever was published before may have been lost.
    this.#options.catchUp();
  }

  /** Asks whether this node still hears. */
  ping(): void {
    this.#asked ??= performance.now();
    const inbox = this.#names.inbox(this.#options.node);
    this.#engine.call(inbox, ["PUBLISH", inbox, PING]).catch(() => {
      // Asked again when the engine is back.
      this.#asked = undefined;
    });
  }

  /** The engine is back, and may have forgotten this node. */
  recovered(): void {
    this.#refresh().catch(() => {});
    this.#asked = undefined;
    this.ping();
    this.#options.catchUp();
  }

  /** Tells the others that this node has ended. */
  async end(farewell: string): Promise<void> {
    clearInterval(this.#timer);
    const key = this.#names.node(this.#options.node);
    const { all } = this.#names;
    await Promise.allSettled([
      this.#engine.call(key, ["SET", key, "gone", "PX", String(GONE_TTL)]),
      this.#engine.call(all, ["PUBLISH", all, farewell]),
    ]);
  }

  #beat(): void {
    if (!this.#engine.isUp) return;
    const now = performance.now();
    const { interval } = this.#options;
    if (now - this.#refreshed >= REFRESH) this.#refresh().catch(() => {});
    if (this.#asked !== undefined && now - this.#asked >= interval) {
      this.#asked = undefined;
      this.#heard = now;
      this.#options.fellSilent();
    } else if (now - this.#heard >= interval * QUIET_PULSES) {
      this.ping();
    }
    this.#options.catchUp();
  }

  async #refresh(): Promise<void> {
    const key = this.#names.node(this.#options.node);
    await this.#engine.call(key, ["SET", key, "here", "PX", String(SIGN_TTL)]);
    this.#refreshed = performance.now();
  }
}
