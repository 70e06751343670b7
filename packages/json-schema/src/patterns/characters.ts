import type { CharacterTest } from "./tree.ts";

/** The characters that a part of a pattern can match, as far as they are known without asking the platform's engine. */
export interface CharacterSet {
  /** A bit for each character of ASCII. */
  readonly ascii: bigint;
  /** Whether characters beyond ASCII may be among them. The set does not say which ones. */
  readonly hasOthers: boolean;
}

const ALL_ASCII = (1n << 128n) - 1n;

/** Anything at all, so that it overlaps with every other set. */
const UNKNOWN: CharacterSet = { ascii: ALL_ASCII, hasOthers: true };

const DIGITS = rangeOf("0", "9");
const WORD = DIGITS | rangeOf("A", "Z") | rangeOf("a", "z") | bitOf("_");
const SPACE = rangeOf("\t", "\r") | bitOf(" ");
const LINE_END = bitOf("\n") | bitOf("\r");

/** Sets of the escapes whose letter is not the character itself, such as `\d` and `\n`. */
const ESCAPES: Readonly<Record<string, CharacterSet>> = {
  d: { ascii: DIGITS, hasOthers: false },
  D: { ascii: ALL_ASCII & ~DIGITS, hasOthers: true },
  w: { ascii: WORD, hasOthers: false },
  W: { ascii: ALL_ASCII & ~WORD, hasOthers: true },
  s: { ascii: SPACE, hasOthers: true },
  S: { ascii: ALL_ASCII & ~SPACE, hasOthers: true },
  t: { ascii: bitOf("\t"), hasOthers: false },
  n: { ascii: bitOf("\n"), hasOthers: false },
  v: { ascii: bitOf("\v"), hasOthers: false },
  f: { ascii: bitOf("\f"), hasOthers: false },
  r: { ascii: bitOf("\r"), hasOthers: false },
};

/** A class of plain characters, ranges of these, escaped signs and the escapes above. Other classes count as unknown. */
const SIMPLE_CLASS = /^\[(\^?)((?:\\[dDwWsStnvfr!-/:-@[-^{-~]|[^\\])*)\]$/;
const MEMBER = /(\\?[^])(?:-(\\?[^]))?/g;

/** The set of this code point alone. */
export function setOfLiteral(codePoint: number): CharacterSet {
  return codePoint < 128 ? { ascii: 1n << BigInt(codePoint), hasOthers: false } : { ascii: 0n, hasOthers: true };
}

/** The set that the source of a class (`[^a-z]`, `\d`, `.`) stands for. Errs on the side of too many characters. */
export function setOfClass(source: string): CharacterSet {
  if (source === ".") return { ascii: ALL_ASCII & ~LINE_END, hasOthers: true };
  if (source.startsWith("\\")) return source.length === 2 ? (ESCAPES[source.charAt(1)] ?? UNKNOWN) : UNKNOWN;
  const [, negation, members] = SIMPLE_CLASS.exec(source) ?? [];
  if (members === undefined) return UNKNOWN;
  let set: CharacterSet = { ascii: 0n, hasOthers: false };
  for (const [, first = "", last] of members.matchAll(MEMBER)) {
    set = unite(set, last === undefined ? setOfMember(first) : setOfRange(first, last));
  }
  // A negated class with an unknown part stays unknown: its complement would be too small.
  if (set === UNKNOWN || negation === "") return set;
  return { ascii: ALL_ASCII & ~set.ascii, hasOthers: true };
}

function setOfMember(member: string): CharacterSet {
  const escape = member.startsWith("\\") ? ESCAPES[member.charAt(1)] : undefined;
  return escape ?? setOfLiteral(member.charCodeAt(member.length - 1));
}

function setOfRange(first: string, last: string): CharacterSet {
  // A hyphen next to an escape means different things under different flags.
  if (/^\\[a-z]/i.test(first) || /^\\[a-z]/i.test(last)) return UNKNOWN;
  const end = last.slice(-1);
  return { ascii: rangeOf(first.slice(-1), end), hasOthers: end > "\x7f" };
}

/** Whether there may be a character in both sets. */
export function areOverlapping(one: CharacterSet, other: CharacterSet): boolean {
  return (one.ascii & other.ascii) !== 0n || (one.hasOthers && other.hasOthers);
}

/** The characters of both sets. */
export function unite(one: CharacterSet, other: CharacterSet): CharacterSet {
  if (one === UNKNOWN || other === UNKNOWN) return UNKNOWN;
  return { ascii: one.ascii | other.ascii, hasOthers: one.hasOthers || other.hasOthers };
}

function bitOf(character: string): bigint {
  return rangeOf(character, character);
}

function rangeOf(first: string, last: string): bigint {
  const [start, end] = [first.charCodeAt(0), Math.min(last.charCodeAt(0), 127)];
  return start > end ? 0n : ((1n << BigInt(end - start + 1)) - 1n) << BigInt(start);
}

const ASCII_SIZE = 128;
const UNTESTED = 0;
const MATCHES = 1;
const FAILS = 2;

/** Tests for exactly this code point. */
export function testLiteral(expected: number): CharacterTest {
  return (codePoint) => codePoint === expected;
}

/** Tests for a class such as `[^a-z]`, `\d`, `\p{L}` or `.`, and remembers the answers for ASCII. */
export function testClass(source: string, flags: string): CharacterTest {
  const single = new RegExp(`^${source}$`, flags);
  const ascii = new Uint8Array(ASCII_SIZE);
  return (codePoint) => {
    if (codePoint >= ASCII_SIZE) return testOne(String.fromCodePoint(codePoint));
    if (ascii[codePoint] === UNTESTED) {
      ascii[codePoint] = single.test(String.fromCodePoint(codePoint)) ? MATCHES : FAILS;
    }
    return ascii[codePoint] === MATCHES;
  };

  /** Without the flag `u`, the platform sees a character beyond U+FFFF as two, and a class matches one of them. */
  function testOne(character: string): boolean {
    return single.test(character) || (flags === "" && character.length > 1 && single.test(character.charAt(0)));
  }
}
