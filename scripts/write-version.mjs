// Writes the version of the client's manifest to `packages/client/src/version.ts`, since clients tell it to servers, and
// browsers cannot read manifests. Runs after `changeset version`.
//
//   node scripts/write-version.mjs [DIRECTORY]

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./workspace.mjs";

const [directory = root] = process.argv.slice(2);
const client = join(directory, "packages", "client");
const file = join(client, "src", "version.ts");

/** @type {{ version: string }} */
const { version } = JSON.parse(readFileSync(join(client, "package.json"), "utf8"));
const before = readFileSync(file, "utf8");
const constant = /(?<=^export const VERSION(?:: string)? = )"[^"]*"(?=;$)/m;
if (!constant.test(before)) throw new Error(`${file} has no line \`export const VERSION = "…";\``);
writeFileSync(file, before.replace(constant, JSON.stringify(version)));
console.log(`The client calls itself ${version}`);
