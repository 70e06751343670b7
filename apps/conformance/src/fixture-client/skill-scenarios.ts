import type { Client } from "@toolwire/client";
import { SkillError, skills } from "@toolwire/client/skills";
import type { Scenario } from "./scenario.ts";

const extension = skills();
const options = { extensions: [extension] };

/** The scenarios about skills (SEP-2640), by name. */
export const skillScenarios: readonly (readonly [string, Scenario])[] = [
  [
    "sep-2640-client-no-prefetch",
    {
      options,
      async run(client) {
        for await (const { problem } of client.use(extension).all()) if (problem !== undefined) throw problem;
      },
    },
  ],
  ["sep-2640-client-verify-digest", { options, run: (client) => useSkills(client, "DIGEST_MISMATCH") }],
  ["sep-2640-client-verify-size", { options, run: (client) => useSkills(client, "SIZE_MISMATCH") }],
  ["sep-2640-client-verify-frontmatter", { options, run: (client) => useSkills(client, "FRONTMATTER_MISMATCH") }],
];

/** Loads each skill, and goes on to the file that it mentions, as an agent would, unless the skill is refused as it has to be. */
async function useSkills(client: Client, expected: SkillError["code"]): Promise<void> {
  for await (const skill of client.use(extension).all()) {
    try {
      await skill.load();
      await skill.read("references/FORMS.md");
    } catch (error) {
      if (error instanceof SkillError && error.code === expected) continue;
      throw error;
    }
    throw new Error(`${skill.uri} was used, and should have been refused with ${expected}.`);
  }
}
