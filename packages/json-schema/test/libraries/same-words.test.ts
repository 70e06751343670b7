import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type AnySchema,
  describeIssues,
  describeSchema,
  jsonSchemaValidator,
  type SchemaValidator,
} from "../../src/index.ts";

/** One schema, as each library has it. What libraries put into an order of their own is in that order everywhere. */
const SCHEMAS: Readonly<Record<string, AnySchema>> = {
  zod: z.strictObject({
    city: z.string().min(2).max(20),
    days: z.int().min(1).max(14),
    units: z.enum(["imperial", "metric"]).optional(),
    step: z.number().multipleOf(0.5).optional(),
    tags: z.array(z.string()).max(3).optional(),
    place: z.strictObject({ lat: z.number(), lon: z.number() }).optional(),
    code: z
      .string()
      .regex(/^[A-Z]+$/)
      .optional(),
    mail: z.email().optional(),
    day: z.iso.date().optional(),
    id: z.union([z.number(), z.string()]).optional(),
    flag: z.literal("yes").optional(),
    exact: z.boolean().optional(),
    names: z.record(z.string(), z.number()).optional(),
    shape: z
      .discriminatedUnion("kind", [
        z.object({ kind: z.literal("square"), side: z.number() }),
        z.object({ kind: z.literal("circle"), radius: z.number() }),
      ])
      .optional(),
  }),
  valibot: toStandardJsonSchema(
    v.strictObject({
      city: v.pipe(v.string(), v.minLength(2), v.maxLength(20)),
      days: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(14)),
      units: v.optional(v.picklist(["imperial", "metric"])),
      step: v.optional(v.pipe(v.number(), v.multipleOf(0.5))),
      tags: v.optional(v.pipe(v.array(v.string()), v.maxLength(3))),
      place: v.optional(v.strictObject({ lat: v.number(), lon: v.number() })),
      code: v.optional(v.pipe(v.string(), v.regex(/^[A-Z]+$/))),
      mail: v.optional(v.pipe(v.string(), v.email())),
      day: v.optional(v.pipe(v.string(), v.isoDate())),
      id: v.optional(v.union([v.number(), v.string()])),
      flag: v.optional(v.literal("yes")),
      exact: v.optional(v.boolean()),
      names: v.optional(v.record(v.string(), v.number())),
      shape: v.optional(
        v.variant("kind", [
          v.object({ kind: v.literal("square"), side: v.number() }),
          v.object({ kind: v.literal("circle"), radius: v.number() }),
        ]),
      ),
    }),
  ),
  arktype: type({
    "+": "reject",
    city: "2 <= string <= 20",
    days: "1 <= number.integer <= 14",
    "units?": "'imperial' | 'metric'",
    // arktype divides by whole numbers only, so this row has a type that says the same.
    "step?": "number",
    "tags?": "string[] <= 3",
    "place?": { "+": "reject", lat: "number", lon: "number" },
    "code?": /^[A-Z]+$/,
    "mail?": "string.email",
    "day?": "string.date.iso",
    "id?": "number | string",
    "flag?": "'yes'",
    "exact?": "boolean",
    "names?": { "[string]": "number" },
    "shape?": type({ kind: "'square'", side: "number" }).or({ kind: "'circle'", radius: "number" }),
  }),
  "plain JSON Schema": {
    type: "object",
    properties: {
      city: { type: "string", minLength: 2, maxLength: 20 },
      days: { type: "integer", minimum: 1, maximum: 14 },
      units: { type: "string", enum: ["imperial", "metric"] },
      step: { type: "number", multipleOf: 0.5 },
      tags: { type: "array", items: { type: "string" }, maxItems: 3 },
      place: {
        type: "object",
        properties: { lat: { type: "number" }, lon: { type: "number" } },
        required: ["lat", "lon"],
        additionalProperties: false,
      },
      code: { type: "string", pattern: "^[A-Z]+$" },
      mail: { type: "string", format: "email" },
      day: { type: "string", format: "date" },
      id: { anyOf: [{ type: "number" }, { type: "string" }] },
      flag: { const: "yes" },
      exact: { type: "boolean" },
      names: { type: "object", additionalProperties: { type: "number" } },
      shape: {
        oneOf: [
          {
            type: "object",
            properties: { kind: { const: "square" }, side: { type: "number" } },
            required: ["kind", "side"],
          },
          {
            type: "object",
            properties: { kind: { const: "circle" }, radius: { type: "number" } },
            required: ["kind", "radius"],
          },
        ],
      },
    },
    required: ["city", "days"],
    additionalProperties: false,
  },
};

const FINE = { city: "Oslo", days: 3 };

