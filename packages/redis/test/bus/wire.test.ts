import fc from "fast-check";
import { expect, test } from "vitest";
import { CHANGES, readPublished, writePublished } from "../../src/bus/wire.ts";

const node = fc.stringMatching(/^[a-z0-9]{10}$/);
const message = fc.record({ id: fc.string(), kind: fc.string(), body: fc.jsonValue() });

test("what is published is read as it was written", () => {
  fc.assert(
    fc.property(node, message, fc.constantFrom("request", "broadcast"), (from, sent, type) => {
      const text = writePublished({ type, from, message: sent });
      expect(readPublished(text)).toEqual({ type, from, message: JSON.parse(JSON.stringify(sent)) as unknown });
    }),
  );
  expect(readPublished(CHANGES)).toEqual({ type: "changes" });
});

test("whatever else is published is ignored, and no error", () => {
  const published = fc.record(
    {
      type: fc.constantFrom("request", "broadcast", "reply", "gone", "body", "other", 1),
      from: fc.anything(),
      id: fc.anything(),
      reply: fc.anything(),
      message: fc.anything(),
      name: fc.anything(),
    },
    { requiredKeys: [] },
  );
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    published.map((value) => JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? 0 : part))),
  );
  fc.assert(
    fc.property(text, (given) => {
      const read = readPublished(given);
      if (read !== undefined && "from" in read) expect(read.from).toMatch(/^[a-z0-9]{10}$/);
    }),
  );
  for (const from of ["a:b", "../node", "x".repeat(11), "{}"]) {
    expect(readPublished(JSON.stringify({ type: "gone", from }))).toBeUndefined();
  }
});
