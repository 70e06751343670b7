/** How much of an output is kept for error messages, in characters. */
const TAIL_LENGTH = 4096;

/**
 * The end of what a program has written, in whole lines. A line whose beginning is gone is left out: a secret of which only
 * the end is left could not be recognised, and so not be cleared from an error message.
 */
export class OutputTail {
  #text = "";
  /** Whether the beginning of the first line is gone. */
  #isCut = false;

  /** The lines that are kept. The last one may not have ended yet. */
  get text(): string {
    return this.#text;
  }

  add(piece: string): void {
    const all = this.#text + piece;
    const kept = all.slice(-TAIL_LENGTH);
    // What was cut off may have ended with a whole line.
    if (kept.length < all.length) this.#isCut = all[all.length - kept.length - 1] !== "\n";
    const start = this.#isCut ? kept.indexOf("\n") + 1 : 0;
    this.#isCut &&= start === 0;
    this.#text = this.#isCut ? "" : kept.slice(start);
  }
}
