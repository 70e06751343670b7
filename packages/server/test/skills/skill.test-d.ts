import { expectTypeOf, test } from "vitest";
import { skill, type FixedSkill, type GeneratedSkill } from "../../src/skills/index.ts";

const frontmatter = { name: "pdf", description: "Fill in forms", metadata: { version: "1" } };
const pdf = skill({ frontmatter, body: "# PDF" });

test("skill() tells a skill with digests from one that is made for each reader", () => {
  expectTypeOf(pdf).toEqualTypeOf<FixedSkill>();
  expectTypeOf(skill({ frontmatter, body: (ctx) => ctx.revision })).toEqualTypeOf<GeneratedSkill>();
  // @ts-expect-error -- a description is needed
  skill({ frontmatter: { name: "pdf" }, body: "" });
  // @ts-expect-error -- files are made for each reader, or none is
  skill({ frontmatter, body: "", files: () => ({}) });
});
