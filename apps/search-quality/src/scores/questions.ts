import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A question of a person or a model, and the tools that answer it. */
export interface Question {
  readonly query: string;
  /** The keys of the tools: each of them would do. */
  readonly wanted: readonly string[];
  readonly half: Half;
}

/** The ranking was made with the questions of the tuning half in view. The sealed half was scored when it was done. */
export type Half = "tuning" | "sealed";

/** Reads the questions about a source. */
export function readQuestions(folder: string, title: string): readonly Question[] {
  const all = JSON.parse(readFileSync(join(folder, `${title}.json`), "utf8")) as { readonly [query: string]: string[] };
  return Object.entries(all).map(([query, wanted]) => ({ query, wanted, half: halfOf(query) }));
}

/** Half of all questions are sealed, by a rule that nobody chooses: the first byte of the hash of the question is odd. */
function halfOf(query: string): Half {
  return createHash("sha256").update(query).digest()[0]! % 2 === 0 ? "tuning" : "sealed";
}
