import { formDefaults } from "@toolwire/client";
import type { FormSchema } from "@toolwire/protocol";
import { describe, expect, it } from "vitest";
import { makeHostileTexts } from "../../../../test/hostile-texts.ts";
import { findExcess, findFirstExcess } from "../../../../test/linear-growth.ts";
import { checkForm, explainUnfitForm, FORMATS, type FormContent, hasFormat } from "../../src/input/forms.ts";
import { checkConversation } from "../../src/input/answer.ts";

function list<T>(size: number, make: (index: number) => T): T[] {
  return Array.from({ length: size }, (_, index) => make(index));
}

const form = (properties: object, required?: readonly string[]): FormSchema =>
  ({ type: "object", properties, required }) as unknown as FormSchema;

const choices = (size: number): string[] => list(size, (n) => `choice ${n}`);

/** Forms that a server may ask for, and answers to them, as large as they may be. */
const FORMS: Readonly<Record<string, (size: number) => { schema: FormSchema; content: FormContent }>> = {
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

const use = (id: string): object => ({ type: "tool_use", id, name: "t", input: {} });
const result = (id: string): object => ({ type: "tool_result", toolUseId: id, content: [] });

const CONVERSATIONS: Readonly<Record<string, (size: number) => object[]>> = {
  "many uses of tools at once": (size) => [
    { role: "assistant", content: choices(size).map(use) },
    { role: "user", content: choices(size).toReversed().map(result) },
  ],
  "results of many other uses": (size) => [
    { role: "assistant", content: choices(size).map(use) },
    { role: "user", content: list(size, (n) => result(`other ${n}`)) },
  ],
  "many messages": (size) =>
    choices(size).flatMap((id) => [
      { role: "assistant", content: use(id) },
      { role: "user", content: [result(id)] },
    ]),
};

describe("the time that questions of a server take", () => {
  it.each(Object.entries(FORMS))("is in proportion to a form: %s", (_, make) => {
    expect(findExcess(make, ({ schema }) => void explainUnfitForm(schema), 65_536)).toBeUndefined();
    expect(findExcess(make, ({ schema }) => void formDefaults(schema), 65_536)).toBeUndefined();
    expect(findExcess(make, ({ schema, content }) => void checkForm(schema, content), 65_536)).toBeUndefined();
  });

  it.each([...FORMATS.keys()])("is in proportion to a text of a form that has to be a valid %s", (format) => {
    const texts = makeHostileTexts("a.b@c.d", "a://b@c:1/d?e#f", "2026-07-28T09:30:00.5+01:00");
    expect(findFirstExcess(texts, (text) => void hasFormat(text, format))).toBeUndefined();
  });

  it.each(Object.entries(CONVERSATIONS))("is in proportion to a conversation: %s", (_, make) => {
    expect(findExcess(make, (messages) => void checkConversation(messages, Infinity), 65_536)).toBeUndefined();
  });
});
