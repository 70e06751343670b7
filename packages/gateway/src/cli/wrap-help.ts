/** The narrowest terminal that help is written for, in columns. */
const WIDTH = 80;

/** Wraps the lines of a help text that are too long. What follows is below the description of an option, or its indentation. */
export function wrapHelp(text: string): string {
  return text
    .split("\n")
    .flatMap((line) => wrapLine(line))
    .join("\n");
}

function wrapLine(line: string): string[] {
  if (line.length <= WIDTH) return [line];
  // `  --option VALUE      what it does`, or `Usage: program …`, or a paragraph.
  const [, head = ""] = /^( +\S.*? {2,}|Usage: | +)\S/.exec(line) ?? [];
  const indent = " ".repeat(head.length > WIDTH / 2 ? 4 : head.length);
  const lines: string[] = [];
  let current = "";
  for (const word of line.slice(head.length).split(" ")) {
    const start = lines.length === 0 ? head : indent;
    if (current !== "" && start.length + current.length + 1 + word.length > WIDTH) {
      lines.push(start + current);
      current = word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return [...lines, (lines.length === 0 ? head : indent) + current];
}
