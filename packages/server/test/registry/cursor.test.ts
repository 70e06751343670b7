import fc from "fast-check";
import { expect, test } from "vitest";
import { readCursor, writeCursor } from "../../src/registry/cursor.ts";

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