/** A mistake, and the one line that every library is to say about it. */
const MISTAKES: readonly (readonly [value: unknown, text: string])[] = [
  [{ days: 3 }, "- city: missing required field (string)"],
  [{ city: undefined, days: 3 }, "- city: missing required field (string)"],
  [{}, "- city: missing required field (string)\n- days: missing required field (integer)"],
  [{ ...FINE, place: { lat: 1 } }, "- place.lon: missing required field (number)"],
  [{ ...FINE, city: 5 }, "- city: expected string, got number 5"],
  [{ ...FINE, city: null }, "- city: expected string, got null"],
  [{ ...FINE, days: "3" }, '- days: expected integer, got string "3"'],
  [{ ...FINE, days: 1.5 }, "- days: expected integer, got number 1.5"],
  [{ ...FINE, exact: "yes" }, '- exact: expected boolean, got string "yes"'],
  [{ ...FINE, tags: "a" }, '- tags: expected array, got string "a"'],
  [{ ...FINE, tags: ["a", 1] }, "- tags[1]: expected string, got number 1"],
  [{ ...FINE, place: "here" }, '- place: expected object, got string "here"'],
  [{ ...FINE, place: { lat: 1, lon: "2" } }, '- place.lon: expected number, got string "2"'],
  [{ ...FINE, names: { a: "1" } }, '- names.a: expected number, got string "1"'],
  [{ ...FINE, units: "kelvin" }, '- units: expected "imperial" or "metric", got "kelvin"'],
  [{ ...FINE, units: 5 }, '- units: expected "imperial" or "metric", got 5'],
  [{ ...FINE, flag: "no" }, '- flag: expected "yes", got "no"'],
  [{ ...FINE, id: true }, "- id: expected number or string, got boolean true"],
  [
    { days: 3, citty: "Rome" },
    '- city: missing required field (string)\n- citty: unknown property; did you mean "city"?',
  ],
  [{ ...FINE, place: { lat: 1, lon: 2, alt: 3 } }, "- place.alt: unknown property"],
  [{ ...FINE, city: "O" }, '- city: expected at least 2 characters, got 1: "O"'],
  [{ ...FINE, city: "O".repeat(21) }, `- city: expected at most 20 characters, got 21: "${"O".repeat(21)}"`],
  [{ ...FINE, days: 0 }, "- days: expected at least 1, got 0"],
  [{ ...FINE, days: 15 }, "- days: expected at most 14, got 15"],
  [{ ...FINE, tags: ["a", "b", "c", "d"] }, "- tags: expected at most 3 items, got 4"],
  [{ ...FINE, code: "a" }, '- code: expected to match ^[A-Z]+$, got "a"'],
  [{ ...FINE, mail: "nobody" }, '- mail: expected an email address such as name@example.org, got "nobody"'],
  [{ ...FINE, shape: { kind: "circle" } }, "- shape.radius: missing required field (number)"],
  [{ ...FINE, shape: { kind: "circle", radius: "1" } }, '- shape.radius: expected number, got string "1"'],
  ["Oslo", '- expected object, got string "Oslo"'],
  [null, "- expected object, got null"],
];

/** The same for what arktype expresses in another way in JSON Schema: other formats, and an order of its own. */
const FURTHER: readonly (readonly [value: unknown, text: string])[] = [
  [
    { ...FINE, citty: "Rome" },
    "- citty: unknown property; known and not given: units, step, tags, place, code, mail, day, id, flag, exact or one of 2 others",
  ],
  [{ ...FINE, step: 0.3 }, "- step: expected a multiple of 0.5, got 0.3"],
  [{ ...FINE, day: "today" }, '- day: expected a date such as 2026-07-28, got "today"'],
  [{ ...FINE, shape: { kind: "line" } }, '- shape.kind: expected "square" or "circle", got "line"'],
  [{ ...FINE, shape: {} }, '- shape.kind: missing required field ("square" or "circle")'],
];

async function explain(schema: AnySchema, value: unknown): Promise<string> {
  const checked = await describeSchema(schema, "input", jsonSchemaValidator).validate(value);
  return checked.ok ? "nothing is wrong" : describeIssues(checked.issues);
}

describe.each(Object.entries(SCHEMAS))("%s", (library, schema) => {
  it("takes what is right", async () => {
    expect(await explain(schema, FINE)).toBe("nothing is wrong");
  });

  it.each(library === "arktype" ? MISTAKES : [...MISTAKES, ...FURTHER])(
    "says of %j what all say",
    async (value, text) => {
      expect(await explain(schema, value)).toBe(text);
    },
  );
});

