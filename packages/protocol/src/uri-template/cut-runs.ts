/**
 * Cuts a URI into the parts of a template, without regular expressions and without backtracking.
 *
 * A template is a list of steps, each a fixed text followed by a run of characters of one class. A table filled from
 * the end of the URI says for each step and position where the step had best end; then one walk from the front cuts
 * off the runs. Time and memory are the number of steps times the length of the URI, whatever either contains.
 */

/** A part of the template as it looks in a URI: `text`, then characters of a class. */
export interface Step {
  readonly text: string;
  /** Whether the URI may do without this step; only possible if `text` is not empty. */
  readonly isOptional: boolean;
  /** The least number of characters. */
  readonly minimum: 0 | 1;
  /** The characters that expansion can produce after `text`; none if absent. */
  readonly strict?: CharacterClass;
  /** The characters that a URI written by hand may have there as well. */
  readonly lenient?: CharacterClass;
}

/** For each ASCII code, whether the character belongs. */
export type CharacterClass = Uint8Array;

/** The longest URI that can be cut. */
export const MAX_URI_LENGTH: number = 8192;

const PERCENT = 37;

/** The run of each step, undefined for a step that was left out; or undefined if the URI does not fit. */
export function cutRuns(
  steps: readonly Step[],
  uri: string,
  leniency: "strict" | "lenient",
): (string | undefined)[] | undefined {
  const end: Row = new Int32Array(uri.length + 1).fill(NO_FIT);
  end[uri.length] = uri.length;
  const rows = [end];
  for (const step of steps.toReversed()) rows.push(rowOf(step, step[leniency], uri, rows.at(-1) ?? end));
  if (rows.at(-1)?.[0] === NO_FIT) return undefined;

  let position = 0;
  return steps.map((step) => {
    const from = position;
    position = (rows.pop()?.[from] ?? 0) % ONE_OPTIONAL_STEP;
    return step.isOptional && position === from ? undefined : uri.slice(from + step.text.length, position);
  });
}

/**
 * For each position, how a step and those after it best read the URI from there on: the number of optional steps
 * among them that are not left out, and where the first step ends, as one number. More steps win over a longer one,
 * so that `{name}{.extension}` does not read `a.txt` as a name.
 */
type Row = Int32Array;

const NO_FIT = -1;
const ONE_OPTIONAL_STEP = 2 * MAX_URI_LENGTH;

/** The row of a step, given that of the step after it. */
function rowOf(step: Step, members: CharacterClass | undefined, uri: string, next: Row): Row {
  const { text, isOptional, minimum } = step;
  const length = uri.length;
  const row = new Int32Array(length + 1);
  /** The same for positions within the step's run. */
  const within = new Int32Array(length + 1);
  for (let position = length; position >= 0; position--) {
    const after = next[position] ?? NO_FIT;
    const endHere = after === NO_FIT ? NO_FIT : after - (after % ONE_OPTIONAL_STEP) + position;
    within[position] = Math.max(endHere, readingAt(within, afterOne(position)));

    let start = uri.startsWith(text, position) ? position + text.length : -1;
    if (minimum === 1) start = afterOne(start);
    const taken = readingAt(within, start);
    if (!isOptional) row[position] = taken;
    else row[position] = Math.max(endHere, taken === NO_FIT ? NO_FIT : taken + ONE_OPTIONAL_STEP);
  }
  return row;

  /** The position after the character here, if it belongs to the run, or else -1. A triplet is one character. */
  function afterOne(position: number): number {
    if (position < 0 || position >= length) return -1;
    const code = uri.charCodeAt(position);
    return members?.[code] === 1 ? position + (code === PERCENT ? 3 : 1) : -1;
  }
}

function readingAt(row: Row, position: number): number {
  return row[position] ?? NO_FIT;
}
