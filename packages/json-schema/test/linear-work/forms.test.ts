import { describe, expect, it } from "vitest";
import { makeHostileTexts } from "../../../../test/hostile-texts.ts";
import { findExcess, findFirstExcess } from "../../../../test/linear-growth.ts";
import { checkForm, explainUnfitForm, formDefaults, type Form, type FormContent } from "../../src/index.ts";

function list<T>(size: number, make: (index: number) => T): T[] {
  return Array.from({ length: size }, (_, index) => make(index));
}

const form = (properties: object, required?: readonly string[]): Form =>
  ({ type: "object", properties, required }) as unknown as Form;

const choices = (size: number): string[] => list(size, (n) => `choice ${n}`);

/** Forms that a server may ask for, and answers to them, as large as they may be. */
const FORMS: Readonly<Record<string, (size: number) => { schema: Form; content: FormContent }>> = {
  "many choices, all chosen": (size) => {
    const chosen = choices(size);
    const all = { type: "array", items: { type: "string", enum: chosen }, default: chosen.toReversed() };
    return { schema: form({ all }), content: { all: chosen.toReversed() } };
  },
  "many titled choices, all chosen": (size) => {
    const anyOf = choices(size).map((choice) => ({ const: choice, title: choice }));
    const all = { type: "array", items: { anyOf }, default: choices(size) };
    return { schema: form({ all }), content: { all: choices(size).toReversed() } };
  },
  "many fields of one choice": (size) => {
    const properties = Object.fromEntries(
      choices(size).map((name) => [name, { type: "string", enum: ["a", "b"], default: "b" }]),
    );
    return { schema: form(properties, choices(size)), content: Object.fromEntries(choices(size).map((n) => [n, "c"])) };
  },
  "a long text": (size) => {
    const text = { type: "string", minLength: 1, maxLength: 1e9, default: "😀".repeat(size) };
    return { schema: form({ text }), content: { text: "😀".repeat(size) } };
  },
  "many names that are required": (size) => ({ schema: form({}, choices(size)), content: {} }),
  "many values that nobody asked for": (size) => ({
    schema: form({}),
    content: { all: choices(size), ...Object.fromEntries(choices(size).map((n) => [n, 1])) },
  }),
};

describe("the time that a form of somebody else takes", () => {
  it.each(Object.entries(FORMS))("is in proportion to it: %s", (_, make) => {
    expect(findExcess(make, ({ schema }) => void explainUnfitForm(schema), 65_536)).toBeUndefined();
    expect(findExcess(make, ({ schema }) => void formDefaults(schema), 65_536)).toBeUndefined();
    expect(findExcess(make, ({ schema, content }) => void checkForm(schema, content), 65_536)).toBeUndefined();
  });

  it.each(["email", "uri", "date", "date-time"])("is in proportion to a text that has to be a valid %s", (format) => {
    const texts = makeHostileTexts("a.b@c.d", "a://b@c:1/d?e#f", "2026-07-28T09:30:00.5+01:00");
    const schema = form({ text: { type: "string", format } });
    expect(findFirstExcess(texts, (text) => void checkForm(schema, { text }))).toBeUndefined();
  });
});
