/** Matching of names and paths by patterns with `*`. */

/**
 * Compiles a pattern. Without `separator`, `*` matches any characters. With one, `*` stops at it and `**` does not. All other
 * characters stand for themselves. Matching takes time proportional to the text and the number of stars, whatever the pattern.
 */
export function compileGlob(pattern: string, separator?: string): (text: string) => boolean {
  if (!pattern.includes("*")) return (text) => text === pattern;
  const pieces = pattern.split(/(\*+)/);
  const stars = pieces.filter((_, index) => index % 2 === 1);
  const literals = pieces.filter((_, index) => index % 2 === 0);
  const crosses = stars.map((star) => separator === undefined || star.length > 1);
  return (text) => matches(text, literals, crosses, separator);
}

/** Follows all positions at which the pattern can be, star by star. */
function matches(
  text: string,
  literals: readonly string[],
  crosses: readonly boolean[],
  separator: string | undefined,
): boolean {
  const [first = "", ...others] = literals;
  if (!text.startsWith(first)) return false;
  let ends = new Set([first.length]);
  for (const [index, literal] of others.entries()) {
    const isLast = index === others.length - 1;
    const next = new Set<number>();
    let from = Infinity;
    for (let at = 0; at <= text.length; at += 1) {
      if (ends.has(at)) from = Math.min(from, at);
      if (at >= from && text.startsWith(literal, at) && (!isLast || at + literal.length === text.length)) {
        next.add(at + literal.length);
      }
      if (!crosses[index] && text[at] === separator) from = Infinity;
    }
    ends = next;
    if (ends.size === 0) return false;
  }
  return ends.has(text.length);
}
