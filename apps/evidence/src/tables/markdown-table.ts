/** A table in Markdown, its columns aligned for those who read the source. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, ...[title, ...rows.map((row) => row[column] ?? "")].map(widthOf)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => pad(cells[column] ?? "", width)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function pad(cell: string, width: number): string {
  return cell + " ".repeat(width - widthOf(cell));
}

function widthOf(cell: string): number {
  return [...cell].length;
}
