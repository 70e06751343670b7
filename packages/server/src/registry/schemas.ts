import { expectOption } from "@toolwire/protocol/internal";
import {
  describeSchema,
  jsonSchemaValidator,
  type AnySchema,
  type SchemaDescription,
  type SchemaValidator,
} from "@toolwire/json-schema";

/**
 * Turns the schemas of a definition into checks. Schemas of libraries check with the library. Plain JSON Schema is checked by the
 * validator, which also words what libraries reject, so that callers read the same about the same mistake.
 */
export class Schemas {
  readonly #validator: SchemaValidator;

  constructor(validator: SchemaValidator | undefined) {
    const fits = validator === undefined || typeof validator.compile === "function";
    expectOption("validator", validator, fits, "an object with `compile()`");
    this.#validator = validator ?? jsonSchemaValidator;
  }

  /** Reads a schema. Throws a `UsageError` if it cannot be advertised or checked. */
  describe(schema: AnySchema, direction: "input" | "output"): SchemaDescription {
    return describeSchema(schema, direction, this.#validator);
  }
}
