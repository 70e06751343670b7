import fc from "fast-check";
import { expect, test } from "vitest";
import { matchAny } from "../../src/upstreams/match-names.ts";

test("patterns match whole names, with a star for any characters", () => {
  const isDangerous = matchAny(["delete_*", "*_all", "drop", "a*b*c"]);
  for (const name of ["delete_", "delete_note", "remove_all", "drop", "abc", "axxbxxc", "abbc"]) {
    expect(isDangerous(name), name).toBe(true);
  }
  for (const name of ["undelete_x", "drop_", "ab", "acb", "all"]) expect(isDangerous(name), name).toBe(false);
  expect(matchAny([])("anything")).toBe(false);
});

test("patterns agree with regular expressions", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 12 });
  fc.assert(
    fc.property(text, text, (pattern, name) => {
      const expected = new RegExp(`^${pattern.split("*").join("[^]*")}$`).test(name);
      expect(matchAny([pattern])(name)).toBe(expected);
    }),
    { numRuns: 500 },
  );
});
