import { connect, formDefaults, type FormAnswer, type FormContent } from "@toolwire/client";
import type { FormSchema } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { modernServer } from "../scripted-server.ts";

const FORM: FormSchema = {
  type: "object",
  properties: {
    name: { type: "string", default: "John Doe", minLength: 2, maxLength: 10 },
    age: { type: "integer", default: 30, minimum: 0, maximum: 150 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive"], default: "active" },
    level: { type: "string", oneOf: [{ const: "hi", title: "High" }] },
    colors: { type: "array", items: { type: "string", enum: ["red", "green"] }, minItems: 1, maxItems: 2 },
    sizes: { type: "array", items: { anyOf: [{ const: "s", title: "Small" }] }, default: ["s"] },
    verified: { type: "boolean", default: true },
    email: { type: "string", format: "email" },
    site: { type: "string", format: "uri" },
    day: { type: "string", format: "date" },
    moment: { type: "string", format: "date-time" },
  },
  required: ["name", "email"],
};

/** The response that the server gets when the user accepts with this content. */
function accept(schema: object, content: FormAnswer["content"]): Promise<unknown> {
  return answer(schema, { action: "accept", content });
}

/** The response that the server gets when the handler gives this answer. */
async function answer(schema: object, given: unknown): Promise<unknown> {
  const server = modernServer({
    "tools/call": (params) =>
      "inputResponses" in params
        ? { content: [], structuredContent: params["inputResponses"] }
        : {
            resultType: "input_required",
            inputRequests: {
              form: { method: "elicitation/create", params: { message: "?", requestedSchema: schema } },
            },
          },
  });
  const client = await connect(server.channel, { elicitation: () => given as FormAnswer });
  try {
    const { structuredContent } = (await client.callTool("t")) as { structuredContent: { form: { content: unknown } } };
    return structuredContent.form.content;
  } finally {
    await client.close();
  }
}

describe("defaults", () => {
  test("are what a form begins with", () => {
    expect(formDefaults(FORM)).toEqual({
      name: "John Doe",
      age: 30,
      score: 95.5,
      status: "active",
      sizes: ["s"],
      verified: true,
    });
  });

  test("fill what was left out, and give way to what was filled in", async () => {
    expect(await accept(FORM, { email: "a@b.c", name: "Ada", verified: false })).toEqual({
      name: "Ada",
      age: 30,
      score: 95.5,
      status: "active",
      sizes: ["s"],
      verified: false,
      email: "a@b.c",
    });
  });

  test("fill what is there without a value, and what has no default is left out", async () => {
    expect(await accept(FORM, { email: "a@b.c", name: undefined, site: undefined })).toEqual({
      ...formDefaults(FORM),
      email: "a@b.c",
    });
    await expect(accept(FORM, { email: undefined })).rejects.toThrow("email: missing required field");
  });

  test("are ignored if they do not fit their own field", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "integer", default: 1.5 }, b: { type: "string", default: 1 } },
    };
    expect(formDefaults(schema as unknown as FormSchema)).toEqual({});
  });
});

describe("an answer that does not fit is not sent", () => {
  test.each<[FormContent, string]>([
    [{}, "email: missing required field"],
    [{ email: "nobody" }, "email: must be a valid email"],
    [{ email: "a@b.c", name: "A" }, "name: must have at least 2 characters"],
    [{ email: "a@b.c", name: "Ada Augusta King" }, "name: must have at most 10 characters"],
    [{ email: "a@b.c", name: 7 }, "name: expected a string, got number"],
    [{ email: "a@b.c", age: 1.5 }, "age: expected a whole number"],
    [{ email: "a@b.c", age: -1 }, "age: must be at least 0"],
    [{ email: "a@b.c", age: 151 }, "age: must be at most 150"],
    [{ email: "a@b.c", score: Number.NaN }, "score: expected a number"],
    [{ email: "a@b.c", status: "gone" }, "status: must be one of active, inactive"],
    [{ email: "a@b.c", level: "lo" }, "level: must be one of hi"],
    [{ email: "a@b.c", colors: [] }, "colors: must have at least 1 choices"],
    [{ email: "a@b.c", colors: ["red", "green", "red"] }, "colors: must have at most 2 choices"],
    [{ email: "a@b.c", colors: ["blue"] }, "colors: must be one of red, green"],
    [{ email: "a@b.c", colors: "red" }, "colors: expected a list of choices"],
    [{ email: "a@b.c", sizes: ["xl"] }, "sizes: must be one of s"],
    [{ email: "a@b.c", verified: "yes" }, "verified: expected true or false"],
    [{ email: "a@b.c", site: "not a uri" }, "site: must be a valid uri"],
    [{ email: "a@b.c", day: "2026-13-01" }, "day: must be a valid date"],
    [{ email: "a@b.c", moment: "2026-01-01" }, "moment: must be a valid date-time"],
    [{ email: "a@b.c", unasked: { nested: 1 } as never }, "unasked: expected a text, a number, true or false"],
    [{ email: "a@b.c", status: null as never }, "status: expected a string, got null"],
    [{ email: "a@b.c", sizes: [1] as never }, "sizes: must be one of s"],
  ])("%j: %s", async (content, problem) => {
    await expect(accept(FORM, content)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(problem) as string,
    });
  });
});

