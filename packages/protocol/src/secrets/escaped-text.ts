/** A text without its escapes, and where each of its characters was. */
export interface UnescapedText {
  readonly text: string;
  /** The place of each character in the escaped text, and the length of that text at the end. */
  readonly starts: Uint32Array;
}

/** Reads the escape at a place. Returns 0 if there is none, else what {@link pack} makes of it. */
type ReadEscape = (text: string, at: number) => number;

/** The length of an escape fits into this many bits. */
const LENGTH_BITS = 5;
/** Stands for an escape that means nothing, such as the end of a line that goes on. */
const NOTHING = 0x11_0000;

/** Halves of surrogate pairs are replaced by one character each, so that places stay. No secret has such a half. */
const UTF16 = new TextDecoder("utf-16le", { ignoreBOM: true });

function pack(codePoint: number, length: number): number {
  return (codePoint << LENGTH_BITS) | length;
}

/**
 * The texts that come out if one kind of escapes is taken out of a text: percent-encoding, HTML, JSON and JavaScript,
 * quoted-printable. Those that have no such escape are left out.
 */
export function* unescapedTexts(text: string): Generator<UnescapedText> {
  for (const [mark, read] of ESCAPES) {
    if (!text.includes(mark)) continue;
    const unescaped = unescape(text, mark.charCodeAt(0), read);
    if (unescaped !== undefined) yield unescaped;
  }
}

function unescape(text: string, mark: number, read: ReadEscape): UnescapedText | undefined {
  const units = new Uint16Array(text.length);
  const starts = new Uint32Array(text.length + 1);
  let count = 0;
  let isChanged = false;
  for (let at = 0; at < text.length;) {
    const unit = text.charCodeAt(at);
    const escape = unit === mark ? read(text, at) : 0;
    if (escape === 0) {
      starts[count] = at;
      units[count++] = unit;
      at += 1;
      continue;
    }
    isChanged = true;
    const codePoint = escape >>> LENGTH_BITS;
    if (codePoint < 0x1_0000) {
      starts[count] = at;
      units[count++] = codePoint;
    } else if (codePoint !== NOTHING) {
      starts[count] = at;
      units[count++] = 0xd800 + ((codePoint - 0x1_0000) >> 10);
      starts[count] = at;
      units[count++] = 0xdc00 + (codePoint & 0x3ff);
    }
    at += escape & ((1 << LENGTH_BITS) - 1);
  }
  if (!isChanged) return undefined;
  starts[count] = text.length;
  return { text: UTF16.decode(units.subarray(0, count)), starts };
}

/** `%41`, and `%u0041` of the old `escape()`. */
function readPercent(text: string, at: number): number {
  const next = text.charCodeAt(at + 1) | 0x20;
  if (next !== 0x75) return readBytes(text, at);
  const unit = readDigits(text, at + 2, 4, 16);
  return unit === -1 ? 0 : pack(unit, 6);
}

/** `=41`, and `=` at the end of a line that goes on. */
function readQuotedPrintable(text: string, at: number): number {
  if (text[at + 1] === "\n") return pack(NOTHING, 2);
  if (text[at + 1] === "\r" && text[at + 2] === "\n") return pack(NOTHING, 3);
  return readBytes(text, at);
}

/** The bytes of one character in UTF-8, each a mark and two digits. A byte that is part of none is a character of Latin-1. */
function readBytes(text: string, at: number): number {
  const first = readDigits(text, at + 1, 2, 16);
  if (first === -1) return 0;
  const count = first < 0xc2 || first > 0xf4 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  let codePoint = count === 1 ? first : first & (0x7f >> count);
  let next = at + 3;
  for (let index = 1; index < count; index += 1) {
    // In quoted-printable, a line may end between two bytes.
    if (text.startsWith("=\r\n", next)) next += 3;
    else if (text.startsWith("=\n", next)) next += 2;
    const byte = text[next] === text[at] ? readDigits(text, next + 1, 2, 16) : -1;
    if (byte < 0x80 || byte > 0xbf) return pack(first, 3);
    codePoint = (codePoint << 6) | (byte & 0x3f);
    next += 3;
  }
  const isShortest = count < 3 || codePoint >= (count === 3 ? 0x800 : 0x1_0000);
  return isShortest && codePoint <= 0x10_ffff ? pack(codePoint, next - at) : pack(first, 3);
}

