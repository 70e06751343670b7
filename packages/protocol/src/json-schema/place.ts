import { writePath } from "../schema/path.ts";

/** A position in a document, kept as a chain so that descending costs one small object and no copying. */
export interface Place {
  readonly parent: Place | undefined;
  readonly key: string | number;
}

/** The position of a member of what stands at `parent`; `undefined` is the root. */
export function step(parent: Place | undefined, key: string | number): Place {
  return { parent, key };
}

/** Writes a position as people do: `items[2].name`; `""` for the root. */
export function writePlace(place: Place | undefined): string {
  const keys: (string | number)[] = [];
  for (let here = place; here !== undefined; here = here.parent) keys.push(here.key);
  return writePath(keys.toReversed());
}
