/**
 * SHA-256 (FIPS 180-4) for names. The platform's own is asynchronous outside of Node, and an import is not. Names are short, so
 * speed does not matter.
 */

/** The first digits of the SHA-256 of a text, in hexadecimal: always the same for the same text. */
export function hashShort(text: string, digits = 6): string {
  return digest(new TextEncoder().encode(text))
    .map((word) => word.toString(16).padStart(8, "0"))
    .join("")
    .slice(0, digits);
}

/** The fractional parts of the cube roots of the first 64 primes, and of the square roots of the first 8. */
const [ROUND_CONSTANTS, INITIAL_STATE] = deriveConstants();

function deriveConstants(): [readonly number[], readonly number[]] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < 64; candidate += 1) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32);
  return [
    primes.map((prime) => fraction(Math.cbrt(prime))),
    primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))),
  ];
}

function digest(message: Uint8Array): number[] {
  const length = Math.ceil((message.length + 9) / 64) * 64;
  const padded = new Uint8Array(length);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(length - 4, message.length * 8);
  const state = [...INITIAL_STATE];
  for (let offset = 0; offset < length; offset += 64) compress(state, view, offset);
  return state;
}

function compress(state: number[], view: DataView, offset: number): void {
  const words = new Uint32Array(64);
  for (let index = 0; index < 16; index += 1) words[index] = view.getUint32(offset + index * 4);
  for (let index = 16; index < 64; index += 1) {
    const [before15, before2] = [words[index - 15]!, words[index - 2]!];
    const low = rotate(before15, 7) ^ rotate(before15, 18) ^ (before15 >>> 3);
    const high = rotate(before2, 17) ^ rotate(before2, 19) ^ (before2 >>> 10);
    words[index] = words[index - 16]! + low + words[index - 7]! + high;
  }
  let [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number];
  for (let index = 0; index < 64; index += 1) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const first = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + ROUND_CONSTANTS[index]! + words[index]!;
    const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + second) >>> 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index]! + word) >>> 0;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