const SHORT_ESCAPES: { readonly [letter: string]: number } = { b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

/** `\n`, `\x41`, `\u0041`, `\u{41}`; a backslash before anything else means that itself. */
function readBackslash(text: string, at: number): number {
  const letter = text[at + 1];
  if (letter === undefined) return 0;
  if (letter === "x") {
    const unit = readDigits(text, at + 2, 2, 16);
    if (unit !== -1) return pack(unit, 4);
  } else if (letter === "u") {
    const unit = readDigits(text, at + 2, 4, 16);
    if (unit !== -1) return pack(unit, 6);
    const long = text[at + 2] === "{" ? readNumber(text, at + 3, 16, "}") : 0;
    if (long !== 0) return long + 3;
  }
  return pack(SHORT_ESCAPES[letter] ?? text.charCodeAt(at + 1), 2);
}

/** The names that HTML has for characters of ASCII, and for the blank that does not break. */
const NAMES: ReadonlyMap<string, number> = new Map(
  (
    "Tab:9 NewLine:10 excl:33 quot:34 QUOT:34 num:35 dollar:36 percnt:37 amp:38 AMP:38 apos:39 lpar:40 rpar:41 ast:42 midast:42 " +
    "plus:43 comma:44 period:46 sol:47 colon:58 semi:59 lt:60 LT:60 equals:61 gt:62 GT:62 quest:63 commat:64 lsqb:91 lbrack:91 " +
    "bsol:92 rsqb:93 rbrack:93 Hat:94 lowbar:95 UnderBar:95 grave:96 lcub:123 lbrace:123 verbar:124 vert:124 VerticalLine:124 " +
    "rcub:125 rbrace:125 nbsp:32"
  )
    .split(" ")
    .map((pair) => {
      const [name = "", codePoint] = pair.split(":");
      return [name, Number(codePoint)] as const;
    }),
);
const LONGEST_NAME = 12;

/** `&amp;`, `&#65;`, `&#x41;`. */
function readEntity(text: string, at: number): number {
  if (text[at + 1] === "#") {
    const isHex = text[at + 2] === "x" || text[at + 2] === "X";
    const digits = at + (isHex ? 3 : 2);
    const read = readNumber(text, digits, isHex ? 16 : 10, ";");
    return read === 0 ? 0 : read + digits - at;
  }
  const end = text.slice(at + 1, at + 2 + LONGEST_NAME).indexOf(";");
  const codePoint = end === -1 ? undefined : NAMES.get(text.slice(at + 1, at + 1 + end));
  return codePoint === undefined ? 0 : pack(codePoint, end + 2);
}

/** The most digits of a number: more than the largest character has. */
const MOST_DIGITS = 8;

/** A character by its number, up to and including a mark at its end. 0 if it is none. */
function readNumber(text: string, from: number, base: number, end: string): number {
  let codePoint = 0;
  let at = from;
  for (; at < from + MOST_DIGITS; at += 1) {
    const digit = readDigits(text, at, 1, base);
    if (digit === -1) break;
    codePoint = codePoint * base + digit;
  }
  if (at === from || text[at] !== end || codePoint > 0x10_ffff) return 0;
  return pack(codePoint, at + 1 - from);
}

/** The number that so many digits write; -1 if one of them is none. */
function readDigits(text: string, from: number, count: number, base: number): number {
  let value = 0;
  for (let at = from; at < from + count; at += 1) {
    const unit = text.charCodeAt(at);
    const letter = (unit | 0x20) - 0x57;
    const digit = unit >= 0x30 && unit <= 0x39 ? unit - 0x30 : letter >= 10 && letter <= 35 ? letter : base;
    // The text may be over: then the unit is NaN, and so is no digit.
    if (!(digit < base)) return -1;
    value = value * base + digit;
  }
  return value;
}

const ESCAPES: readonly (readonly [mark: string, read: ReadEscape])[] = [
  ["%", readPercent],
  ["&", readEntity],
  ["\\", readBackslash],
  ["=", readQuotedPrintable],
];
