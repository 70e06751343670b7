import { expect, test } from "vitest";
import { flatten, makeHostileTexts } from "../../../../test/hostile-texts.ts";
import { findExcess, findFirstExcess } from "../../../../test/linear-growth.ts";
import { createClearing, SecretSet } from "../../src/secrets/index.ts";

/** Secrets that repeat themselves, and one that does not. */
const SECRETS = ["a".repeat(16_384), `${"ab".repeat(4000)}c`, "aaaaaaaab", "sk_live_4eC39HqLyjWDarjtT1zdp7dc"];

/** More than are looked for one by one. */
function manySecrets(): SecretSet {
  const set = new SecretSet();
  for (const secret of SECRETS) set.add(secret);
  for (let index = 0; index < 100; index += 1) set.add(`sk_live_${index}_${"a".repeat(index)}`);
  return set;
}

const few = createClearing(SECRETS);
const many = manySecrets();

test("Taking secrets out of a hostile text takes time in proportion to its length", () => {
  for (const example of ["%4", "&#6", "\\u", "=4", "Y", "6"]) {
    expect(findFirstExcess(makeHostileTexts(example), (text) => many.clear(text))).toBeUndefined();
  }
}, 120_000);

test("A text full of a secret that repeats itself is cleared in time in proportion to its length", () => {
  const texts = (unit: string) => (length: number) => flatten(unit.repeat(Math.ceil(length / unit.length)));
  for (const unit of ["a", "ab", "aaaaaaaab", `${"a".repeat(16_383)}b`, "YWFh", "6161"]) {
    expect(findExcess(texts(unit), (text) => few.text(text))).toBeUndefined();
    expect(findExcess(texts(unit), (text) => many.clear(text))).toBeUndefined();
  }
});

test("Adding and removing secrets takes time in proportion to their number, also if they begin alike", () => {
  const make = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => flatten(`sk_live_common_${"x".repeat(40)}_${index}_${index * 7}`));
  const work = (secrets: readonly string[]): void => {
    const set = new SecretSet();
    const ends = secrets.map((secret) => set.add(secret));
    set.clear("sk_live_common_ in a short text that has none of them, but is longer than the shortest one");
    for (const end of ends) end();
  };
  expect(findExcess(make, work, 16_384)).toBeUndefined();
});
