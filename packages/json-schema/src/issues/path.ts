const PLAIN_NAME = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

/** Longest property name that a path shows in full: a hostile one could have megabytes. */
const MAX_NAME_LENGTH = 80;

/** Writes a path the way a person would: `items[2].name`, `headers["content-type"]`, and `""` for the root. */
export function writePath(keys: readonly PropertyKey[]): string {
  let path = "";
  for (const key of keys) {
    const name = String(key);
    if (typeof key === "number") path += `[${name}]`;
    else if (name.length > MAX_NAME_LENGTH) path += `[${JSON.stringify(`${name.slice(0, MAX_NAME_LENGTH)}…`)}]`;
    else if (PLAIN_NAME.test(name)) path += path === "" ? name : `.${name}`;
    else path += `[${JSON.stringify(name)}]`;
  }
  return path;
}

/** A position in a document, kept as a chain so that descending costs one small object and no copying. */
export interface Place {
  readonly parent: Place | undefined;
  readonly key: string | number;
}

/** The position of a member of the value at `parent`; `undefined` is the root. */
export function step(parent: Place | undefined, key: string | number): Place {
  return { parent, key };
}

/** Writes a position as people do: `items[2].name`; `""` for the root. */
export function writePlace(place: Place | undefined): string {
  const keys: (string | number)[] = [];
  for (let here = place; here !== undefined; here = here.parent) keys.push(here.key);
  return writePath(keys.toReversed());
}
