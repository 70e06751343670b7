import { textsOf } from "../../src/schema/texts.ts";
import { jsonSchemaValidator, untrustedSchemaValidator } from "@toolwire/json-schema";
import type { JsonSchemaObject } from "@toolwire/server";
import type { OpenApiVersion } from "../../src/document/model.ts";
import { References } from "../../src/document/references.ts";
import { assembleSchema } from "../../src/schema/assemble.ts";
import { SchemaConverter } from "../../src/schema/convert.ts";
import type { Direction } from "../../src/schema/fragment.ts";

/** A converted schema with its definitions, and what was noted on the way. */
export interface Converted {
  readonly schema: JsonSchemaObject;
  readonly notes: readonly string[];
  readonly unsupported: { readonly [keyword: string]: number };
}

/** Converts the schema of the property `it` of an object, and checks that both validators accept the result. */
export function convertOne(
  schema: unknown,
  version: OpenApiVersion = "3.0",
  definitions: object = {},
  direction: Direction = "input",
): Converted & { readonly it: JsonSchemaObject } {
  const converted = convertRoot({ type: "object", properties: { it: schema } }, version, definitions, direction);
  const { it = {} } = converted.schema["properties"] as { it?: JsonSchemaObject };
  return { ...converted, it };
}

/** Converts a schema as the root of a body. */
export function convertRoot(
  schema: unknown,
  version: OpenApiVersion = "3.0",
  definitions: object = {},
  direction: Direction = "input",
): Converted {
  const root = version === "2.0" ? { definitions } : { components: { schemas: definitions } };
  const unsupported = new Map<string, number>();
  const references = new References(root as { [key: string]: unknown }, undefined);
  const converter = new SchemaConverter(version, references, direction, unsupported, textsOf("full"));
  const fragment = converter.convertRoot({ value: schema, document: references.main }, "/test");
  const assembled = assembleSchema(fragment.schema as JsonSchemaObject, fragment.references, converter);
  untrustedSchemaValidator.compile(assembled.schema);
  jsonSchemaValidator.compile(assembled.schema);
  return {
    schema: assembled.schema,
    notes: [...fragment.notes, ...assembled.notes],
    unsupported: Object.fromEntries(unsupported),
  };
}
