/** Makes a test of names from patterns, in which `*` stands for any characters. */
export function matchAny(patterns: readonly string[]): (name: string) => boolean {
  const parts = patterns.map((pattern) => pattern.split("*"));
  return (name) => parts.some((pieces) => matches(pieces, name));
}

/** Whether a name begins with the first piece, ends with the last, and has the others in between, in this order. */
function matches(pieces: readonly string[], name: string): boolean {
  const first = pieces[0] ?? "";
  if (pieces.length === 1) return name === first;
  const last = pieces.at(-1) ?? "";
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let position = first.length;
  const end = name.length - last.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, position);
    if (found === -1 || found + piece.length > end) return false;
    position = found + piece.length;
  }
  return true;
}
