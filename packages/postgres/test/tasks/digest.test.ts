import { expect, test } from "vitest";
import { digestOf } from "../../src/tasks/digest.ts";

test("texts have different digests, also with halves of characters, and also from no text", () => {
  const texts = ["", "null", null, "\ud800", "\udc00", "\ufffd", "a", "A", "a\u0000"];
  expect(new Set(texts.map(digestOf)).size).toBe(texts.length);
  for (const text of texts) expect(digestOf(text)).toMatch(/^[0-9a-f]{64}$/);
});
