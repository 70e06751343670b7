/** Tables for the terminal and for Markdown. */

/** Cells by row; the first column is a label, the others are figures. */
export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Aligned with spaces, figures to the right. */
export function renderText(table: Table): string {
  const { widths, header, rows } = align(table, 0);
  const rule = widths.map((width) => "-".repeat(width));
  return [header, rule, ...rows].map((row) => row.join("  ").trimEnd()).join("\n");
}

/** As GitHub shows them, and as the formatter of this project writes them. */
export function renderMarkdown({ header, rows }: Table): string {
  const escaped = { header: header.map(escapeCell), rows: rows.map((row) => row.map(escapeCell)) };
  const aligned = align(escaped, 3);
  const rule = aligned.widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [aligned.header, rule, ...aligned.rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** Fills every cell up to the width of its column. */
function align({ header, rows }: Table, least: number): { widths: number[]; header: string[]; rows: string[][] } {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(least, ...all.map((row) => (row[column] ?? "").length)));
  const fill = (row: readonly string[]): string[] =>
    widths.map((width, column) => {
      const cell = row[column] ?? "";
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
  return { widths, header: fill(header), rows: rows.map(fill) };
}

function escapeCell(cell: string): string {
  return cell.replaceAll("|", "\\|").replaceAll("\n", " ");
}
