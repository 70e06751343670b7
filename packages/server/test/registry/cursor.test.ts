import fc from "fast-check";
import { expect, test } from "vitest";
import {
  readCursor,
  readShownCursor,
  writeCursor,
  writeShownCursor,
  type ShownPlace,
} from "../../src/registry/cursors.ts";

test("a cursor gives back its position, in its own list only", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (position) => {
      const cursor = writeCursor("tools", position);
      expect(readCursor("tools", cursor, position)).toBe(position);
      expect(() => readCursor("tools", cursor, position - 1)).toThrow(expect.objectContaining({ code: -32602 }));
      expect(() => readCursor("prompts", cursor, Infinity)).toThrow(expect.objectContaining({ code: -32602 }));
      expect(() => readCursor("resources", cursor, Infinity)).toThrow(expect.objectContaining({ code: -32602 }));
    }),
  );
});

test("everything else is refused with -32602, whatever it is", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.base64String(),
        fc.string().map((text) => btoa(encodeURIComponent(`tools:${text}`))),
      ),
      (text) => {
        let position: number | undefined;
        try {
          position = readCursor("tools", text, 1000);
        } catch (error) {
          expect(error).toMatchObject({ code: -32602 });
        }
        if (position !== undefined) expect(writeCursor("tools", position)).toBe(text);
      },
    ),
    { numRuns: 500 },
  );
});

test("a cursor of a list that is partly hidden gives back its place, in its own list only", () => {
  const place = fc.record(
    { shown: fc.integer({ min: 1, max: 999_999_999_999_999 }), name: fc.stringMatching(/^[\w.-]{1,128}$/) },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(place, (each) => {
      const cursor = writeShownCursor("tools", each);
      expect(readShownCursor("tools", cursor)).toStrictEqual(each);
      expect(() => readShownCursor("prompts", cursor)).toThrow(expect.objectContaining({ code: -32602 }));
    }),
  );
});

test("everything else is refused by a list that is partly hidden, whatever it is", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.base64String(),
        fc.string({ unit: "binary-ascii" }).map((text) => btoa(`tools:${text}`)),
        fc.constantFrom("tools:0:a", "tools:01:a", "tools:-1:a", "tools:1").map((text) => btoa(text)),
      ),
      (text) => {
        let place: ShownPlace | undefined;
        try {
          place = readShownCursor("tools", text);
        } catch (error) {
          expect(error).toMatchObject({ code: -32602 });
        }
        if (place !== undefined) expect(writeShownCursor("tools", place)).toBe(text);
      },
    ),
    { numRuns: 500 },
  );
});
