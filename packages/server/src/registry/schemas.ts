import type {
  AnySchema,
  JsonSchema,
  SchemaDescription,
  SchemaValidator,
  Validate,
  Validation,
} from "@toolwire/protocol";
import { describeSchema, isStandardSchema } from "@toolwire/protocol/schema";
import { checkJsonSchema } from "../definition/check-json-schema.ts";
import type { Diagnostic } from "../serving/contract.ts";

/**
 * Turns the schemas of a definition into checks. Schemas of libraries check with the library. Plain JSON Schema needs a
 * validator, which is loaded when first needed, so that servers without plain JSON Schema never pay for it; until then
 * a check answers with a promise, afterwards at once.
 */
export class Schemas {
  #validator: SchemaValidator | undefined;
  readonly #diagnose: (event: Diagnostic) => void;
  /** The schemas that the validator has not seen yet. */
  readonly #unseen: DeferredCheck[] = [];

  constructor(validator: SchemaValidator | undefined, diagnose: (event: Diagnostic) => void) {
    this.#validator = validator;
    this.#diagnose = diagnose;
  }

  /** Reads a schema. Throws a `UsageError` if it cannot be advertised or checked. */
  describe(schema: AnySchema, direction: "input" | "output"): SchemaDescription {
    if (isStandardSchema(schema) || this.#validator !== undefined) {
      return describeSchema(schema, direction, this.#validator);
    }
    // Sees to the error messages for what is no schema at all.
    describeSchema(schema, direction, NO_VALIDATOR);
    checkJsonSchema(schema);
    const deferred = new DeferredCheck(schema, this);
    this.#unseen.push(deferred);
    return { jsonSchema: schema, validate: deferred.check };
  }

  /** The validator of plain JSON Schema, loaded if need be. */
  async validator(): Promise<SchemaValidator> {
    return (this.#validator ??= await importValidator());
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
    for (const deferred of this.#unseen.splice(0)) {
      try {
        deferred.compile(validator);
      } catch (error) {
        failure ??= error;
        this.#diagnose({ level: "error", message: "A JSON Schema of this server is invalid.", error });
      }
    }
    if (failure !== undefined) throw failure as Error;
  }
}

/** A check that waits for the validator, once. */
class DeferredCheck {
  readonly #schema: JsonSchema;
  readonly #schemas: Schemas;
  #validate: Validate | undefined;

  constructor(schema: JsonSchema, schemas: Schemas) {
    this.#schema = schema;
    this.#schemas = schemas;
  }

  compile(validator: SchemaValidator): Validate {
    return (this.#validate ??= validator.compile(JSON.parse(JSON.stringify(this.#schema)) as JsonSchema));
  }

  readonly check = (value: unknown): Validation | Promise<Validation> => {
    if (this.#validate !== undefined) return this.#validate(value);
    return this.#schemas.validator().then((validator) => this.compile(validator)(value));
  };
}

/** Stands in where only the form of a schema is looked at. */
const NO_VALIDATOR: SchemaValidator = { compile: () => (value) => ({ ok: true, value }) };

async function importValidator(): Promise<SchemaValidator> {
  const { jsonSchemaValidator } = await import("@toolwire/protocol/json-schema");
  return jsonSchemaValidator;
}
