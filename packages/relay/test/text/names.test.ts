import fc from "fast-check";
import { expect, test } from "vitest";
import { offeredName, variantName } from "../../src/text/names.ts";

test("a name that models accept stays as it is, behind the prefix", () => {
  expect(offeredName(undefined, "get_weather")).toBe("get_weather");
  expect(offeredName("", "get_weather")).toBe("get_weather");
  expect(offeredName("my_docs", "get_weather")).toBe("my_docs_get_weather");
});

test("a name that models do not accept is changed and gets a hash, the same each time", () => {
  expect(offeredName(undefined, "user.get")).toMatch(/^user_get_[0-9a-f]{6}$/);
  expect(offeredName(undefined, "user.get")).toBe(offeredName(undefined, "user.get"));
  expect(offeredName("a", "x".repeat(100))).toMatch(/^a_x{55}_[0-9a-f]{6}$/);
});

test("every name becomes a legal one, and different names stay different", () => {
  const names = fc.string({ unit: "binary", maxLength: 200 });
  fc.assert(
    fc.property(fc.option(names, { nil: undefined }), names, names, (prefix, one, other) => {
      const name = offeredName(prefix, one);
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(variantName(name, one)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      if (one !== other) expect(offeredName(prefix, other)).not.toBe(name);
    }),
  );
});
