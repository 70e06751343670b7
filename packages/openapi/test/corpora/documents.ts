import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

const SOURCES = JSON.parse(readFileSync(new URL("sources.json", import.meta.url), "utf8")) as {
  readonly folder: string;
  readonly packages: readonly { readonly documents: { readonly [title: string]: string } }[];
};

/** Where `scripts/fetch-openapi-documents.mjs` puts documents. */
const FOLDER = join(import.meta.dirname, "../../../..", SOURCES.folder);

/** The documents that can be fetched, by title. */
export const DOCUMENTS: ReadonlyMap<string, string> = new Map(
  SOURCES.packages.flatMap(({ documents }) =>
    Object.entries(documents).map(([title, path]) => [title, join(FOLDER, title + extname(path))] as const),
  ),
);

/** Whether a document was fetched. */
export function hasDocument(title: string): boolean {
  return existsSync(DOCUMENTS.get(title) ?? "");
}

/** The text of a document. */
export function readText(title: string): string {
  return readFileSync(DOCUMENTS.get(title)!, "utf8");
}

/** Further documents that were fetched with `--all`: their paths. */
export function listFurther(): readonly string[] {
  const folder = join(FOLDER, "all");
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".json"))
    .toSorted()
    .map((file) => join(folder, file));
}
