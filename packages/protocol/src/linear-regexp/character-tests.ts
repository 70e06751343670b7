import type { CharacterTest } from "./tree.ts";

const ASCII_SIZE = 128;
const UNKNOWN = 0;
const MATCHES = 1;
const FAILS = 2;

/** Tests for exactly this code point. */
export function testLiteral(expected: number): CharacterTest {
  return (codePoint) => codePoint === expected;
}

/** Tests for what a class such as `[^a-z]`, `\d`, `\p{L}` or `.` stands for, and remembers the answers for ASCII. */
export function testClass(source: string, flags: string): CharacterTest {
  const single = new RegExp(`^${source}$`, flags);
  const ascii = new Uint8Array(ASCII_SIZE);
  return (codePoint) => {
    if (codePoint >= ASCII_SIZE) return testOne(String.fromCodePoint(codePoint));
    if (ascii[codePoint] === UNKNOWN) ascii[codePoint] = single.test(String.fromCodePoint(codePoint)) ? MATCHES : FAILS;
    return ascii[codePoint] === MATCHES;
  };

  /** Without the flag `u`, the platform takes a character beyond U+FFFF for two, and a class for one of them. */
  function testOne(character: string): boolean {
    return single.test(character) || (flags === "" && character.length > 1 && single.test(character.charAt(0)));
  }
}
