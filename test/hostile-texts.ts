/** Texts of any length that try to make a parser or a regular expression go over the same characters again and again. */

/** The characters that the grammars we read give a meaning to, and some of other scripts. */
const CHARACTERS = "aA1é😀·\u200d\u30fb\u0300 \t\0\r\n%:;,.@/?#&=+-_~*$^|!\"'`\\<>()[]{}";

/** Pieces of the languages we read: names, addresses, URIs and their templates, regular expressions, header fields. */
const PIECES = [
  "-- a. a- 1. :: a@ %4 %41 %zz /~ ~0 // xn--a .xn--a- T1H 1Y 1W",
  "{a} {a, {. {a:1 {a*} http:// [::1] :80",
  "[a [^a] [a-z (a (?: (?=a (?<a (?<a> \\k<a> a* a+ a| {1, {1,2} \\1 \\p \\p{ \\P{L \\p{L} [\\p{L} \\u{ \\u{1} \\x4 \\c",
  ', ; ;q=0.1, q= =" \\" */*, a=b; =?base64? ?= data: id: \r\n \n\n',
];

const UNITS: readonly string[] = [...Array.from(CHARACTERS), ...PIECES.flatMap((line) => line.split(" "))];

/** A text that can be made in any length, with a name for messages. */
export type HostileText = readonly [title: string, make: (length: number) => string];

/** Repeats each unit in each place of each example; at its end, also with something behind it that fits nothing. */
export function* makeHostileTexts(...examples: readonly string[]): Generator<HostileText> {
  for (const example of examples) {
    for (let place = 0; place <= example.length; place++) {
      const [before, after] = [example.slice(0, place), example.slice(place)];
      for (const unit of UNITS) {
        for (const end of after === "" ? ["", "\0"] : [after]) {
          const title = [before, unit, end].map((part) => JSON.stringify(part)).join(" … ");
          yield [title, (length) => flatten(before + unit.repeat(Math.ceil(length / unit.length)) + end)];
        }
      }
    }
  }
}

/** Puts a string that the platform keeps in pieces together, so that its first reader does not pay for it. */
export function flatten(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
