/** A part of a text that may be bytes in hexadecimal or base64. */
export interface EncodedRun {
  readonly from: number;
  readonly to: number;
  /** What the bytes may be. It is not known which of these is meant. */
  readonly texts: Iterable<string>;
}

/** Finds the parts of a text that may be the bytes of a text with `shortest` characters or more, in hexadecimal or base64. */
export function* encodedRuns(text: string, shortest: number): Generator<EncodedRun> {
  const shortestBase64 = Math.ceil((shortest * 4) / 3);
  for (const found of runsOf(text, BASE64, shortestBase64)) {
    const [from, to] = trim(text, found, "\r\n");
    const run = text.slice(from, to).replaceAll(/[\r\n]+/g, "");
    if (run.length >= shortestBase64) yield { from, to, texts: textsOfBase64(run, shortest) };
  }
  for (const found of runsOf(text, HEX, 2 * shortest)) {
    const [from, to] = trim(text, found, SEPARATORS);
    const run = text.slice(from, to).replaceAll(/[ +:-]+/g, "");
    if (run.length >= 2 * shortest) yield { from, to, texts: textsOfHex(run, shortest) };
  }
}

/** What is written between the bytes of hexadecimal. */
const SEPARATORS = " +:-";

const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });
const UTF16 = ["utf-16le", "utf-16be"].map((name) => new TextDecoder(name, { ignoreBOM: true }));

/**
 * The texts of at least `shortest` characters that may be in bytes: UTF-8; and UTF-16, from the first byte or the second, as far as
 * it has characters of Latin-1 alone. Most bytes are no text, and most of them are not looked at twice.
 */
export function* textsOfBytes(bytes: Uint8Array, shortest: number): Generator<string> {
  yield* stretchesOf(UTF8.decode(bytes), CHARACTER, shortest);
  if (!bytes.includes(0)) return;
  for (const decoder of UTF16) {
    for (const from of [0, 1]) yield* stretchesOf(decoder.decode(bytes.subarray(from)), LATIN1, shortest);
  }
}

/** Everything but what takes the place of bytes that are no character. */
const CHARACTER = new Uint8Array(0x1_0000).fill(1);
CHARACTER[0xfffd] = 0;
const LATIN1 = new Uint8Array(256).fill(1);

function* stretchesOf(text: string, kind: Uint8Array, shortest: number): Generator<string> {
  for (const [from, to] of runsOf(text, kind, shortest)) yield text.slice(from, to);
}

/** The value of each character of both alphabets; 64 for others. */
const BASE64_VALUES = new Uint8Array(128).fill(64);
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
for (const [value, char] of Array.from(ALPHABET).entries()) {
  BASE64_VALUES[char.charCodeAt(0)] = value;
}
BASE64_VALUES["-".charCodeAt(0)] = 62;
BASE64_VALUES["_".charCodeAt(0)] = 63;

const BASE64 = kindOf(`${ALPHABET}-_\r\n`);
const HEX = kindOf(`0123456789abcdefABCDEF${SEPARATORS}`);

/** A table with 1 for each of these characters. */
function kindOf(characters: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const char of characters) table[char.charCodeAt(0)] = 1;
  return table;
}

/** Reads the bytes of base64, in either alphabet and without padding. */
export function readBase64(text: string, from = 0): Uint8Array {
  const bytes = new Uint8Array(Math.floor(((text.length - from) * 3) / 4));
  let bits = 0;
  let count = 0;
  let at = 0;
  for (let index = from; index < text.length && at < bytes.length; index += 1) {
    const value = BASE64_VALUES[text.charCodeAt(index)] ?? 64;
    if (value === 64) continue;
    bits = ((bits << 6) | value) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[at++] = bits >> count;
  }
  return bytes.subarray(0, at);
}

/** The base64 may begin with each of the first four characters: what is before it may look like base64, too. */
function* textsOfBase64(run: string, shortest: number): Generator<string> {
  for (const from of [0, 1, 2, 3]) yield* textsOfBytes(readBase64(run, from), shortest);
}

function* textsOfHex(run: string, shortest: number): Generator<string> {
  for (const from of [0, 1]) {
    const bytes = new Uint8Array((run.length - from) >> 1);
    for (let index = 0; index < bytes.length; index += 1) {
      const at = from + 2 * index;
      bytes[index] = (digitAt(run, at) << 4) | digitAt(run, at + 1);
    }
    yield* textsOfBytes(bytes, shortest);
  }
}

function digitAt(run: string, at: number): number {
  const unit = run.charCodeAt(at);
  return unit < 0x3a ? unit - 0x30 : (unit | 0x20) - 0x57;
}

/**
 * Finds the runs of at least `shortest` characters of one kind. It looks at the last character that such a run would have first, and
 * goes back from there: where runs are shorter, most characters are not looked at.
 */
function* runsOf(text: string, kind: Uint8Array, shortest: number): Generator<Place> {
  let from = 0;
  // The characters from `from` to `known` are of this kind.
  let known = 0;
  for (let probe = shortest - 1; probe < text.length; probe = from + shortest - 1) {
    let at = probe;
    while (at >= known && kind[text.charCodeAt(at)] === 1) at -= 1;
    if (at >= known) {
      from = at + 1;
      known = probe + 1;
      continue;
    }
    let to = probe + 1;
    while (to < text.length && kind[text.charCodeAt(to)] === 1) to += 1;
    yield [from, to];
    from = to;
    known = to;
  }
}

type Place = readonly [from: number, to: number];

/** Without what is between bytes or lines at the ends of a run. */
function trim(text: string, [from, to]: Place, separators: string): Place {
  let [start, end] = [from, to];
  while (start < end && separators.includes(text.charAt(start))) start += 1;
  while (end > start && separators.includes(text.charAt(end - 1))) end -= 1;
  return [start, end];
}
