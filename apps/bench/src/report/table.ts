/** Tables for the terminal and for Markdown. */

/** Cells by row; the first column is a label, the others are figures. */
export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Aligned with spaces, figures to the right. */
export function renderText({ header, rows }: Table): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]): string =>
    widths
      .map((width, column) => (column === 0 ? (row[column] ?? "").padEnd(width) : (row[column] ?? "").padStart(width)))
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return [line(header), rule, ...rows.map(line)].join("\n");
}

/** As GitHub shows them. */
export function renderMarkdown({ header, rows }: Table): string {
  const line = (row: readonly string[]): string =>
    `| ${header.map((_, column) => escapeCell(row[column])).join(" | ")} |`;
  const rule = `| ${header.map((_, column) => (column === 0 ? "---" : "--:")).join(" | ")} |`;
  return [line(header), rule, ...rows.map(line)].join("\n");
}

function escapeCell(cell = ""): string {
  return cell.replaceAll("|", "\\|").replaceAll("\n", " ");
}
