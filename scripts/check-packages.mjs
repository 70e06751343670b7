// Are the packed packages what npm, Node and TypeScript expect? (publint, are-the-types-wrong)

import { listPublishedPackages, packPackage, report, run, withTemporaryDirectory } from "./workspace.mjs";

const packages = listPublishedPackages();

/** @type {string[]} */
const problems = [];

withTemporaryDirectory((directory) => {
  for (const { name, directory: packageDirectory } of packages) {
    const tarball = packPackage(packageDirectory, directory);
    attempt(name, "publint", ["run", tarball, "--strict"]);
    attempt(name, "attw", [tarball, "--profile", "esm-only", "--format", "ascii", "--no-emoji"]);
  }
});

report(problems, `${packages.length} packages are well formed`);

/**
 * @param {string} name
 * @param {string} command
 * @param {string[]} args
 */
function attempt(name, command, args) {
  try {
    run(command, args);
  } catch (error) {
    const { stdout, stderr } = /** @type {{ stdout: string, stderr: string }} */ (error);
    problems.push(`${name}: ${command} found problems\n${stdout}${stderr}`);
  }
}
