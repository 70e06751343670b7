// Is each changeset valid, and has every changed package one?

import getReleasePlan from "@changesets/get-release-plan";
import { report, root, run } from "./workspace.mjs";

/** @type {string[]} */
const problems = [];

const { releases } = await getReleasePlan(root).catch((/** @type {Error} */ error) => {
  problems.push(error.message);
  return { releases: [] };
});
// Apps are listed as dependents, but have no version and are never released.
for (const { name, newVersion } of releases.filter((release) => release.newVersion)) {
  console.log(`${name} will be released as ${newVersion}`);
}

// A clone may hold one branch only, or no commit at all: then there is nothing to compare with.
const base = ["origin/main", "main"].find(hasCommonHistory);
if (base !== undefined) {
  try {
    run("changeset", ["status", `--since=${base}`]);
  } catch (error) {
    const { stderr } = /** @type {{ stderr: string }} */ (error);
    problems.push(stderr.trim(), "Describe the change for users: `npx changeset`.");
  }
}

report(problems, base === undefined ? "found no branch `main` to compare with" : `compared with ${base}`);

/** @param {string} reference */
function hasCommonHistory(reference) {
  try {
    run("git", ["merge-base", reference, "HEAD"]);
    return true;
  } catch {
    return false;
  }
}
