/**
 * The kind of rule that a value broke. The list is stable; `other` covers checks that only a schema library has.
 *
 * | kind | the value … |
 * |---|---|
 * | `required` | lacks a property it must have |
 * | `type` | is of another JSON type |
 * | `enum`, `const` | is none of the values allowed |
 * | `unknown-property` | has a property the schema does not allow |
 * | `property-name` | has a property whose name breaks a rule |
 * | `minimum`, `maximum`, `multiple-of` | is a number out of range or step |
 * | `length`, `pattern`, `format` | is a string of the wrong length or form |
 * | `item-count`, `unique`, `contains` | is an array with too few, too many, repeated or missing items |
 * | `property-count` | is an object with too few or too many properties |
 * | `union` | matches none, or more than one, of several forms |
 * | `not` | matches what it must not match |
 * | `never` | stands where nothing is allowed |
 * | `too-deep`, `too-complex` | cannot be checked within the bounds |
 */
export type IssueKind =
  | "required"
  | "type"
  | "enum"
  | "const"
  | "unknown-property"
  | "property-name"
  | "minimum"
  | "maximum"
  | "multiple-of"
  | "length"
  | "pattern"
  | "format"
  | "item-count"
  | "unique"
  | "contains"
  | "property-count"
  | "union"
  | "not"
  | "never"
  | "too-deep"
  | "too-complex"
  | "other";

/** One reason why a value does not fit its schema. */
export interface SchemaIssue {
  /** Where: `items[2].name`; `""` is the whole value. */
  readonly path: string;
  /** The rule that was broken. */
  readonly kind: IssueKind;
  /** The expectation and the actual value in words, without the path. */
  readonly message: string;
}

const MAX_ISSUES = 10;
const MAX_LINE_LENGTH = 300;

/**
 * Puts issues into a short list that a language model can act on: one line each, `- path: reason`.
 *
 * It lists at most ten issues and cuts long lines: the reader pays by the token, and corrects one mistake at a time.
 */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  const lines = issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    const line = path === "" ? `- ${message}` : `- ${path}: ${message}`;
    return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line;
  });
  if (issues.length > MAX_ISSUES) lines.push(`- and ${issues.length - MAX_ISSUES} more`);
  return lines.join("\n");
}

/** Longest property name that a path shows in full: a hostile one could have megabytes. */
const MAX_NAME_LENGTH = 80;

/** Writes a path the way a person would: `items[2].name`, `headers["content-type"]`, and `""` for the root. */
export function writePath(keys: readonly PropertyKey[]): string {
  let path = "";
  for (const key of keys) {
    const name = String(key);
    if (typeof key === "number") path += `[${name}]`;
    else if (name.length > MAX_NAME_LENGTH) path += `[${JSON.stringify(`${name.slice(0, MAX_NAME_LENGTH)}…`)}]`;
    else if (/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name)) path += path === "" ? name : `.${name}`;
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
