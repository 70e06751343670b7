import type { JsonSchemaObject } from "@toolwire/server";

type Schema = JsonSchemaObject | boolean;

/** Makes a value that a schema accepts, unless patterns or rare keywords stand in the way. Optional properties are given to a depth. */
export function sampleOf(root: JsonSchemaObject): unknown {
  return sample(root, root, 0);
}

/** Deeper than this, only what is required is given, and a `$ref` that is met again ends in a union or nowhere. */
const MAX_DEPTH = 5;

function sample(schema: Schema, root: JsonSchemaObject, depth: number): unknown {
  if (typeof schema === "boolean" || depth > 12) return depth > 12 ? null : "any";
  const { $ref, allOf, anyOf } = schema;
  if (typeof $ref === "string") {
    const definitions = root["$defs"] as { readonly [name: string]: JsonSchemaObject };
    return sample(definitions[$ref.slice("#/$defs/".length)]!, root, depth + 1);
  }
  if (Array.isArray(schema["enum"])) return (schema["enum"] as unknown[])[0];
  if ("const" in schema) return schema["const"];
  if (Array.isArray(allOf)) {
    const parts = (allOf as Schema[]).map((part) => sample(part, root, depth + 1));
    return parts.every((part) => typeof part === "object") ? Object.assign({}, ...parts) : parts[0];
  }
  const [first] = [schema["type"]].flat() as (string | undefined)[];
  if (Array.isArray(anyOf)) {
    const forms = anyOf as Schema[];
    if (first === "object") {
      const own = sampleObject(mergeForm(schema, forms[0]!), root, depth) as object;
      const isReference = typeof forms[0] === "object" && "$ref" in forms[0];
      return isReference ? { ...own, ...(sample(forms[0]!, root, depth + 1) as object) } : own;
    }
    const simple = forms.find((form) => typeof form === "object" && form["type"] !== "object");
    return sample(simple ?? forms[0]!, root, depth + 1);
  }
  return sampleOfType(first, schema, root, depth);
}

function sampleOfType(
  type: string | undefined,
  schema: JsonSchemaObject,
  root: JsonSchemaObject,
  depth: number,
): unknown {
  switch (type) {
    case "object":
      return sampleObject(schema, root, depth);
    case "array": {
      const count = Math.max(Number(schema["minItems"] ?? 0), depth < MAX_DEPTH ? 1 : 0);
      return Array.from({ length: Math.min(count, 20) }, () =>
        sample((schema["items"] ?? {}) as Schema, root, depth + 1),
      );
    }
    case "integer":
    case "number": {
      const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema as {
        readonly [keyword: string]: number | undefined;
      };
      const least = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + 1);
      const most = maximum ?? (exclusiveMaximum === undefined ? undefined : exclusiveMaximum - 1);
      const wanted = least ?? Math.min(1, most ?? 1);
      return multipleOf === undefined ? wanted : Math.ceil(wanted / multipleOf) * multipleOf;
    }
    case "boolean":
      return true;
    case "null":
      return null;
    case "string":
      return "x".repeat(Math.max(Number(schema["minLength"] ?? 0), Math.min(1, Number(schema["maxLength"] ?? 1))));
    default:
      return "any";
  }
}

function sampleObject(schema: JsonSchemaObject, root: JsonSchemaObject, depth: number): unknown {
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  const properties = Object.entries((schema["properties"] ?? {}) as { readonly [name: string]: Schema });
  const room = Number(schema["maxProperties"] ?? Infinity) - required.size;
  const optional = properties
    .filter(([name]) => !required.has(name))
    .slice(0, depth < MAX_DEPTH ? room : Number(schema["minProperties"] ?? 0));
  const chosen = [...properties.filter(([name]) => required.has(name)), ...optional];
  const given = chosen.map(([name, property]) => [name, sample(property, root, depth + 1)] as const);
  const others = [...required].filter((name) => !properties.some(([known]) => known === name));
  const made = [...given, ...others.map((name) => [name, "any"] as const)];
  const isClosed = schema["additionalProperties"] === false;
  const missing = isClosed ? 0 : Math.max(0, Number(schema["minProperties"] ?? 0) - made.length);
  const further = (schema["additionalProperties"] ?? {}) as Schema;
  const more = Array.from(
    { length: missing },
    (_, index) => [`more${index}`, sample(further, root, depth + 1)] as const,
  );
  return Object.fromEntries([...made, ...more]);
}

/** An object that also has one of several forms: the properties of the form say more about its own. */
function mergeForm(schema: JsonSchemaObject, form: Schema): JsonSchemaObject {
  if (typeof form === "boolean") return schema;
  const properties = { ...(schema["properties"] as object), ...(form["properties"] as object | undefined) };
  const required = [schema, form].flatMap((part) => (part["required"] ?? []) as readonly string[]);
  return { type: "object", properties, required };
}
