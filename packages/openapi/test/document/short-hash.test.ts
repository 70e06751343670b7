import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { hashShort } from "../../src/document/short-hash.ts";

it("hashes any text to the same digits as the SHA-256 of Node", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      expect(hashShort(text, 64)).toBe(createHash("sha256").update(text).digest("hex"));
    }),
  );
  expect(hashShort("GET /users")).toHaveLength(6);
});
