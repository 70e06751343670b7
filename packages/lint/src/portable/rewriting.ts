import type { Path } from "../finding.ts";
import type { Keywords } from "../walk/schema-nodes.ts";

/** What was changed in a schema. */
export interface SchemaChange {
  /** The place in the original, or behind the reference that led there. */
  readonly path: Path;
  /** What is different for callers. */
  readonly what: string;
}

/** A rewriting on its way: what it may still do, and what it has done. */
export interface Rewriting {
  readonly root: Keywords;
  readonly maxLevels: number;
  /** How many more places may be written. References can make a small document large. */
  left: number;
  readonly changes: SchemaChange[];
}

/** Where a schema stands. */
export interface Place {
  readonly path: Path;
  /** How many objects and lists are around it. */
  readonly level: number;
  /** The schemas behind the references that have led here. */
  readonly within: readonly unknown[];
  /** Whether a value may be left out in place of null. */
  readonly isOptional: boolean;
}

/** So many changes are named of one schema. */
const MOST_CHANGES = 100;

/** A schema of a stranger may be nested deeper than any stack. This deep, with the keywords that describe the same value, nobody nests. */
const MOST_STEPS_DOWN = 128;

/** Writes down a change. */
export function note(work: Rewriting, path: Path, what: string): void {
  if (work.changes.length < MOST_CHANGES) work.changes.push({ path, what });
}

/** Whether a place is so deep that what is there is only named. */
export function isTooDeep({ path, level }: Place, { maxLevels }: Rewriting): boolean {
  return level > maxLevels || path.length > MOST_STEPS_DOWN;
}
