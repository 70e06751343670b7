import type { HttpBackend } from "./backend.ts";

const NO_BYTES = new Uint8Array();

/** The bytes of a response body that is read as a whole. */
export class ResponseBody {
  size = 0;
  /** The first chunk, which often is the only one, or a buffer that holds all chunks. */
  #bytes: Uint8Array = NO_BYTES;

  /** Copies chunks into one buffer: an array of one-byte chunks would take two hundred times their size. */
  add(bytes: Uint8Array): void {
    const start = this.size;
    this.size += bytes.length;
    if (start === 0) {
      this.#bytes = bytes;
      return;
    }
    if (this.size > this.#bytes.length) {
      const grown = new Uint8Array(this.size * 2);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, start);
  }

  /** The text of the body, without a byte order mark. */
  text(decode: HttpBackend["decode"]): string {
    if (decode === undefined) return new TextDecoder().decode(this.#bytes.subarray(0, this.size));
    const text = decode(this.#bytes, 0, this.size);
    // `TextDecoder` leaves out a byte order mark, so every other decoder has to.
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
}
