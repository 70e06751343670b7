/** A longer first line is cut: programs print whole logs as one error. */
const MAX_LINE = 160;

/** A problem as it is shown: its first line, and all of it if that is more. */
export interface ProblemText {
  readonly line: string;
  /** The whole text with its line breaks. Absent if the line is all there is. */
  readonly whole: string | undefined;
}

/** Splits a problem into a line that fits a list, and the text behind it. */
export function splitProblem(text: string): ProblemText {
  const whole = text.trim();
  const [first = ""] = whole.split(/[\r\n]/, 1);
  const line = first.length <= MAX_LINE ? first.trimEnd() : cut(first);
  return { line, whole: line === whole ? undefined : whole };
}

/** Cuts between words, if there is a blank near the end. */
function cut(line: string): string {
  const start = line.slice(0, MAX_LINE);
  const blank = start.lastIndexOf(" ");
  return `${start.slice(0, blank > MAX_LINE / 2 ? blank : MAX_LINE)} …`;
}
