import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { UsageError } from "../errors.ts";
import { nameOf } from "../messages/parse.ts";
import { isObject } from "../model/json.ts";
import type { AnySchema, StandardSchema } from "./any-schema.ts";
import type { LibraryIssue } from "./library-issue.ts";
import { libraryOptions, type SchemaDirection } from "./library-options.ts";
import type { JsonSchema, SchemaValidator, Validate, Validation } from "./validator.ts";
import { wordIssues } from "./word-issues.ts";

/** A schema in the two forms the protocol needs: to show to the other side, and to check values with. */
export interface SchemaDescription {
  /** What to advertise, in 2020-12 unless its `$schema` says otherwise. */
  readonly jsonSchema: JsonSchema;
  /** Checks a value. Only schemas with asynchronous checks of their own answer with a promise. */
  readonly validate: (value: unknown) => Validation | Promise<Validation>;
}

/**
 * Reads any schema, and fails at once if it cannot be advertised or checked.
 *
 * `direction` says which side of defaults and transforms is advertised: `input` for what a peer sends to us (tool
 * arguments), `output` for what we send to it.
 *
 * `validator` is what plain JSON Schema is checked with. Schemas of libraries check values themselves; of these, it finds
 * the words for what is wrong, so that they are the same for all libraries. It may be a function that loads it when it is
 * first needed, which is with the first value that a library rejects. Without it, libraries speak for themselves.
 *
 * @throws UsageError `INVALID_SCHEMA` or `UNSUPPORTED_DIALECT`
 */
export function describeSchema(
  schema: AnySchema,
  direction: SchemaDirection,
  validator?: SchemaValidator | (() => Promise<SchemaValidator>),
): SchemaDescription {
  if (isStandardSchema(schema)) return describeStandardSchema(schema, direction, validator);
  refuseOtherThings(schema);
  if (validator === undefined || typeof validator === "function") {
    throw new UsageError(
      "INVALID_SCHEMA",
      "Plain JSON Schema needs a `validator`, such as that of @toolwire/protocol/json-schema.",
    );
  }
  return { jsonSchema: schema, validate: validator.compile(schema) };
}

/** Whether this is a schema of a library that implements Standard Schema (arktype's are functions). */
export function isStandardSchema(value: unknown): value is StandardSchema {
  return isObject((value as Partial<StandardSchema> | null | undefined)?.["~standard"]);
}

function describeStandardSchema(
  schema: StandardSchema,
  direction: SchemaDirection,
  validator: SchemaValidator | (() => Promise<SchemaValidator>) | undefined,
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

  function read(result: StandardSchemaV1.Result<unknown>, value: unknown): Validation | Promise<Validation> {
    const { issues } = result;
    if (issues === undefined) return { ok: true, value: result.value };
    if (check === undefined && typeof validator === "function") {
      return validator().then((loaded) => explain(issues, value, (check ??= compile(loaded))));
    }
    return explain(issues, value, (check ??= compile(validator as SchemaValidator | undefined)));
  }

  function explain(issues: readonly LibraryIssue[], value: unknown, checkAgain: Validate): Validation {
    const { vendor } = standard;
    const again = checkAgain(value);
    return { ok: false, issues: wordIssues(issues, vendor, again.ok ? [] : again.issues) };
  }

  /** A check by the JSON Schema of what a library takes, which is what a value is whichever way it travels. */
  function compile(given: SchemaValidator | undefined): Validate {
    try {
      if (given !== undefined) return given.compile(convert(schema, "input"));
    } catch {
      // It cannot be expressed, or is beyond the limits of the validator. The library then speaks for itself.
    }
    return (value) => ({ ok: true, value });
  }
}

/** The compiler asks for `jsonSchema`, but not everybody asks the compiler. */
type MaybeConvertible = StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props>;

function convert(schema: StandardSchema, direction: SchemaDirection): JsonSchema {
  const { vendor, jsonSchema: converter }: MaybeConvertible = schema["~standard"];
  if (converter === undefined) {
    throw new UsageError(
      "INVALID_SCHEMA",
      `This ${vendor} schema cannot describe itself as JSON Schema. ${REMEDIES[vendor] ?? "Use a version with Standard JSON Schema, or plain JSON Schema."}`,
    );
  }
  try {
    const { $schema, ...rest } = converter[direction]({
      target: "draft-2020-12",
      ...(vendor in REMEDIES && { libraryOptions: libraryOptions(schema, direction) }),
    });
    // 2020-12 is what MCP assumes anyway: saying so in every schema only makes every listing longer.
    return $schema === undefined || $schema === "https://json-schema.org/draft/2020-12/schema"
      ? rest
      : { $schema, ...rest };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(
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
    throw new UsageError(
      "INVALID_SCHEMA",
      `A schema must be of zod, valibot or arktype, or JSON Schema, but is ${nameOf(schema)}.`,
    );
  }
  refuseObjectOfSchemas(schema);
}

/**
 * Refuses an object that has schemas as its members, such as `{ city: z.string() }`. It is easily mistaken for a schema.
 *
 * @throws UsageError `INVALID_SCHEMA`
 */
export function refuseObjectOfSchemas(object: { readonly [name: string]: unknown }): void {
  const field = Object.keys(object).find((key) => isStandardSchema(object[key]));
  if (field === undefined) return;
  throw new UsageError(
    "INVALID_SCHEMA",
    `"${field}" is a schema, so this is an object of schemas. Wrap it, for example as z.object({ … }).`,
  );
}
