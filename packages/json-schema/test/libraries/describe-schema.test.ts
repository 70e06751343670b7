import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type AnySchema, describeSchema, SchemaError, type SchemaValidator, type Validation } from "../../src/index.ts";

function input(schema: AnySchema, value: unknown): Validation | Promise<Validation> {
  return describeSchema(schema, "input").validate(value);
}

/** The same tool input in three libraries: a default, a transform, a refinement, a union. */
const LIBRARIES: [string, AnySchema][] = [
  [
    "zod",
    z.object({
      city: z.string().min(1),
      days: z
        .string()
        .refine((text) => /^\d$/.test(text), "one digit, please")
        .transform(Number),
      unit: z.union([z.literal("C"), z.literal("F")]).default("C"),
    }),
  ],
  [
    "valibot",
    toStandardJsonSchema(
      v.object({
        city: v.pipe(v.string(), v.minLength(1)),
        days: v.pipe(
          v.string(),
          v.check((text) => /^\d$/.test(text), "one digit, please"),
          v.transform(Number),
        ),
        unit: v.optional(v.union([v.literal("C"), v.literal("F")]), "C"),
      }),
    ),
  ],
  [
    "arktype",
    type({
      city: "string > 0",
      days: type("string")
        .narrow((text, ctx) => /^\d$/.test(text) || ctx.reject({ message: "one digit, please" }))
        .pipe((text) => Number(text)),
      unit: "'C' | 'F' = 'C'",
    }),
  ],
];

describe.each(LIBRARIES)("a schema of %s", (_, schema) => {
  it("is advertised as JSON Schema of what senders pass, without the default $schema", () => {
    const { jsonSchema } = describeSchema(schema, "input");
    expect(jsonSchema).toMatchObject({
      type: "object",
      properties: { city: { type: "string", minLength: 1 }, days: { type: "string" }, unit: {} },
      required: ["city", "days"],
    });
    expect(jsonSchema).not.toHaveProperty("$schema");
    expect(JSON.stringify(jsonSchema)).toContain('"F"');
  });

  it("applies defaults and transforms", () => {
    expect(input(schema, { city: "Rome", days: "3" })).toEqual({
      ok: true,
      value: { city: "Rome", days: 3, unit: "C" },
    });
  });

  it("names the path of each problem, in the library's words", () => {
    const result = input(schema, { city: "Rome", days: "30" }) as Validation;
    expect(result.ok || result.issues).toEqual([{ path: "days", kind: "other", message: "one digit, please" }]);
    const worse = input(schema, { days: "3", unit: "K" }) as Validation;
    expect(worse.ok || worse.issues.map(({ path }) => path).toSorted()).toEqual(["city", "unit"]);
  });
});

describe("outputs", () => {
  it.each([
    ["zod", z.object({ n: z.string().transform(Number).pipe(z.number().int()) })],
    [
      "valibot",
      toStandardJsonSchema(v.object({ n: v.pipe(v.string(), v.transform(Number), v.pipe(v.number(), v.integer())) })),
    ],
    ["arktype", type({ n: "string.integer.parse" })],
  ])("are advertised as what comes out of %s", (_, schema) => {
    expect(describeSchema(schema, "input").jsonSchema).toMatchObject({ properties: { n: { type: "string" } } });
    expect(describeSchema(schema, "output").jsonSchema).toMatchObject({ properties: { n: { type: "integer" } } });
  });
});

describe("nested paths", () => {
  it.each([
    ["zod", z.object({ items: z.array(z.object({ "odd key": z.number() })) })],
    ["valibot", toStandardJsonSchema(v.object({ items: v.array(v.object({ "odd key": v.number() })) }))],
    ["arktype", type({ items: type({ "odd key": "number" }).array() })],
  ])("are written alike for %s", (_, schema) => {
    const result = input(schema, { items: [{ "odd key": 1 }, { "odd key": "two" }] }) as Validation;
    expect(result.ok || result.issues.map(({ path }) => path)).toEqual(['items[1]["odd key"]']);
  });
});

describe("a part of a schema that JSON Schema cannot express", () => {
  it.each([
    ["zod", z.object({ at: z.date() }), "input"],
    ["zod", z.object({ n: z.string().transform(Number) }), "output"],
    ["valibot", toStandardJsonSchema(v.object({ at: v.date() })), "input"],
    ["valibot", toStandardJsonSchema(v.object({ n: v.pipe(v.string(), v.trim()) })), "output"],
    ["arktype", type({ at: "Date" }), "input"],
    ["arktype", type({ big: "bigint" }), "output"],
    ["arktype", type("string").pipe((text) => text.length), "output"],
    [
      "arktype",
      type({
        items: type("string")
          .pipe((text) => text.length)
          .array(),
      }),
      "output",
    ],
  ] as const)("fails at definition, naming %s", (vendor, schema, direction) => {
    const define = (): unknown => describeSchema(schema, direction);
    expect(define).toThrow(SchemaError);
    expect(define).toThrow(expect.objectContaining({ code: "INVALID_SCHEMA" }));
    expect(define).toThrow(`${vendor} cannot express the ${direction} of this schema as JSON Schema`);
  });

  it.each([
    ["valibot", toStandardJsonSchema(v.pipe(v.string(), v.brand("x"), v.flavor("y"), v.readonly(), v.title("z")))],
    [
      "arktype, whose morph says what it yields",
      type("number")
        .pipe((n) => `${n}`)
        .to("string"),
    ],
    [
      "arktype, which says so of the whole",
      type({ n: type("string").pipe(Number) })
        .pipe(({ n }) => `${n}`)
        .to("string"),
    ],
  ])("is no error where the value stays the same or is declared: %s", (_, schema) => {
    expect(describeSchema(schema, "output").jsonSchema).toMatchObject({ type: "string" });
  });

  it("is left out where it is only a check, in valibot as well", () => {
    const schema = toStandardJsonSchema(v.object({ name: v.pipe(v.string(), v.trim(), v.nonEmpty()) }));
    expect(describeSchema(schema, "input").jsonSchema).toMatchObject({ properties: { name: { type: "string" } } });
    expect(input(schema, { name: "  x " })).toEqual({ ok: true, value: { name: "x" } });
  });
});

