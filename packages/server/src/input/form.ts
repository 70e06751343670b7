import { isObject } from "@toolwire/protocol/internal";
import { UsageError, type AnySchema, type ElicitFormParams, type FormField, type JsonSchema } from "@toolwire/protocol";
import { describeIssues, describeSchema, isStandardSchema, refuseObjectOfSchemas } from "@toolwire/protocol/schema";
import type { Elicited, FormQuestion } from "../define/context.ts";
import type { Schemas } from "../registry/schemas.ts";
import type { Reading } from "./questions.ts";

/** What a form may say of each kind of field (elicitation page, "Requested Schema"). The rest stays on this side. */
const KEYWORDS: { readonly [type: string]: readonly string[] } = {
  string: ["minLength", "maxLength", "format", "enum", "enumNames", "oneOf"],
  number: ["minimum", "maximum"],
  integer: ["minimum", "maximum"],
  boolean: [],
  array: ["minItems", "maxItems", "items"],
};

const COMMON = ["type", "title", "description", "default"];
const FORMATS = ["email", "uri", "date", "date-time"];

/** The request that asks the user to fill in a form. Throws a `UsageError` for a schema that no form can show. */
export function toForm({ message, schema }: FormQuestion): ElicitFormParams {
  const described: JsonSchema = isStandardSchema(schema) ? describeSchema(schema, "input").jsonSchema : schema;
  if (isObject(described)) refuseObjectOfSchemas(described);
  const { type, properties, required } = isObject(described) ? described : {};
  if (type !== "object" || !isObject(properties)) {
    throw unusable("the form itself", "must be an object with `properties`");
  }
  return {
    mode: "form",
    message,
    requestedSchema: {
      type: "object",
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, toField(name, field)])),
      ...(Array.isArray(required) && required.length > 0 && { required: required as string[] }),
    },
  };
}

/** Checks a filled-in form against the schema that it was asked for with. */
export async function readForm(
  schemas: Schemas,
  schema: AnySchema,
  content: unknown,
): Promise<Reading<Elicited<unknown>>> {
  const validator = isStandardSchema(schema) ? () => schemas.wording() : await schemas.validator();
  const checked = await describeSchema(schema, "input", validator).validate(content ?? {});
  return checked.ok
    ? { ok: true, value: { action: "accept", content: checked.value } }
    : { ok: false, problem: describeIssues(checked.issues) };
}

function toField(name: string, schema: unknown): FormField {
  const type = isObject(schema) ? schema["type"] : undefined;
  if (!isObject(schema) || typeof type !== "string" || !Object.hasOwn(KEYWORDS, type)) {
    throw unusable(`"${name}"`, "must be a string, a number, a boolean, or a choice of strings");
  }
  if (type === "array" && !isChoice(schema["items"])) {
    throw unusable(`"${name}"`, "may be a list only if its items are a choice of strings");
  }
  const allowed = [...COMMON, ...(KEYWORDS[type] ?? [])];
  const field = Object.fromEntries(
    Object.entries(schema).filter(([keyword, value]) => {
      if (keyword === "format") return FORMATS.includes(value as string);
      return allowed.includes(keyword);
    }),
  );
  return field as unknown as FormField;
}

function isChoice(items: unknown): boolean {
  return isObject(items) && (Array.isArray(items["enum"]) || Array.isArray(items["anyOf"]));
}

function unusable(what: string, expected: string): UsageError {
  return new UsageError("INVALID_SCHEMA", `A form is a flat object of simple fields: ${what} ${expected}.`);
}
