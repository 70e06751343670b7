import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson } from "../../src/response/json.ts";
import { expectResponseOptions } from "../../src/response/options.ts";
import { compileTransform } from "../../src/response/transform.ts";
import { shortenText } from "../../src/response/truncate.ts";

describe("responses that are too long", () => {
  it("lose whole items of a list, and say so in a second block", () => {
    const items = Array.from({ length: 100 }, (_, id) => ({ id: 12345678901234567890n + BigInt(id), name: "x" }));
    const text = `[${items.map(({ id, name }) => `{"id":${id},"name":"${name}"}`).join(", ")}]`;
    const response = {
      status: 200,
      headers: { "content-type": "application/json" },
      body: new TextEncoder().encode(text),
      attempts: 1,
      firstByteMs: 1,
    };
    const { result, isTruncated } = compileTransform(expectResponseOptions({ maxText: 100 }))(response, {}, undefined);
    expect(isTruncated).toBe(true);
    expect(result).toEqual({
      content: [
        { type: "text", text: '[{"id":12345678901234567890,"name":"x"}, {"id":12345678901234567891,"name":"x"}]' },
        {
          type: "text",
          text: "The response was longer than 100 characters and is shortened: the list has the first 2 of 100 items.",
        },
      ],
    });
  });

  it("keep every item that fits", () => {
    expect(shortenText("[1,2,3,4]", 7, true).text).toBe("[1,2,3]");
    expect(shortenText('{"a":[1,2,3,4]}', 13, true).text).toBe('{"a":[1,2,3]}');
  });

  it("lose items of the longest list of an object", () => {
    const value = {
      total: 50,
      tags: ["a", "b"],
      data: Array.from({ length: 50 }, (_, id) => ({ id })),
      page: { next: "n" },
    };
    const { text, note } = shortenText(JSON.stringify(value), 100, true);
    const { data, ...rest } = JSON.parse(text) as typeof value;
    expect(rest).toEqual({ total: 50, tags: ["a", "b"], page: { next: "n" } });
    expect(data.length).toBeGreaterThan(2);
    expect(note).toBe(
      `The response was longer than 100 characters and is shortened: "data" has the first ${data.length} of 50 items.`,
    );
  });

  it("lose items of a list below, if a single item is too long", () => {
    const text = JSON.stringify([{ id: 1, lines: Array.from({ length: 1000 }, (_, line) => line) }, { id: 2 }]);
    const shortened = shortenText(text, 60, true);
    expect(JSON.parse(shortened.text)).toEqual([{ id: 1, lines: expect.any(Array) }]);
    expect(shortened.note).toMatch(
      /the list has the first 1 of 2 items; "\[0\]\.lines" has the first \d+ of 1000 items\.$/,
    );
  });

  it("are cut at the limit if there are no items to leave out", () => {
    expect(shortenText(JSON.stringify({ a: "x".repeat(200) }), 50, true)).toEqual({
      text: `{"a":"${"x".repeat(44)}`,
      note: "The response was longer than 50 characters and is shortened: the first 50 of 208 characters are shown.",
    });
    expect(shortenText("😀".repeat(10), 5, false).text).toBe("😀😀");
    expect(shortenText("[1,2,3", 4, true).text).toBe("[1,2");
    expect(shortenText(`${"[".repeat(300)}1${"]".repeat(300)}`, 100, true).text).toHaveLength(100);
  });

  it("stay valid JSON with the items that fit, whatever the value", () => {
    const value = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        fc.integer(),
        fc.string({ unit: "grapheme", maxLength: 5 }),
        fc.array(tie("tree"), { maxLength: 8 }),
        fc.dictionary(fc.string({ maxLength: 3 }), tie("tree"), { maxKeys: 5 }),
      ),
    })).tree;
    fc.assert(
      fc.property(value, fc.integer({ min: 2, max: 80 }), fc.constantFrom(0, 2), (whole, limit, indent) => {
        const text = JSON.stringify(whole, undefined, indent);
        fc.pre(text.length > limit);
        const shortened = shortenText(text, limit, true);
        expect(shortened.text.length).toBeLessThanOrEqual(limit);
        if (shortened.note.includes("items")) expect(isPrefix(JSON.parse(shortened.text), JSON.parse(text))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("take time in proportion to their length", () => {
    const text = JSON.stringify(Array.from({ length: 100_000 }, (_, id) => ({ id, list: [1, 2, 3] })));
    expect(JSON.parse(shortenText(text, 80_000, true).text).length).toBeGreaterThan(1000);
    // Texts without an end, in which a quote follows every backslash: looking at each of them again would take hours.
    expect(shortenText(`["${'\\"'.repeat(1_000_000)}`, 1000, true).text).toHaveLength(1000);
    expect(() => readJson(`[1.0,"${'\\"'.repeat(1_000_000)}`)).toThrow(SyntaxError);
  });
});

/** Whether a value is the other one, or the other one with fewer items at the end of lists. */
function isPrefix(part: unknown, whole: unknown): boolean {
  if (Array.isArray(part) && Array.isArray(whole)) return part.every((item, index) => isPrefix(item, whole[index]));
  if (typeof part === "object" && part !== null && typeof whole === "object" && whole !== null) {
    const keys = Object.keys(whole);
    return (
      keys.length === Object.keys(part).length && keys.every((key) => isPrefix(part[key as never], whole[key as never]))
    );
  }
  return part === whole;
}