describe("a handler that answers what no server understands", () => {
  test.each([
    [{ action: "yes" }, '"yes"'],
    [{}, "undefined"],
    [undefined, "undefined"],
    ["accept me", '"accept me"'],
  ])("%j is told so, and nothing is sent", async (given, got) => {
    await expect(answer(FORM, given)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: `The elicitation handler must return the action "accept", "decline" or "cancel"; got ${got}.`,
    });
  });
});

describe("formats", () => {
  const form = (format: string) => ({ type: "object", properties: { a: { type: "string", format } } });

  test.each([
    ["email", ["a@b", "first.last+tag@mail.example.org", "jörg@bücher.example"]],
    ["uri", ["https://example.org/a?b#c", "urn:isbn:0451450523", "mailto:a@b.c"]],
    ["date", ["2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"]],
    ["date-time", ["2026-07-28T09:30:00Z", "2026-07-28t23:59:59.123+05:30", "2016-12-31T23:59:60z"]],
  ])("%s has %j", async (format, texts) => {
    for (const a of texts) expect(await accept(form(format), { a })).toEqual({ a });
  });

  test.each([
    ["email", ["a@b..c", ".a@b.c", "a.@b.c", "a@", "a b@c", "a@b@c", "a@.b"]],
    ["uri", ["example.org", " https://example.org", "https://example.org/a b", "https:\\\\example.org", "a:{b}"]],
    [
      "date",
      ["2023-02-31", "2023-02-29", "1900-02-29", "2023-04-31", "2023-00-01", "2023-1-1", "2023-01-01Z", "today"],
    ],
    [
      "date-time",
      [
        "2023-02-31T00:00:00Z",
        "2023-02-03T24:00:00Z",
        "2023-02-03T12:60:00Z",
        "2023-02-03T12:00:60Z",
        "2023-02-03T12:00:00",
        "2023-02-03T12:00Z",
        "2023-02-03T12:00:00+24:00",
        "2023-02-03 12:00:00Z",
      ],
    ],
  ])("%s has none of %j", async (format, texts) => {
    for (const a of texts) await expect(accept(form(format), { a })).rejects.toThrow(`a: must be a valid ${format}`);
  });
});

test("characters are counted, not UTF-16 units", async () => {
  const schema = { type: "object", properties: { a: { type: "string", maxLength: 2 } } };
  expect(await accept(schema, { a: "👩🏽" })).toEqual({ a: "👩🏽" });
});

test("values that a form does not know are left alone", async () => {
  const schema = { type: "object", properties: { a: { type: "string", format: "hasOwnProperty", pattern: "(a+)+$" } } };
  expect(await accept(schema, { a: `${"a".repeat(40)}!`, b: 1 })).toEqual({ a: `${"a".repeat(40)}!`, b: 1 });
});

test("a value without a field is a text, a number, true or false, or a list of texts", async () => {
  const schema = { type: "object", properties: {} };
  const fit = { a: "text", b: 1.5, c: false, d: ["some", "texts"] };
  expect(await accept(schema, fit)).toEqual(fit);
  for (const a of [[1], ["text", null], { b: "text" }, Infinity]) {
    await expect(accept(schema, { a } as unknown as FormContent)).rejects.toThrow("or a list of texts");
  }
});

test("choices that are no texts fail no request for defaults", () => {
  const choice = { type: "string", default: "a", enum: [JSON.parse('{"toString":1,"valueOf":1}'), "b"] };
  const schema = { type: "object", properties: { choice } } as unknown as FormSchema;
  expect(formDefaults(schema)).toEqual({});
});

describe("a form that no person could fill in", () => {
  const texts = (count: number): string[] => Array.from({ length: count }, (_, n) => `text ${n}`);
  const fields = (count: number): object => Object.fromEntries(texts(count).map((name) => [name, { type: "boolean" }]));
  const withZone = (field: object): object => ({ type: "object", properties: { zone: field } });

  test.each<[string, object, string]>([
    [
      "too many fields",
      { type: "object", properties: fields(501) },
      "a form has at most 500 fields, and this one has 501",
    ],
    [
      "too many required fields",
      { type: "object", properties: {}, required: texts(501) },
      "a form has at most 500 fields, and this one has 501",
    ],
    [
      "too many choices",
      withZone({ type: "string", enum: texts(1_001) }),
      'a field has at most 1000 choices, and "zone" has 1001',
    ],
    [
      "too many titled choices",
      withZone({ type: "string", oneOf: texts(1_001).map((zone) => ({ const: zone, title: zone })) }),
      'a field has at most 1000 choices, and "zone" has 1001',
    ],
    [
      "too many choices of a list",
      withZone({ type: "array", items: { type: "string", enum: texts(1_001) } }),
      'a field has at most 1000 choices, and "zone" has 1001',
    ],
    [
      "a required field without a name",
      { type: "object", properties: {}, required: [{ toString: 1 }] },
      "`requestedSchema` must be a flat object schema",
    ],
  ])("is refused, and the handler is not bothered: %s", async (_, schema, problem) => {
    await expect(accept(schema, {})).rejects.toMatchObject({
      code: "INVALID_RESULT",
      message: expect.stringContaining(problem) as string,
    });
  });

  test("is not one with all time zones and many fields", async () => {
    const schema = { type: "object", properties: { ...fields(499), zone: { type: "string", enum: texts(1_000) } } };
    expect(await accept(schema, { zone: "text 999" })).toEqual({ zone: "text 999" });
  });
});
