/** Members of a JSON response that the model chooses, by the argument `_fields`. */

/** The argument that names the members. */
export const FIELDS_ARGUMENT = "_fields";
const MAX_FIELDS = 32;
const MAX_LENGTH = 200;

/** The schema of the argument. */
export const FIELDS_SCHEMA: { readonly [keyword: string]: unknown } = {
  type: "array",
  items: { type: "string", maxLength: MAX_LENGTH },
  maxItems: MAX_FIELDS,
  description: 'Members of the response to return, to save tokens, such as ["items.name"]. Default: all.',
};

/** The paths that a model has given, as a tree: `["a.b", "a.c"]` is `a` with `b` and `c`. A leaf takes everything below. */
interface FieldTree extends Map<string, FieldTree> {}

/** Reads the argument, as far as it fits its schema. `undefined`: nothing is chosen. */
export function readFields(args: object): FieldTree | undefined {
  const given = Object.hasOwn(args, FIELDS_ARGUMENT)
    ? (args as { readonly _fields: unknown })[FIELDS_ARGUMENT]
    : undefined;
  if (!Array.isArray(given) || given.length === 0) return undefined;
  const tree: FieldTree = new Map();
  for (const path of given.slice(0, MAX_FIELDS)) {
    let place = tree;
    for (const name of String(path).slice(0, MAX_LENGTH).split(".")) {
      let next = place.get(name);
      if (next === undefined) place.set(name, (next = new Map()));
      place = next;
    }
    place.clear();
  }
  return tree;
}

/** Copies the chosen members. Lists are passed through: `items.name` takes the name of every item. */
export function pickFields(value: unknown, fields: FieldTree): unknown {
  if (fields.size === 0 || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => pickFields(item, fields));
  const picked = Object.create(null) as { [name: string]: unknown };
  for (const [name, below] of fields) {
    if (!Object.hasOwn(value, name)) continue;
    picked[name] = pickFields((value as { readonly [name: string]: unknown })[name], below);
  }
  return picked;
}
