import type { ProblemView } from "../../../src/admin/views.ts";

/** The mistakes that the gateway has found in a definition, by where they are in the form. */
export interface PlacedProblems {
  /** The first problem of each field, by the keys below the definition: `request.url`. */
  readonly byField: ReadonlyMap<string, string>;
  /** All of them, each with the place that a reader of the configuration knows. */
  readonly all: readonly { readonly place: string; readonly message: string }[];
}

/** No mistakes. */
export const NO_PROBLEMS: PlacedProblems = { byField: new Map(), all: [] };

/** Sorts mistakes by field. `base` are the keys that lead to the definition: `["servers", "a", "tools", "b"]`. */
export function placeProblems(problems: readonly ProblemView[], base: readonly string[]): PlacedProblems {
  const byField = new Map<string, string>();
  for (const { path, message } of problems) {
    if (!base.every((key, index) => path[index] === key)) continue;
    const field = writePlace(path.slice(base.length));
    if (!byField.has(field)) byField.set(field, message);
  }
  const all = problems.map(({ path, message }) => ({ place: writePlace(path), message }));
  return { byField, all };
}

function writePlace(path: ProblemView["path"]): string {
  return path.map((key, index) => (typeof key === "number" ? `[${key}]` : index === 0 ? key : `.${key}`)).join("");
}
