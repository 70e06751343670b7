/** How much memory an idle connection may keep for its next frame. */
const KEPT_BYTES = 64 * 1024;

const EMPTY = /* @__PURE__ */ new Uint8Array(0);

/**
 * The bytes of a frame whose end has not arrived yet, in one growing buffer. It doubles when full: a frame that
 * comes in one byte at a time costs linear time, and never more than twice its size, where a list of chunks would
 * cost an object for each byte. Chunks are copied, so that their owner may reuse them.
 */
export class PendingBytes {
  #bytes: Uint8Array = EMPTY;
  #length = 0;

  /** How many bytes are pending. */
  get length(): number {
    return this.#length;
  }

  /** Adds `source[start..end)`. */
  append(source: Uint8Array, start: number, end: number): void {
    const length = this.#length + (end - start);
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(length, this.#bytes.length * 2, 1024));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(source.subarray(start, end), this.#length);
    this.#length = length;
  }

  /** Empties this, and returns what was in it; valid until the next `append`. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length);
    this.clear();
    return taken;
  }

  /** Forgets everything, and returns memory beyond what the next frame probably needs. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = EMPTY;
  }
}
