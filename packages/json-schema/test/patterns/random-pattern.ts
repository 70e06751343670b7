import fc from "fast-check";

/** Patterns over a small alphabet, so that random texts have a fair chance to match. */
export const RANDOM_PATTERN: fc.Arbitrary<string> = fc.letrec<{
  choice: string;
  sequence: string;
  quantified: string;
  atom: string;
}>((tie) => ({
  choice: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie("sequence"),
    fc.array(tie("sequence"), { minLength: 2, maxLength: 3 }).map((options) => options.join("|")),
  ),
  sequence: fc.array(tie("quantified"), { maxLength: 4 }).map((parts) => parts.join("")),
  quantified: fc.oneof(
    { arbitrary: tie("atom"), weight: 3 },
    fc
      .tuple(tie("atom"), fc.constantFrom("*", "+", "?", "{2}", "{1,}", "{0,2}", "{1,3}", "*?", "+?", "{1,2}?"))
      .filter(([atom]) => !/^(?:\^|\$|\\[bB]|\(\?[<=!])/.test(atom))
      .map((parts) => parts.join("")),
  ),
  atom: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(
      "a",
      "b",
      "é",
      "😀",
      ".",
      "\\d",
      "\\W",
      "\\s",
      "[ab]",
      "[^a]",
      "[a-z0-9😀]",
      "\\u{1F600}",
      "\\p{L}",
    ),
    fc.constantFrom("a", "b", "1", "^", "$", "\\b", "\\B", "\\.", "\\x61", "\\ud83d\\ude00", "[\\]\\-]", "\\n"),
    tie("choice").map((body) => `(${body})`),
    tie("choice").map((body) => `(?:${body})`),
    fc.tuple(fc.constantFrom("(?=", "(?!", "(?<=", "(?<!"), tie("choice")).map(([open, body]) => `${open}${body})`),
  ),
})).choice;
