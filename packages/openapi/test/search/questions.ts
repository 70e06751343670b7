import { readFileSync } from "node:fs";
import { readOpenApi } from "../../src/import/read-open-api.ts";
import { SearchIndex } from "@toolwire/server/search/internal";
import { readText } from "../corpora/documents.ts";

/** A question of a person, and the operations that answer it. */
export interface Question {
  readonly query: string;
  /** Methods and paths. */
  readonly wanted: readonly string[];
}

/** Questions by the document that they are about. */
export const QUESTIONS = JSON.parse(readFileSync(new URL("questions.json", import.meta.url), "utf8")) as {
  readonly [document: string]: readonly Question[];
};

/** The place at which the search finds the first wanted operation for each question about a document, from 1. 0: not among ten. */
export async function askAll(document: string): Promise<ReadonlyMap<string, number>> {
  const baseUrl = "https://api.example.com";
  const { operations } = readOpenApi(readText(document), { baseUrl, tool: () => ({ auth: null, baseUrl }) });
  const index = await SearchIndex.build(
    operations.map(({ name, listing, info }) => ({
      name,
      title: listing.title,
      description: listing.description,
      annotations: listing.annotations,
      hints: info,
      key: `${info.method} ${info.path}`,
    })),
  );
  const places = (QUESTIONS[document] ?? []).map(({ query, wanted }) => {
    const place = index.search(query, 10).findIndex(({ key }) => wanted.includes(key));
    return [query, place + 1] as const;
  });
  return new Map(places);
}

/** How many places are among the first ones. */
export function countWithin(places: Iterable<number>, most: number): number {
  return [...places].filter((place) => place > 0 && place <= most).length;
}
