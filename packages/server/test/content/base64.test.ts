import fc from "fast-check";
import { expect, test } from "vitest";
import { fromBase64Url, toBase64, toBase64Url } from "../../src/content/binary.ts";

test("bytes become the base64 that everybody else makes of them", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
      expect(toBase64Url(bytes)).toBe(Buffer.from(bytes).toString("base64url"));
    }),
  );
  const large = new Uint8Array(100_000).map((_, index) => index % 251);
  expect(toBase64(large)).toBe(Buffer.from(large).toString("base64"));
});

test("base64url gives the bytes back, and other text gives nothing", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 100 }), (bytes) => {
      expect(fromBase64Url(toBase64Url(bytes))).toStrictEqual(new Uint8Array(bytes));
    }),
  );
  for (const text of ["", "=", "a", "a b", "ä", "a+b/", "AAAAA"]) expect(fromBase64Url(text)).toBeUndefined();
});
