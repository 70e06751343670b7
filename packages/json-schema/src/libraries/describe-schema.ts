import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { createJsonSchemaValidator } from "../check/validator.ts";
import { SchemaError } from "../error.ts";
import { isObject, type JsonSchema, type SchemaValidator, type Validate, type Validation } from "../schema.ts";
import { wordIssues } from "./issues.ts";
import { libraryOptions, type SchemaDirection } from "./options.ts";
import type { AnySchema, StandardSchema } from "./standard-schema.ts";

/** A schema in the two forms the protocol needs: to show to the other side, and to check values with. */
export interface SchemaDescription {
  /** The JSON Schema to advertise, in 2020-12 unless its `$schema` says otherwise. */
  readonly jsonSchema: JsonSchema;
  /** Checks a value. Only schemas with asynchronous checks of their own answer with a promise. */
  readonly validate: (value: unknown) => Validation | Promise<Validation>;
}

/**
 * Reads any schema, and fails at once if it cannot be advertised or checked.
 *
 * `direction` says which side of defaults and transforms is advertised: `input` for values that a peer sends to us (tool
 * arguments), `output` for values that we send to it.
 *
 * `validator` checks plain JSON Schema. Schemas of libraries check values themselves; for these, the validator only words what
 * is wrong, so that the words are the same for all libraries.
 *
 * @throws SchemaError `INVALID_SCHEMA` or `UNSUPPORTED_DIALECT`
 */
export function describeSchema(
  schema: AnySchema,
  direction: SchemaDirection,
  validator: SchemaValidator = DEFAULT_VALIDATOR,
): SchemaDescription {
  if (isStandardSchema(schema)) return describeStandardSchema(schema, direction, validator);
  refuseOtherThings(schema);
  return { jsonSchema: schema, validate: validator.compile(schema) };
}

const DEFAULT_VALIDATOR: SchemaValidator = /* @__PURE__ */ createJsonSchemaValidator();

/** Whether this is a schema of a library that implements Standard Schema (arktype's are functions). */
export function isStandardSchema(value: unknown): value is StandardSchema {
  return isObject((value as Partial<StandardSchema> | null | undefined)?.["~standard"]);
}

function describeStandardSchema(
  schema: StandardSchema,
  direction: SchemaDirection,
  validator: SchemaValidator,
): SchemaDescription {
  const standard = schema["~standard"];
  let check: Validate | undefined;
  return {
    jsonSchema: convert(schema, direction),
    validate(value) {
      const result = standard.validate(value);
      return result instanceof Promise ? result.then((later) => read(later, value)) : read(result, value);
    },
  };

  function read(result: StandardSchemaV1.Result<unknown>, value: unknown): Validation {
    const { issues } = result;
    if (issues === undefined) return { ok: true, value: result.value };
    check ??= compile();
    const again = check(value);
    return { ok: false, issues: wordIssues(issues, standard.vendor, again.ok ? [] : again.issues) };
  }

  /** Compiles the JSON Schema of the library's input, whichever way values travel: that is what a rejected value was meant to be. */
  function compile(): Validate {
    try {
      return validator.compile(convert(schema, "input"));
    } catch {
      // Keeps the library's own words for a schema that JSON Schema cannot express, or that is beyond the limits.
      return (value) => ({ ok: true, value });
    }
  }
}

/** TypeScript asks for `jsonSchema`, but programs in JavaScript may lack it. */
type MaybeConvertible = StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props>;

function convert(schema: StandardSchema, direction: SchemaDirection): JsonSchema {
  const { vendor, jsonSchema: converter }: MaybeConvertible = schema["~standard"];
  if (converter === undefined) {
    throw new SchemaError(
      "INVALID_SCHEMA",
      `This ${vendor} schema cannot describe itself as JSON Schema. ${REMEDIES[vendor] ?? "Use a version with Standard JSON Schema, or plain JSON Schema."}`,
    );
  }
  try {
    const { $schema, ...rest } = converter[direction]({
      target: "draft-2020-12",
      ...(vendor in REMEDIES && { libraryOptions: libraryOptions(schema, direction) }),
    });
    // Leaves out the dialect that MCP assumes anyway: it would only make every listing longer.
    return $schema === undefined || $schema === "https://json-schema.org/draft/2020-12/schema"
      ? rest
      : { $schema, ...rest };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SchemaError(
      "INVALID_SCHEMA",
      `${vendor} cannot express the ${direction} of this schema as JSON Schema: ${reason} Describe what JSON can carry, and what a transform yields by a schema that follows it.`,
      { cause },
    );
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  arktype: "Update arktype to 2.1.28 or later.",
  valibot: 'Wrap it: `toStandardJsonSchema(schema)`, from "@valibot/to-json-schema".',
  zod: "Update zod to 4.2 or later.",
};

function refuseOtherThings(schema: unknown): asserts schema is JsonSchema {
  if (typeof schema === "boolean") return;
  if (!isObject(schema)) {
    throw new SchemaError(
      "INVALID_SCHEMA",
      `A schema must be of zod, valibot or arktype, or JSON Schema, but is ${nameKind(schema)}.`,
    );
  }
  refuseObjectOfSchemas(schema);
}

function nameKind(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}

/**
 * Refuses an object that has schemas as its members, such as `{ city: z.string() }`. It is easily mistaken for a schema.
 *
 * @throws SchemaError `INVALID_SCHEMA`
 */
export function refuseObjectOfSchemas(object: { readonly [name: string]: unknown }): void {
  const field = Object.keys(object).find((key) => isStandardSchema(object[key]));
  if (field === undefined) return;
  throw new SchemaError(
    "INVALID_SCHEMA",
    `"${field}" is a schema, so this is an object of schemas. Wrap it, for example as z.object({ … }).`,
  );
}
