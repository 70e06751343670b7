/** The lines of newline-delimited JSON. What follows the last newline was cut off, and is left out. */
export function decodeLines(bytes: Buffer): string[] {
  const lines = bytes.toString("utf8").split("\n");
  return lines.slice(0, -1).filter((line) => line.trim() !== "");
}
