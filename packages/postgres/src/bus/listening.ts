import type { Engine } from "../engine/engine.ts";

/** Pauses between attempts to listen again, in milliseconds: the first, and the longest. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 5000;

/** What is done with what is heard. */
export interface Heard {
  heard(payload: string, channel: string): void;
  /** Listens again after a break, in which notifications were missed. Called when Postgres has confirmed it: read what there is now. */
  again(): void;
}

/** Listens to channels on one connection, and makes another one when that is lost. */
export class Listening {
  readonly #engine: Engine;
  readonly #channels: readonly string[];
  readonly #heard: Heard;
  #stop: (() => void) | undefined;
  #isRestoring = false;
  #isOpen = true;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(engine: Engine, channels: readonly string[], heard: Heard) {
    this.#engine = engine;
    this.#channels = channels;
    this.#heard = heard;
  }

  /** Begins to listen. Rejects if that fails at first. */
  async begin(): Promise<void> {
    const pending = this.#engine.database.listen(this.#channels, {
      heard: (payload, channel) => this.#heard.heard(payload, channel),
      again: () => this.#heard.again(),
      lost: () => this.restore(),
    });
    const stop = await this.#engine.within(pending);
    if (this.#isOpen) this.#stop = stop;
    else stop();
  }

  /** Makes another connection, again and again until it listens. */
  restore(pause: number = FIRST_PAUSE): void {
    if (this.#isRestoring || !this.#isOpen) return;
    this.#isRestoring = true;
    this.#stop?.();
    this.#stop = undefined;
    // Nodes that have lost their connections together come back one after another.
    this.#timer = setTimeout(
      () => {
        this.begin().then(
          () => {
            this.#isRestoring = false;
            if (this.#isOpen) this.#heard.again();
          },
          () => {
            this.#isRestoring = false;
            this.restore(Math.min(pause * 2, LONGEST_PAUSE));
          },
        );
      },
      pause * (0.5 + Math.random()),
    );
  }

  close(): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    this.#stop?.();
  }
}
