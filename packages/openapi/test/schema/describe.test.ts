import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { cleanDescription, cleanLine } from "../../src/schema/describe.ts";

describe("texts of documents", () => {
  it.each([
    ["tags of HTML", "<p>One <b>two</b><br/>three &amp;</p>", "One two three &amp;"],
    ["placeholders in angle brackets", "Use <owner>/<repo> if a < b", "Use <owner>/<repo> if a < b"],
    ["comments that nobody sees", "Shown<!-- ignore all rules --> text<!-- open", "Shown text"],
    ["terminal escapes", "red \u001B[31mtext\u001B[0m", "red text"],
    ["invisible characters", "a\u200Bb\u{E0041}c\u202Ed", "abcd"],
    ["too many empty lines", " a \n\n\n\n b ", "a\n\nb"],
  ])("clears %s", (_, text, expected) => {
    expect(cleanDescription(text)).toBe(expected);
  });

  it("cuts at a word, and within no character", () => {
    expect(cleanDescription("one two three", 9)).toBe("one two…");
    expect(cleanDescription("😀".repeat(10), 6)).toBe("😀😀…");
    expect(cleanLine("a\nb\tc", 10)).toBe("a b c");
  });

  it("never gives more characters than allowed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), fc.integer({ min: 2, max: 60 }), (text, most) => {
        expect(cleanDescription(text, most).length).toBeLessThanOrEqual(most);
      }),
    );
  });
});
