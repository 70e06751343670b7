import { expect, test } from "vitest";
import { digestOf, isSkillName } from "../../src/skills/index.ts";

test("digestOf() writes the SHA-256 of bytes as the skills extension does", async () => {
  expect(await digestOf(new TextEncoder().encode("abc"))).toBe(
    "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});

test.each(["pdf", "pdf-2-text", "0", "a".repeat(64)])("%s can be the name of a skill", (name) => {
  expect(isSkillName(name)).toBe(true);
});

test.each(["", "-a", "a-", "a--b", "PDF", "a_b", "a.b", "a/b", "ä", "a\n", "a".repeat(65)])(
  "%j cannot be the name of a skill",
  (name) => {
    expect(isSkillName(name)).toBe(false);
  },
);
