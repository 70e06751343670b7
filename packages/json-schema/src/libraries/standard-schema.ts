import type { StandardJSONSchemaV1, StandardSchemaV1, StandardTypedV1 } from "@standard-schema/spec";
import type { JsonSchema, JsonSchemaObject } from "../schema.ts";

/**
 * A schema of a library that implements Standard Schema with JSON Schema output: zod 4.2+, arktype 2.1.28+, valibot
 * through `toStandardJsonSchema`, and others. It validates with the library, and is advertised as JSON Schema.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": StandardSchemaV1.Props<Input, Output> & StandardJSONSchemaV1.Props<Input, Output>;
}

/** A schema of a library, or plain JSON Schema. */
export type AnySchema = StandardSchema | JsonSchema;

declare const described: unique symbol;

/** Plain JSON Schema with a TypeScript type `T`, made by {@link jsonSchema}. */
export interface JsonSchemaOf<T> extends JsonSchemaObject {
  /** Exists for the compiler alone. */
  readonly [described]?: T;
}

/**
 * Gives a plain JSON Schema a TypeScript type. The compiler trusts you that they match. The schema may be of any type,
 * such as `JSONSchema7` of `@types/json-schema`, or the form of an elicitation that you pass on.
 *
 * @example
 * ```ts
 * const input = jsonSchema<{ city: string }>({
 *   type: "object",
 *   properties: { city: { type: "string" } },
 *   required: ["city"],
 * });
 * ```
 */
export function jsonSchema<T>(
  schema: JsonSchemaObject | (object & Pick<JsonSchemaObject, "~standard">),
): JsonSchemaOf<T> {
  return schema as JsonSchemaObject;
}

/** The type before defaults and transforms, which a sender may pass. */
export type InferInput<S> = S extends StandardTypedV1 ? Types<S>["input"] : InferPlain<S>;

/** The type after defaults and transforms, which the receiver gets. */
export type InferOutput<S> = S extends StandardTypedV1 ? Types<S>["output"] : InferPlain<S>;

type Types<S extends StandardTypedV1> = NonNullable<S["~standard"]["types"]>;

type InferPlain<S> = typeof described extends keyof S
  ? S extends JsonSchemaOf<infer T>
    ? T
    : never
  : S extends { readonly type: "object" }
    ? { [key: string]: unknown }
    : unknown;
