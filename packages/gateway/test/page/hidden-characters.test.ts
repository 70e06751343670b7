import { expect, test } from "vitest";
import { showHidden } from "../../page/src/format/hidden-characters.ts";

test("Characters that people do not see are shown by their numbers", () => {
  expect(showHidden("a\u202Eb\u0000\u200Bc\u{E0041}")).toBe("a⟦U+202E⟧b⟦U+0000⟧⟦U+200B⟧c⟦U+E0041⟧");
  expect(showHidden("soft\u00ADhyphen\uFEFF\u2066x\u3164")).toBe("soft⟦U+00AD⟧hyphen⟦U+FEFF⟧⟦U+2066⟧x⟦U+3164⟧");
});

test("Texts of all languages, line breaks and emoji stay as they are", () => {
  for (const text of ["Grüße, 日本語, עברית, العربية", "two\nlines\tand a tab\r\n", "👩‍🚀 می‌خواهم", "⟦x⟧"]) {
    expect(showHidden(text)).toBe(text);
  }
});
