import { followPointer } from "@toolwire/json-schema/internal";
import { isObject } from "@toolwire/protocol/internal";
import { type Keywords, typesOf } from "../walk/schema-nodes.ts";
import { mergeObjects } from "./merge.ts";
import { isTooDeep, note, type Place, type Rewriting } from "./rewriting.ts";

/** So many references are followed from one place, one behind the other, before anything else stands there. */
const MOST_STEPS = 32;

/** What is left of a schema whose parts are left out. */
export function withoutParts(schema: Keywords): Keywords {
  const [only, ...others] = typesOf(schema);
  const type = others.length === 0 ? only : undefined;
  const { description } = schema;
  return {
    ...(type !== undefined && type !== "array" && { type }),
    ...(type === "array" && { type, items: {} }),
    ...(typeof description === "string" && { description }),
  };
}

/** Puts the target of a reference in its place, with the keywords beside it. */
export function withoutReferences(
  given: Keywords,
  { path, within: outer }: Place,
  work: Rewriting,
): { readonly schema: Keywords; readonly within: readonly unknown[] } {
  let schema = given;
  let within = outer;
  for (let step = 0; Object.hasOwn(schema, "$ref"); step++) {
    const { $ref: reference, ...beside } = schema;
    const target = targetOf(work.root, reference);
    if (target === undefined || step === MOST_STEPS) {
      note(work, path, "a reference that leads nowhere is left out");
      return { schema: beside, within };
    }
    if (within.includes(target)) {
      note(work, path, "a reference to what is around it is left out: its value is not described again");
      return { schema: { ...withoutParts(target), ...beside }, within };
    }
    if (step === 0) note(work, path, "a reference is replaced by what it refers to");
    within = [...within, target];
    schema = { ...target, ...beside };
  }
  return { schema, within };
}

/** Anchors and other documents are not looked up: generators write pointers. */
function targetOf(root: Keywords, reference: unknown): Keywords | undefined {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  const target = followPointer(root, reference.slice(1));
  if (target === true) return {};
  return isObject(target) && !Array.isArray(target) ? target : undefined;
}

/** Merges `allOf` into the schema that has it. Parts that are no objects cannot be merged, and the first that says a thing wins. */
export function mergeAll(schema: Keywords, place: Place, work: Rewriting): Keywords {
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf)) return schema;
  if (isTooDeep(place, work)) return own;
  note(work, [...place.path, "allOf"], "`allOf` is written as one schema");
  const parts = allOf.slice(0, Math.max(work.left, 0)).flatMap((part) => {
    if (!isObject(part)) return [];
    work.left -= 1;
    const inside = { ...place, path: [...place.path, "allOf"] };
    const { schema: resolved, within } = withoutReferences(part, inside, work);
    return [mergeAll(resolved, { ...inside, within }, work)];
  });
  const all = [own, ...parts];
  const objects = all.filter((part) => isObject(part["properties"]) || Array.isArray(part["required"]));
  const merged: Keywords = Object.assign({}, ...parts.toReversed(), own) as Keywords;
  if (objects.length === 0) return merged;
  const { additionalProperties: _closed, ...rest } = merged;
  return { ...rest, ...mergeObjects(objects, "all") };
}
