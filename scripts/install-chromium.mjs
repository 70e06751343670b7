// Installs Debian's Chromium, in which `npm run page`, `npm run views`, `npm run logins` and `npm run runtimes` look at pages. Tools for tests that bring
// a browser of their own download it past the package registries, which not every machine may do.
//
// Usage: node scripts/install-chromium.mjs, as root on Debian and its like. Elsewhere, install a Chromium, and set CHROMIUM to its program.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const program = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

if (existsSync(program) || (canInstall() && install())) {
  console.log(`Chromium is ${program}`);
} else {
  console.error(
    `There is no ${program}. Install Chromium (on Debian, \`apt-get install chromium\` as root), or set CHROMIUM to its program.`,
  );
  process.exitCode = 1;
}

function canInstall() {
  return process.env["CHROMIUM"] === undefined && existsSync("/usr/bin/apt-get") && process.getuid?.() === 0;
}

function install() {
  const packages = ["install", "--yes", "--no-install-recommends", "chromium"];
  return (
    [["update"], packages].every((parameters) => run("apt-get", ["--quiet", "--quiet", ...parameters])) &&
    existsSync(program)
  );
}

/**
 * @param {string} command
 * @param {readonly string[]} parameters
 */
function run(command, parameters) {
  const { status } = spawnSync(command, parameters, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    timeout: 10 * 60_000,
  });
  return status === 0;
}
