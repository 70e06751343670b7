/** A Markdown file, cut in two. */
export interface SplitFile {
  /** The YAML between the two lines of hyphens. */
  readonly yaml: string;
  /** What follows the second one. */
  readonly body: string;
}

const BYTE_ORDER_MARK = "\uFEFF";

/** Cuts a Markdown file at the lines `---` around its front matter. `undefined` if there is none, or if it has no end. */
export function splitFrontmatter(text: string): SplitFile | undefined {
  const first = lineFrom(text, text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0);
  if (!isFence(text, first)) return undefined;
  for (let line = nextLine(text, first); line !== undefined; line = nextLine(text, line)) {
    if (isFence(text, line)) {
      return { yaml: text.slice(first.next, line.start), body: text.slice(line.next ?? text.length) };
    }
  }
  return undefined;
}

interface Line {
  readonly start: number;
  /** Without the line break. */
  readonly end: number;
  /** Where the next line starts; `undefined` if this is the last. */
  readonly next: number | undefined;
}

function lineFrom(text: string, start: number): Line {
  const newline = text.indexOf("\n", start);
  return newline === -1 ? { start, end: text.length, next: undefined } : { start, end: newline, next: newline + 1 };
}

function nextLine(text: string, { next }: Line): Line | undefined {
  return next === undefined ? undefined : lineFrom(text, next);
}

/** Whether a line is three hyphens. Blanks after them do not show in an editor, and neither does the `\r` of Windows. */
function isFence(text: string, { start, end }: Line): boolean {
  if (!text.startsWith("---", start)) return false;
  for (let position = start + 3; position < end; position += 1) {
    if (!" \t\r".includes(text.charAt(position))) return false;
  }
  return end - start >= 3;
}
