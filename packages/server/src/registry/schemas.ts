import type { AnySchema, JsonSchema, SchemaDescription, SchemaValidator, Validate } from "@toolwire/protocol";
import { describeSchema, isStandardSchema } from "@toolwire/protocol/schema";
import { checkJsonSchema } from "../define/check-json-schema.ts";
import { expectOption } from "../define/check-options.ts";
import type { ServerDiagnostic } from "../diagnostics.ts";

/**
 * Turns the schemas of a definition into checks. Schemas of libraries check with the library. Plain JSON Schema needs a
 * validator, which is loaded when first needed, so that servers without plain JSON Schema never pay for it; until then
 * a check answers with a promise, afterwards at once. What a library rejects is put into the words of a validator as well, so
 * that callers read the same about the same mistake; that one is loaded with the first rejection.
 */
export class Schemas {
  #validator: SchemaValidator | undefined;
  /** Finds words for what libraries reject. */
  #wording: SchemaValidator | undefined;
  readonly #diagnose: (event: ServerDiagnostic) => void;
  /** Shows the validator the schemas that it has not seen yet. */
  readonly #unseen: ((validator: SchemaValidator) => void)[] = [];

  constructor(validator: SchemaValidator | undefined, diagnose: (event: ServerDiagnostic) => void) {
    const fits = validator === undefined || typeof validator.compile === "function";
    expectOption("validator", validator, fits, "an object with `compile()`");
    this.#validator = validator;
    this.#wording = validator;
    this.#diagnose = diagnose;
  }

  /** Reads a schema. Throws a `UsageError` if it cannot be advertised or checked. */
  describe(schema: AnySchema, direction: "input" | "output"): SchemaDescription {
    if (isStandardSchema(schema)) return describeSchema(schema, direction, this.#wording ?? (() => this.wording()));
    if (this.#validator !== undefined) return describeSchema(schema, direction, this.#validator);
    // Sees to the error messages for what is no schema at all.
    describeSchema(schema, direction, NO_VALIDATOR);
    checkJsonSchema(schema);
    let check: Validate | undefined;
    const compile = (validator: SchemaValidator): Validate =>
      (check ??= validator.compile(JSON.parse(JSON.stringify(schema)) as JsonSchema));
    this.#unseen.push(compile);
    return {
      jsonSchema: schema,
      validate: (value) => check?.(value) ?? this.validator().then((validator) => compile(validator)(value)),
    };
  }

  /** The validator of plain JSON Schema, loaded if need be. */
  async validator(): Promise<SchemaValidator> {
    return (this.#validator ??= await importValidator());
  }

  /** What finds words for what libraries reject, loaded if need be. Only what is wrong gets there, so it is never compiled. */
  async wording(): Promise<SchemaValidator> {
    if (this.#wording === undefined) {
      const { createJsonSchemaValidator } = await import("@toolwire/protocol/json-schema");
      this.#wording ??= createJsonSchemaValidator({ compileAfter: Infinity });
    }
    return this.#wording;
  }

  /** Loads the validator in the background, where it is going to be needed: a client that lists tools will call one. */
  preload(): void {
    if (this.#unseen.length > 0) this.load().catch(() => undefined);
  }

  /** Loads the validator and shows it every schema. Rejects with what it finds wrong with the first bad one. */
  async load(): Promise<void> {
    if (this.#unseen.length === 0) return;
    const validator = await this.validator();
    let failure: unknown;
    for (const show of this.#unseen.splice(0)) {
      try {
        show(validator);
      } catch (error) {
        failure ??= error;
        this.#diagnose({ level: "error", message: "A JSON Schema of this server is invalid.", error });
      }
    }
    if (failure !== undefined) throw failure as Error;
  }
}

/** Stands in where only the form of a schema is looked at. */
const NO_VALIDATOR: SchemaValidator = { compile: () => (value) => ({ ok: true, value }) };

async function importValidator(): Promise<SchemaValidator> {
  const { jsonSchemaValidator } = await import("@toolwire/protocol/json-schema");
  return jsonSchemaValidator;
}
