/** The parts of `allOf`, whose keywords are merged with those of the schema around them. */
import { isMembers, itemsOf, type JsonMembers, memberOf } from "../document/json-value.ts";
import type { References } from "../document/references.ts";
import { deeper, type Place, type Work } from "./fragment.ts";
import { isExtension, SILENT_KEYWORDS } from "./keywords.ts";

/** The most members of one `allOf`, those of the schemas it refers to included. */
const MAX_PARTS = 200;

/** A schema object whose keywords are merged with those of others. `isShared`: it was found by a reference. */
export interface Part {
  readonly value: JsonMembers;
  readonly place: Place;
  readonly isShared: boolean;
}

/** Lists a schema and the parts of its `allOf`, each once: `allOf` may name the same part twice, or itself. */
export function collectParts(value: JsonMembers, place: Place, references: References, work: Work): readonly Part[] {
  const parts: Part[] = [];
  collect({ value, place, isShared: false }, references, work, parts, new Set());
  return parts;
}

function collect(
  { value, place, isShared }: Part,
  references: References,
  work: Work,
  parts: Part[],
  seen: Set<object>,
): void {
  if (seen.has(value)) return;
  seen.add(value);
  if (parts.length >= MAX_PARTS) {
    work.notes.add(`An allOf has more than ${MAX_PARTS} parts; the others are left out.`);
    return;
  }
  parts.push({ value, place, isShared });
  for (const [index, each] of itemsOf(memberOf(value, "allOf")).entries()) {
    const inner = deeper(place, `allOf/${index}`);
    const part = references.follow({ value: each, document: place.document });
    if (part.problem !== undefined) work.notes.add(`A part of a schema is left out: ${part.problem}.`);
    else if (isMembers(part.value)) {
      const at = {
        document: part.document,
        pointer: part.pointer || inner.pointer,
        nesting: place.nesting,
      };
      const isReference = part.pointer !== "";
      collect({ value: part.value, place: at, isShared: isShared || isReference }, references, work, parts, seen);
    }
  }
}

/** The one part of an `allOf` next to which there are only annotations: how 3.0 adds a description to a reference. */
export function findOnlyPart(value: JsonMembers, parts: readonly unknown[]): unknown {
  const others = Object.keys(value).filter((key) => key !== "allOf" && !SILENT_KEYWORDS.has(key) && !isExtension(key));
  return parts.length === 1 && others.every((key) => key === "default") ? parts[0] : undefined;
}
