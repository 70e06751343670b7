import type { StandardJSONSchemaV1, StandardSchemaV1, StandardTypedV1 } from "@standard-schema/spec";
import type { JsonSchema, JsonSchemaObject } from "./validator.ts";

/**
 * A schema of a library that implements Standard Schema with JSON Schema output: zod 4.2+, arktype 2.1.28+, valibot
 * through `toStandardJsonSchema`, and others. It validates with the library, and is advertised as JSON Schema.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": StandardSchemaV1.Props<Input, Output> & StandardJSONSchemaV1.Props<Input, Output>;
}

/** Whatever may describe a value: a library's schema, or plain JSON Schema. */
export type AnySchema = StandardSchema | JsonSchema;

declare const described: unique symbol;

/** Plain JSON Schema that the compiler takes to describe a `T`; made by {@link jsonSchema}. */
export interface JsonSchemaOf<T> extends JsonSchemaObject {
  /** Exists for the compiler alone. */
  readonly [described]?: T;
}

/**
 * Says which TypeScript type a plain JSON Schema describes. The compiler takes your word for it. The schema itself may be of
 * any type, such as `JSONSchema7` of `@types/json-schema`, or the form of somebody else, to pass it on.
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

/** What a sender may pass: the type before defaults and transforms. */
export type InferInput<S> = S extends StandardTypedV1 ? Types<S>["input"] : InferPlain<S>;

/** What the receiver works with: the type after defaults and transforms. */
export type InferOutput<S> = S extends StandardTypedV1 ? Types<S>["output"] : InferPlain<S>;

type Types<S extends StandardTypedV1> = NonNullable<S["~standard"]["types"]>;

type InferPlain<S> = typeof described extends keyof S
  ? S extends JsonSchemaOf<infer T>
    ? T
    : never
  : S extends { readonly type: "object" }
    ? { [key: string]: unknown }
    : unknown;
