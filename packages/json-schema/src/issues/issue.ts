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
