/** The most characters of a line that are waited for. */
const LONGEST = 64 * 1024;

/** Puts pieces of a text together, and hands on whole lines: a secret that two pieces share could not be found in either. */
export function inWholeLines(take: (lines: string) => void): (piece: string) => void {
  let rest = "";
  return (piece) => {
    rest += piece;
    const end = rest.length > LONGEST ? rest.length : rest.lastIndexOf("\n") + 1;
    if (end === 0) return;
    const lines = rest.slice(0, end);
    rest = rest.slice(end);
    take(lines.trimEnd());
  };
}
