/** JSON of an API, read and written again without a change to its numbers. */

/** Marks a number in the place of which a string is read. A private character: it has no meaning in any text. */
const MARK = "\uF8F7";
/** A text without an end goes to the end of the body, so that no part of it is looked at twice. */
const TOKEN = /"(?:[^"\\]|\\[^]?)*"?|-?\d[\d.eE+-]*/g;
const MARKED = new RegExp(`"${MARK}([^"]*)"`, "g");

/**
 * Reads JSON. Objects have no prototype, so that a name such as `constructor` finds nothing that the API did not send.
 * Numbers that JavaScript would round, such as ids of twenty digits, are marked texts until they are written again.
 *
 * @throws SyntaxError if it is not JSON
 */
export function readJson(text: string): unknown {
  const isExact = !/\d{16}|[eE]/.test(text) || text.includes(MARK);
  const value: unknown = JSON.parse(isExact ? text : text.replaceAll(TOKEN, markInexact));
  removePrototypes(value);
  return value;
}

/** Writes a value that {@link readJson} has read as compact JSON. */
export function writeJson(value: unknown): string {
  const json = (JSON.stringify(value) as string | undefined) ?? "null";
  return json.includes(MARK) ? json.replaceAll(MARKED, "$1") : json;
}

function markInexact(token: string): string {
  if (token.startsWith('"') || String(Number(token)) === token) return token;
  return `"${MARK}${token}"`;
}

/** Without recursion, because an API may nest deeper than the stack allows. */
function removePrototypes(root: unknown): void {
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== "object" || value === null) continue;
    if (!Array.isArray(value)) Object.setPrototypeOf(value, null);
    for (const member of Object.values(value)) if (typeof member === "object") waiting.push(member);
  }
}
