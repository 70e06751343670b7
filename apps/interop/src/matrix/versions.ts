import { readFileSync } from "node:fs";

/** The installed version of a package, by the name under which this app depends on it. */
export function versionOf(name: string): string {
  return (readJson(`../../node_modules/${name}/package.json`) as { readonly version: string }).version;
}

/** The version of a fetched package. */
export function pinnedVersionOf(name: string): string {
  const { dependencies } = readJson("../../peers/package.json") as { readonly dependencies: Record<string, string> };
  const version = dependencies[name];
  if (version === undefined) throw new Error(`${name} is not among the dependencies in peers/package.json.`);
  return version;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
}
