import { checkShape, type ShapeProblem } from "./shape.ts";
import { type SoundParts, withoutMistakes } from "./sound-parts.ts";

/**
 * Checks the form of a configuration until nothing is left to find: a validator names a limited number of issues for one value.
 * What it has named is taken out, and the rest is checked again.
 */
export function checkWholeShape(value: unknown): {
  readonly problems: readonly ShapeProblem[];
  /** The parts with the right form. */
  readonly sound: SoundParts;
} {
  const found = new Map<string, ShapeProblem>();
  const partial = new Set<string>();
  let rest = value;
  for (;;) {
    // A name with wrong characters stays, so that what has the name is checked. It is not reported twice.
    const known = found.size;
    const problems = checkShape(rest);
    for (const problem of problems) found.set(JSON.stringify([problem.path, problem.message]), problem);
    const mended = withoutMistakes(rest, problems);
    for (const slug of mended.partial) partial.add(slug);
    rest = mended.config;
    if (found.size === known) return { problems: [...found.values()], sound: { config: mended.config, partial } };
  }
}
