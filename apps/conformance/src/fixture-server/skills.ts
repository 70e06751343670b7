import { skill, skills, type SkillsExtension } from "@toolwire/server/skills";
import { openSkillsFolder } from "@toolwire/server/skills-folder";
import { fileURLToPath } from "node:url";

const folder = await openSkillsFolder(fileURLToPath(new URL("../../skills", import.meta.url)));

const daily = skill({
  path: "reports/daily",
  frontmatter: { name: "daily", description: "Report what has happened today." },
  body: () => "Nothing has happened.",
});

/** Skills of each kind: in folders, one in code, and one that is made for each reader. On several pages. */
export const skillsExtension: SkillsExtension = skills(
  [
    ...folder.skills,
    skill({
      frontmatter: {
        name: "git-workflow",
        description: "Follow the conventions of this team for branches and commits.",
      },
      body: "Branch from `main`. Write commits in the imperative.",
    }),
    daily,
  ],
  { pageSize: 2 },
);
