/** Mends single schemas: what older versions wrote differently, what authors forget, and what vendors of models refuse. */
import { type JsonMembers, memberOf, membersOf, textOf } from "../document/json-value.ts";
import { type Draft, typesOf } from "./types.ts";

/** Until 3.0, the exclusive bounds were switches of the others. Documents mix both, so the kind of value decides. */
export function convertBounds(value: JsonMembers, draft: Draft): void {
  for (const [exclusive, inclusive] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const bound = memberOf(value, exclusive);
    if (typeof bound === "number" && Number.isFinite(bound)) draft[exclusive] = bound;
    else if (bound === true && draft[inclusive] !== undefined) {
      draft[exclusive] = draft[inclusive];
      Reflect.deleteProperty(draft, inclusive);
    }
  }
}

/**
 * Mends what authors forget and what the vendors of models refuse: objects without a type, arrays without items, lists of values
 * for an array that are meant for its items.
 */
export function mend(given: Draft): Draft {
  const implied = given["properties"] !== undefined ? "object" : given["items"] !== undefined ? "array" : undefined;
  const typed: Draft = given["type"] === undefined && implied !== undefined ? { type: implied, ...given } : given;
  const draft = dropUnknownNames(openBesideUnion(typed));
  const types = typesOf(draft);
  if (!types.includes("array")) return draft;
  const { enum: values, ...rest } = draft;
  const items = draft["items"] ?? {};
  if (!Array.isArray(values) || values.some((value) => Array.isArray(value))) return { ...draft, items };
  const isPlain = typeof items === "object" && !("enum" in items) && !("$ref" in items);
  return { ...rest, items: isPlain ? { ...items, enum: values } : items };
}

/** A closed object beside a union would refuse the properties of all forms. Its author means the whole to be closed. */
function openBesideUnion(draft: Draft): Draft {
  if (draft["additionalProperties"] !== false || draft["anyOf"] === undefined) return draft;
  const { additionalProperties: _, ...open } = draft;
  return open;
}

/** A closed object cannot have a property that it requires but does not know: nothing would be valid. */
function dropUnknownNames(draft: Draft): Draft {
  const { additionalProperties, patternProperties, required, ...rest } = draft;
  if (additionalProperties !== false || patternProperties !== undefined || !Array.isArray(required)) return draft;
  const known = new Set(Object.keys((draft["properties"] ?? {}) as object));
  const names = (required as string[]).filter((name) => known.has(name));
  if (names.length === required.length) return draft;
  return { ...rest, additionalProperties, ...(names.length > 0 && { required: names }) };
}

/** The names of a mapping tell a model which values the deciding property can have. */
export function describeDiscriminator(value: unknown): string | undefined {
  const property = typeof value === "string" ? value : textOf(memberOf(value, "propertyName"));
  if (property === undefined) return undefined;
  const names = membersOf(memberOf(value, "mapping")).map(([name]) => JSON.stringify(name));
  const listed = names.slice(0, 20).join(", ");
  return `The property ${JSON.stringify(property)} says which form it is${listed === "" ? "" : `: ${listed}`}.`;
}

/** Whether a schema of a document stands for a file: the text of a request cannot hold its bytes. */
export function isFileSchema(schema: unknown): boolean {
  const type = memberOf(schema, "type");
  if (type === "file") return true;
  const isText = type === undefined || type === "string" || (Array.isArray(type) && type.includes("string"));
  if (!isText) return false;
  if (memberOf(schema, "format") === "binary") return true;
  const mediaType = memberOf(schema, "contentMediaType");
  return (
    typeof mediaType === "string" &&
    memberOf(schema, "contentEncoding") === undefined &&
    !/json|^text\//.test(mediaType)
  );
}
