import fc from "fast-check";
import { expect, test } from "vitest";
import { digestOf, TaskNames } from "../../src/tasks/names.ts";

const names = new TaskNames("app:1");

test("all keys of tasks are on one server of a cluster, whatever ids and callers are", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.option(fc.string({ unit: "binary" })), (id, owner) => {
      const keys = [names.record(id), names.due, names.open, names.openOf(owner), names.listOf(owner)];
      expect(new Set(keys).size).toBe(5);
      for (const key of keys) expect(/\{([^}]+)\}/.exec(key)?.[1]).toBe("tasks");
    }),
  );
});

test("texts have different digests, also with halves of characters, and also from no text", () => {
  const texts = ["", "null", null, "\ud800", "\udc00", "\ufffd", "a", "A", "a\u0000"];
  expect(new Set(texts.map(digestOf)).size).toBe(texts.length);
  for (const text of texts) expect(digestOf(text)).toMatch(/^[\w-]{22}$/);
});