describe("regular expressions with flags, which JSON Schema has not", () => {
  const INSENSITIVE = /^[a-z]+$/i;

  it.each([
    ["zod", z.object({ code: z.string().regex(INSENSITIVE).min(2) })],
    ["zod, among others", z.object({ code: z.string().regex(/b/i).regex(/c/).min(2) })],
    ["zod, by a format", z.object({ code: z.email({ pattern: INSENSITIVE }).min(2) })],
    ["zod, wrapped", z.object({ code: z.string().regex(INSENSITIVE).min(2).describe("a code").optional() })],
    ["valibot", toStandardJsonSchema(v.object({ code: v.pipe(v.string(), v.regex(INSENSITIVE), v.minLength(2)) }))],
  ])("are left out by %s, either way, and still apply", (_, schema) => {
    for (const direction of ["input", "output"] as const) {
      const { jsonSchema, validate } = describeSchema(schema, direction);
      expect(jsonSchema).toMatchObject({ properties: { code: { type: "string", minLength: 2 } } });
      expect(JSON.stringify(jsonSchema)).not.toContain("pattern");
      expect((validate({ code: "1" }) as Validation).ok).toBe(false);
    }
  });

  it.each(["input", "output"] as const)(
    "are refused in the %s of arktype, which cannot leave them out",
    (direction) => {
      const define = (): unknown => describeSchema(type({ code: type(INSENSITIVE) }), direction);
      expect(define).toThrow(expect.objectContaining({ code: "INVALID_SCHEMA" }));
      expect(define).toThrow('no equivalent of this "flag"');
    },
  );

  it.each([
    ["zod", z.object({ code: z.string().regex(/^\p{L}$/u) })],
    ["zod, searching", z.object({ code: z.string().regex(/^\p{L}$/gu) })],
    ["valibot", toStandardJsonSchema(v.object({ code: v.pipe(v.string(), v.regex(/^\p{L}$/u)) }))],
    [
      "valibot, with a format",
      toStandardJsonSchema(v.object({ code: v.pipe(v.string(), v.regex(/^\p{L}$/u), v.uuid()) })),
    ],
    ["arktype", type({ code: type(/^\p{L}$/u) })],
  ])("are kept where the flags change nothing: %s", (_, schema) => {
    expect(describeSchema(schema, "output").jsonSchema).toMatchObject({
      properties: { code: { pattern: "^\\p{L}$" } },
    });
  });
});

describe("a schema without JSON Schema output", () => {
  function speakOnlyStandardSchema(vendor: string): AnySchema {
    const props = { version: 1, vendor, validate: (value: unknown) => ({ value }) };
    return { "~standard": props } as unknown as AnySchema;
  }

  it.each([
    ["valibot", "toStandardJsonSchema"],
    ["zod", "Update zod to 4.2"],
    ["arktype", "Update arktype"],
    ["sury", "a version with Standard JSON Schema"],
  ])("the error for a schema of %s that cannot describe itself says what to do", (vendor, remedy) => {
    expect(() => describeSchema(speakOnlyStandardSchema(vendor), "input")).toThrow(remedy);
  });

  it("is what plain valibot makes", () => {
    expect(() => describeSchema(v.object({}) as unknown as AnySchema, "input")).toThrow("toStandardJsonSchema(schema)");
  });
});

describe("asynchronous checks", () => {
  it("answer with a promise", async () => {
    const schema = z.object({ name: z.string().refine((name) => Promise.resolve(name !== "taken"), "taken") });
    expect(await input(schema, { name: "free" })).toEqual({ ok: true, value: { name: "free" } });
    expect(await input(schema, { name: "taken" })).toEqual({
      ok: false,
      issues: [{ path: "name", kind: "other", message: "taken" }],
    });
  });
});

describe("plain JSON Schema", () => {
  const validator: SchemaValidator = { compile: () => (value) => ({ ok: true, value }) };

  it("is advertised as it is, and checked by the validator given", () => {
    const schema = { $schema: "http://json-schema.org/draft-07/schema#", type: "object" };
    const description = describeSchema(schema, "input", validator);
    expect(description.jsonSchema).toBe(schema);
    expect(description.validate(1)).toEqual({ ok: true, value: 1 });
    expect(describeSchema(true, "output", validator).jsonSchema).toBe(true);
  });

  it("is checked by the validator of this package if no other is given", () => {
    const { validate } = describeSchema({ type: "object" }, "input");
    expect([validate({}), validate(1)]).toMatchObject([{ ok: true }, { ok: false, issues: [{ kind: "type" }] }]);
  });
});

describe("values that are no schema", () => {
  it.each([
    [undefined, "but is missing"],
    [null, "but is null"],
    ["object", "but is a string"],
    [[], "but is an array"],
    [{ city: z.string() }, '"city" is a schema, so this is an object of schemas. Wrap it'],
  ])("%o is refused", (thing, reason) => {
    expect(() => describeSchema(thing as unknown as AnySchema, "input")).toThrow(reason);
  });
});
