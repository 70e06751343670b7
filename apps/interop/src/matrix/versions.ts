import { readFileSync } from "node:fs";

/** What is installed of a package, by the name that this one knows it under. */
export function versionOf(name: string): string {
  const manifest = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }).version;
}
