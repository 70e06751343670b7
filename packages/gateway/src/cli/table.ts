/** Lays out rows under a head, in columns as wide as their widest cell. */
export function writeTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Removes what could move the cursor, recolour a terminal or turn text around: names and errors come from others. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, " ");
}
