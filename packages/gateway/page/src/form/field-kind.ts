/**
 * How a schema is filled in: each kind has an input of its own. Anything that no input fits is written as JSON.
 */
import type { JsonSchema, JsonSchemaObject } from "@toolwire/json-schema";

/** The input for a value of a schema. */
export type FieldKind =
  | { readonly kind: "text"; readonly isLong: boolean }
  | { readonly kind: "number"; readonly isInteger: boolean }
  | { readonly kind: "boolean" }
  | { readonly kind: "choice"; readonly values: readonly unknown[] }
  | { readonly kind: "list"; readonly items: JsonSchema }
  | { readonly kind: "object"; readonly members: readonly Member[] }
  | { readonly kind: "union"; readonly variants: readonly Variant[] }
  | { readonly kind: "json" };

/** A property of an object. */
export interface Member {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** One form of a union. */
export interface Variant {
  readonly name: string;
  readonly schema: JsonSchema;
}

/** Below this, forms would be boxes in boxes in boxes. */
const MAX_DEPTH = 8;
const MAX_HOPS = 32;
const MAX_MEMBERS = 200;
const MAX_CHOICES = 500;

/** Finds the input for a schema. `root` has the definitions that it refers to. */
export function fieldKindOf(given: JsonSchema, root: JsonSchema, depth = 0): FieldKind {
  const schema = follow(given, root);
  if (typeof schema === "boolean" || depth > MAX_DEPTH) return { kind: "json" };
  const { const: fixed, enum: values } = schema;
  if (Object.hasOwn(schema, "const")) return { kind: "choice", values: [fixed] };
  if (Array.isArray(values)) return values.length > MAX_CHOICES ? { kind: "json" } : { kind: "choice", values };
  const union = unionOf(schema, root, depth);
  if (union !== undefined) return union;
  switch (typeOf(schema)) {
    case "string": {
      const longest = schema["maxLength"];
      const isLong = typeof longest === "number" && longest > 200 && schema["format"] === undefined;
      return { kind: "text", isLong };
    }
    case "integer":
      return { kind: "number", isInteger: true };
    case "number":
      return { kind: "number", isInteger: false };
    case "boolean":
      return { kind: "boolean" };
    case "array":
      return listOf(schema);
    case "object":
      return objectOf(schema);
    default:
      return { kind: "json" };
  }
}

/** The schema that a reference leads to. Only references within the document are followed. */
export function follow(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let current = schema;
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    if (typeof current === "boolean") return current;
    const { $ref: reference, ...beside } = current;
    if (typeof reference !== "string") return current;
    const target = lookUp(root, reference);
    if (target === undefined) return true;
    // Words beside the reference, such as a description, say more about this place.
    current = typeof target === "boolean" ? target : { ...target, ...(beside as JsonSchemaObject) };
  }
  return true;
}

/** The words of a schema for people: its description and its limits. */
export function hintOf(given: JsonSchema, root: JsonSchema): string | undefined {
  const schema = follow(given, root);
  if (typeof schema === "boolean") return undefined;
  const limits = LIMITS.flatMap(([keyword, words]) => {
    const value = schema[keyword];
    return typeof value === "number" || typeof value === "string" ? [`${words} ${value}`] : [];
  });
  const preset = Object.hasOwn(schema, "default") ? [`default ${JSON.stringify(schema["default"]).slice(0, 80)}`] : [];
  const description = typeof schema["description"] === "string" ? schema["description"] : "";
  const rules = [...limits, ...preset].join(", ");
  const hint = [description, rules === "" ? "" : `(${rules})`].filter((part) => part !== "").join(" ");
  return hint === "" ? undefined : hint;
}

const LIMITS = [
  ["minimum", "at least"],
  ["maximum", "at most"],
  ["minLength", "shortest"],
  ["maxLength", "longest"],
  ["minItems", "fewest"],
  ["maxItems", "most"],
  ["format", "format"],
  ["pattern", "pattern"],
] as const;

function lookUp(root: JsonSchema, reference: string): JsonSchema | undefined {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let value: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    const name = safeDecode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as { readonly [name: string]: unknown })[name];
  }
  return isSchema(value) ? value : undefined;
}

function unionOf(schema: JsonSchemaObject, root: JsonSchema, depth: number): FieldKind | undefined {
  const forms = schema["oneOf"] ?? schema["anyOf"];
  if (!Array.isArray(forms)) return undefined;
  const real = forms.filter(isSchema).filter((form) => typeOf(follow(form, root)) !== "null");
  const [only] = real;
  if (only === undefined) return { kind: "json" };
  if (real.length === 1) return fieldKindOf(only, root, depth + 1);
  const kinds = real.map((form) => fieldKindOf(form, root, depth + 1));
  if (kinds.every((each) => each.kind === "choice")) {
    return { kind: "choice", values: kinds.flatMap(({ values }) => values) };
  }
  // Keywords beside the union count for every form.
  const { oneOf: _, anyOf: __, description: ___, title: ____, ...shared } = schema;
  const variants = real.map((form, index): Variant => {
    const followed = follow(form, root);
    const full = typeof followed === "boolean" ? followed : ({ ...shared, ...followed } as JsonSchemaObject);
    return { name: nameOf(followed, index), schema: full };
  });
  return { kind: "union", variants };
}

function nameOf(schema: JsonSchema, index: number): string {
  if (typeof schema === "boolean") return `Form ${index + 1}`;
  if (typeof schema["title"] === "string" && schema["title"] !== "") return schema["title"];
  const type = typeOf(schema);
  return type === undefined ? `Form ${index + 1}` : `${type[0]?.toUpperCase() ?? ""}${type.slice(1)}`;
}

function listOf(schema: JsonSchemaObject): FieldKind {
  const items = schema["items"];
  if (schema["prefixItems"] !== undefined || !isSchema(items) || typeof items === "boolean") return { kind: "json" };
  return { kind: "list", items };
}

function objectOf(schema: JsonSchemaObject): FieldKind {
  const { properties, required } = schema;
  const hasMore = ["allOf", "patternProperties", "if"].some((keyword) => schema[keyword] !== undefined);
  if (typeof properties !== "object" || properties === null || hasMore) return { kind: "json" };
  const names = Array.isArray(required) ? required : [];
  const members = Object.entries(properties).map(([name, member]): Member => ({
    name,
    schema: isSchema(member) ? member : true,
    isRequired: names.includes(name),
  }));
  if (members.length === 0 || members.length > MAX_MEMBERS) return { kind: "json" };
  return {
    kind: "object",
    members: members.toSorted((left, right) => Number(right.isRequired) - Number(left.isRequired)),
  };
}

/** The type of a schema, leaving `null` aside if there is another one. */
function typeOf(schema: JsonSchema): string | undefined {
  if (typeof schema === "boolean") return undefined;
  const { type } = schema;
  if (typeof type === "string") return type;
  if (Array.isArray(type)) {
    const real = type.filter((each) => each !== "null");
    return real.length === 1 && typeof real[0] === "string" ? real[0] : undefined;
  }
  return typeof schema["properties"] === "object" ? "object" : undefined;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "boolean" || (typeof value === "object" && value !== null && !Array.isArray(value));
}

function safeDecode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
