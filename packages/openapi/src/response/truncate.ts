/**
 * Shortens a response that is too long for a model. Of JSON, whole items of lists are left out, so that what remains is still
 * JSON, with every number as the API wrote it: the text is cut, not read and written again.
 */

/** A shortened text, and a note that says what is missing. */
export interface Shortened {
  readonly text: string;
  readonly note: string;
}

/** Nested deeper, a text is cut wherever the limit is. */
const MAX_DEPTH = 100;
/** The most lists that a note names. */
const MAX_NAMED = 3;

/** A value in a text. Lists have items, objects have members; other values have no parts. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: "list" | "object" | "other";
  readonly parts: readonly Part[];
}

/** An item of a list, or a member of an object with its name. */
interface Part {
  readonly name: string;
  readonly value: Span;
}

/** Shortens a text to about `maxText` characters. `isJson`: only if whole items can be left out. */
export function shortenText(text: string, maxText: number, isJson: boolean): Shortened {
  const root = isJson ? readSpans(text) : undefined;
  if (root !== undefined) {
    const cuts: string[] = [];
    const shortened = fit(text, root, maxText, "", cuts);
    if (shortened.length <= maxText && cuts.length > 0) {
      const named = cuts.slice(0, MAX_NAMED).join("; ") + (cuts.length > MAX_NAMED ? "; and others" : "");
      return {
        text: shortened,
        note: `The response was longer than ${maxText} characters and is shortened: ${named}.`,
      };
    }
  }
  const cut = text.slice(0, maxText).replace(/[\uD800-\uDBFF]$/, "");
  return {
    text: cut,
    note: `The response was longer than ${maxText} characters and is shortened: the first ${cut.length} of ${text.length} characters are shown.`,
  };
}

/** The text of a value with at most `budget` characters, if leaving out items can achieve that. */
function fit(text: string, span: Span, budget: number, place: string, cuts: string[]): string {
  if (span.end - span.start <= budget || span.kind === "other") return text.slice(span.start, span.end);
  return span.kind === "list" ? fitList(text, span, budget, place, cuts) : fitObject(text, span, budget, place, cuts);
}

function fitList(text: string, span: Span, budget: number, place: string, cuts: string[]): string {
  const { parts } = span;
  let kept = 0;
  // The bracket at the end needs one character.
  while (kept < parts.length && parts[kept]!.value.end - span.start + 1 <= budget) kept += 1;
  const where = place === "" ? "the list" : `"${place}"`;
  if (kept > 0 || parts.length === 0) {
    cuts.push(`${where} has the first ${kept} of ${parts.length} items`);
    return `${text.slice(span.start, kept === 0 ? span.start + 1 : parts[kept - 1]!.value.end)}]`;
  }
  // Not even the first item fits: it is shortened as well.
  if (parts.length > 1) cuts.push(`${where} has the first 1 of ${parts.length} items`);
  return `[${fit(text, parts[0]!.value, budget - 2, `${place}[0]`, cuts)}]`;
}

function fitObject(text: string, span: Span, budget: number, place: string, cuts: string[]): string {
  let excess = span.end - span.start - budget;
  const largestFirst = span.parts
    .filter(({ value }) => value.kind !== "other")
    .toSorted((one, other) => lengthOf(other.value) - lengthOf(one.value));
  const replaced = new Map<Part, string>();
  for (const part of largestFirst) {
    if (excess <= 0) break;
    const length = lengthOf(part.value);
    const below = place === "" ? part.name : `${place}.${part.name}`;
    const shorter = fit(text, part.value, Math.max(length - excess, 2), below, cuts);
    replaced.set(part, shorter);
    excess -= length - shorter.length;
  }
  let written = "";
  let at = span.start;
  for (const part of span.parts) {
    const shorter = replaced.get(part);
    if (shorter === undefined) continue;
    written += text.slice(at, part.value.start) + shorter;
    at = part.value.end;
  }
  return written + text.slice(at, span.end);
}

function lengthOf({ start, end }: Span): number {
  return end - start;
}

/** A list or an object that is being read. */
interface Open {
  readonly kind: "list" | "object";
  readonly start: number;
  readonly parts: Part[];
  /** The name of the member whose value comes next. */
  name: string;
  hasName: boolean;
}

/** A text without an end goes to the end of the body, so that no part of it is looked at twice. */
const TOKEN = /[[\]{}:,]|"(?:[^"\\]|\\[^]?)*"?|[^\s[\]{}:,"]+/g;

/** Finds the lists and objects of a JSON text. `undefined` if it is not JSON, or nested too deeply. */
function readSpans(text: string): Span | undefined {
  const open: Open[] = [];
  let root: Span | undefined;
  const add = (value: Span): void => {
    const parent = open.at(-1);
    if (parent === undefined) {
      root = value;
      return;
    }
    parent.parts.push({ name: parent.name, value });
    parent.name = "";
    parent.hasName = false;
  };
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match;
    const parent = open.at(-1);
    if (root !== undefined) return undefined;
    if (token === "[" || token === "{") {
      if (open.length === MAX_DEPTH) return undefined;
      const kind = token === "[" ? "list" : "object";
      open.push({ kind, start: match.index, parts: [], name: "", hasName: false });
    } else if (token === "]" || token === "}") {
      open.pop();
      if (parent === undefined || (token === "]") !== (parent.kind === "list")) return undefined;
      add({ start: parent.start, end: match.index + 1, kind: parent.kind, parts: parent.parts });
    } else if (token !== "," && token !== ":") {
      if (parent?.kind === "object" && !parent.hasName) {
        parent.name = token.slice(1, -1);
        parent.hasName = true;
      } else add({ start: match.index, end: match.index + token.length, kind: "other", parts: [] });
    }
  }
  return root;
}
