import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { type AnySchema, type InferInput, type InferOutput, jsonSchema } from "../../src/index.ts";

/** Takes a schema the way definitions do, so that the tests see what a user's compiler infers. */
declare function define<const S extends AnySchema>(schema: S): { input: InferInput<S>; output: InferOutput<S> };

describe("the types that the compiler infers", () => {
  it("are inferred from zod: both sides of defaults and transforms", () => {
    const inferred = define(
      z.object({ city: z.string(), days: z.string().transform(Number), unit: z.string().default("C") }),
    );
    expectTypeOf(inferred.input).toEqualTypeOf<{ city: string; days: string; unit?: string | undefined }>();
    expectTypeOf(inferred.output).toEqualTypeOf<{ city: string; days: number; unit: string }>();
  });

  it("are inferred from zod: unions", () => {
    const inferred = define(
      z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("a"), a: z.number() }),
        z.object({ kind: z.literal("b"), b: z.string() }),
      ]),
    );
    expectTypeOf(inferred.output).toEqualTypeOf<{ kind: "a"; a: number } | { kind: "b"; b: string }>();
  });

  it("are the declared ones for a form that is passed on", () => {
    const form = {} as {
      readonly type: "object";
      readonly properties: { readonly [name: string]: { type: "string" } };
    };
    expectTypeOf(define(jsonSchema<{ name: string }>(form)).output).toEqualTypeOf<{ name: string }>();
  });

  it("are the declared ones for a schema of an interface, as libraries have them", () => {
    interface Keywords {
      type?: "object" | "string" | undefined;
      properties?: { [name: string]: Keywords } | undefined;
    }
    const schema: Keywords = { type: "object" };
    expectTypeOf(define(jsonSchema<{ name: string }>(schema)).output).toEqualTypeOf<{ name: string }>();
    // @ts-expect-error -- this one is of a library, and says itself what it describes
    jsonSchema<{ name: string }>(z.object({ name: z.string() }));
    // @ts-expect-error -- text is no schema
    jsonSchema<{ name: string }>("object");
  });

  it("are inferred from valibot", () => {
    const inferred = define(toStandardJsonSchema(v.object({ n: v.pipe(v.string(), v.transform(Number), v.number()) })));
    expectTypeOf(inferred.input).toEqualTypeOf<{ n: string }>();
    expectTypeOf(inferred.output).toEqualTypeOf<{ n: number }>();
  });

  it("are inferred from arktype", () => {
    const inferred = define(type({ n: "string.integer.parse", "tag?": "'x' | 'y'" }));
    expectTypeOf(inferred.input).toEqualTypeOf<{ n: string; tag?: "x" | "y" }>();
    expectTypeOf(inferred.output).toEqualTypeOf<{ n: number; tag?: "x" | "y" }>();
  });

  it("are inferred from plain JSON Schema: the declared type, or else as much as is certain", () => {
    const declared = define(jsonSchema<{ city: string }>({ type: "object", properties: { city: { type: "string" } } }));
    expectTypeOf(declared.input).toEqualTypeOf<{ city: string }>();
    expectTypeOf(declared.output).toEqualTypeOf<{ city: string }>();
    const object = define({ type: "object", properties: { city: { type: "string" } }, required: ["city"] });
    expectTypeOf(object.output).toEqualTypeOf<{ [key: string]: unknown }>();
    expectTypeOf(define({ type: "string" }).output).toEqualTypeOf<unknown>();
    expectTypeOf(define(true).output).toEqualTypeOf<unknown>();
  });

  it("refuse schemas that cannot describe themselves, and values that are no schema", () => {
    expectTypeOf(v.object({ n: v.number() })).not.toExtend<AnySchema>();
    expectTypeOf<string | undefined>().not.toExtend<AnySchema>();
  });
});
