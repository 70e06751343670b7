import { describe, expect, test } from "vitest";
import { resolveReference } from "../../src/skills/references.ts";

const folder = "skill://acme/pdf";
const resource = (path: string) => ({ uri: `${folder}/${path}`, digest: "", size: 0 });
const skill = {
  uri: `${folder}/SKILL.md`,
  frontmatter: { name: "pdf", description: "d" },
  resources: ["SKILL.md", "references/FORMS.md", "a%20b(1).md", "nested/SKILL.md"].map(resource),
};
const dynamic = { ...skill, resources: "dynamic" } as const;

describe("relative references resolve against the folder of the skill, as paths do", () => {
  test.each([
    ["references/FORMS.md", "references/FORMS.md"],
    ["./references/FORMS.md", "references/FORMS.md"],
    ["references/../references//FORMS.md", "references/FORMS.md"],
    ["references/FORMS.md#a-heading", "references/FORMS.md"],
    ["a b(1).md", "a%20b(1).md"],
    ["a%20b(1).md", "a%20b(1).md"],
    ["a%20b%281%29.md", "a%20b(1).md"],
    ["SKILL.md", "SKILL.md"],
    [`${folder}/nested/SKILL.md`, "nested/SKILL.md"],
  ])("%s", (reference, path) => {
    expect(resolveReference(skill, reference)).toBe(`${folder}/${path}`);
  });

  test.each([
    ["data/today.csv", "data/today.csv"],
    ["a b.md", "a%20b.md"],
    ["100%.md", "100%25.md"],
    [`${folder}/x.md`, "x.md"],
  ])("also in a skill that does not say what its files are: %s", (reference, path) => {
    expect(resolveReference(dynamic, reference)).toBe(`${folder}/${path}`);
  });
});

describe("what is no file of the skill is refused", () => {
  const elsewhere = [
    "",
    ".",
    "..",
    "../other/SKILL.md",
    "references/../../other/SKILL.md",
    "%2e%2e/other/SKILL.md",
    "..%2fother/SKILL.md",
    "/etc/passwd",
    "file:///etc/passwd",
    "https://example.com/x",
    "skill://other/SKILL.md",
    "skill://acme/pdf-2/SKILL.md",
    `${folder}/../other/SKILL.md`,
    folder,
    "javascript:alert(1)",
  ];

  test.each([...elsewhere, "references", "references/NEW.md", "skill.md"])("%j", (reference) => {
    expect(() => resolveReference(skill, reference)).toThrow(
      expect.objectContaining({ name: "SkillError", code: "UNLISTED_FILE", uri: reference }),
    );
  });

  test.each([...elsewhere, "a\\b", "a\u0000b"])("nor is it read from a dynamic skill: %j", (reference) => {
    expect(() => resolveReference(dynamic, reference)).toThrow(expect.objectContaining({ code: "UNLISTED_FILE" }));
  });
});