describe("issues that only the library knows", () => {
  const isUpperCase = (text: string): boolean => text === text.toUpperCase();

  it.each<[string, AnySchema]>([
    ["zod", z.object({ code: z.string().min(3).refine(isUpperCase, "in capitals, please") })],
    [
      "valibot",
      toStandardJsonSchema(
        v.object({ code: v.pipe(v.string(), v.minLength(3), v.check(isUpperCase, "in capitals, please")) }),
      ),
    ],
  ])("are reported next to those that JSON Schema finds as well: %s", async (_, schema) => {
    expect(await explain(schema, { code: "ab" })).toBe(
      '- code: expected at least 3 characters, got 2: "ab"\n- code: in capitals, please',
    );
    expect(await explain(schema, { code: "abc" })).toBe("- code: in capitals, please");
  });

  it.each<[string, AnySchema, string]>([
    ["zod", z.object({ code: z.string().refine(isUpperCase) }), "Invalid input"],
    [
      "valibot",
      toStandardJsonSchema(v.object({ code: v.pipe(v.string(), v.check(isUpperCase)) })),
      'Invalid input: Received "abc"',
    ],
    [
      "arktype",
      type({ code: type("string").narrow((text, ctx) => isUpperCase(text) || ctx.mustBe("in capitals")) }),
      'must be in capitals (was "abc")',
    ],
  ])("are reported in its words, without the path: %s", async (_, schema, text) => {
    expect(await explain(schema, { code: "abc" })).toBe(`- code: ${text}`);
    expect(await explain(schema, {})).toBe("- code: missing required field (string)");
  });

  it.each<[string, AnySchema]>([
    ["zod", z.object({ city: z.string({ error: "Which city?" }), days: z.int().min(1, "A day at least!") })],
    [
      "valibot",
      toStandardJsonSchema(
        v.object({ city: v.string("Which city?"), days: v.pipe(v.number(), v.minValue(1, "A day at least!")) }),
      ),
    ],
    [
      "arktype",
      type({
        city: type("string").configure({ message: "Which city?" }),
        days: type("number >= 1").configure({ message: "A day at least!" }),
      }),
    ],
  ])("are told in the texts that the author of a schema wrote: %s", async (_, schema) => {
    expect(await explain(schema, { city: 5, days: 0 })).toBe("- city: Which city?\n- days: A day at least!");
  });

  it("include conditions on several members, next to issues of one of them", async () => {
    const range = z.object({ from: z.number(), to: z.number() }).refine(({ from, to }) => from <= to, "from <= to");
    const schema = z.object({ range, name: z.string() });
    expect(await explain(schema, { range: { from: 2, to: 1 }, name: 5 })).toBe(
      "- range: from <= to\n- name: expected string, got number 5",
    );
  });

  it("include values that differ from its JSON Schema, which it takes all the same", async () => {
    const schema = z.object({ n: z.coerce.number(), m: z.coerce.number().refine((m) => m > 3, "above 3") });
    expect(await explain(schema, { n: "5", m: "4" })).toBe("nothing is wrong");
    expect(await explain(schema, { n: "5", m: "2" })).toBe("- m: above 3");
  });

  it("include formats of its own, by a pattern that nobody wants to read", async () => {
    const schema = z.object({ mail: z.email(), name: z.nanoid() });
    expect(await explain(schema, { mail: "a@b", name: "?" })).toBe(
      "- mail: Invalid email address\n- name: Invalid nanoid",
    );
  });
});

describe("words of JSON Schema", () => {
  it("say which form was meant, where a library says that none was", async () => {
    const forms = [
      z.object({ city: z.string(), country: z.string() }),
      z.object({ lat: z.number(), lon: z.number() }),
    ] as const;
    expect(await explain(z.object({ place: z.union(forms) }), { place: { lat: 1, lon: "2" } })).toBe(
      "- place: matches none of the 2 allowed forms; form 2 comes closest, and fails as follows\n" +
        '- place.lon: expected number, got string "2"',
    );
    const plain = { place: z.union([z.object({ a: z.number() }), z.object({ b: z.number() })]).optional() };
    expect(await explain(z.object(plain), { place: [] })).toBe("- place: expected object, got array");
  });

  it("take the place of what a library says about members of an array that should be an object", async () => {
    const place = v.object({ lat: v.number(), lon: v.number() });
    expect(await explain(toStandardJsonSchema(v.object({ place })), { place: [] })).toBe(
      "- place: expected object, got array",
    );
  });

  it("are found for results as well, by what they are before they are transformed", async () => {
    const schema = z.object({ n: z.string().transform(Number).pipe(z.number()) });
    const { validate } = describeSchema(schema, "output", jsonSchemaValidator);
    expect(await validate({ n: true })).toEqual({
      ok: false,
      issues: [{ path: "n", kind: "type", message: "expected string, got boolean true" }],
    });
  });

  it("are not found for checks that take their time until these are done", async () => {
    const schema = z.object({ n: z.number(), m: z.string().refine((m) => Promise.resolve(m === "a"), "only a") });
    expect(await explain(schema, { n: "1", m: "b" })).toBe('- n: expected number, got string "1"\n- m: only a');
  });

  it("are missing where the validator cannot use the schema: then the library speaks for itself", async () => {
    const refusing: SchemaValidator = {
      compile() {
        throw new Error("no");
      },
    };
    const checked = await describeSchema(z.object({ n: z.number() }), "input", refusing).validate({});
    expect(checked).toEqual({
      ok: false,
      issues: [{ path: "n", kind: "other", message: "Invalid input: expected number, received undefined" }],
    });
  });

  it("are not put into the mouth of libraries whose texts nobody here knows", async () => {
    const { validate, jsonSchema } = z.object({ n: z.number() })["~standard"];
    const unknown = { "~standard": { version: 1, vendor: "sury", validate, jsonSchema } } as AnySchema;
    expect(await explain(unknown, {})).toBe("- n: Invalid input: expected number, received undefined");
  });
});
