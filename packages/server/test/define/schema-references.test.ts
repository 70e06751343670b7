import { jsonSchemaValidator } from "@toolwire/protocol/json-schema";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkJsonSchema } from "../../src/define/check-json-schema.ts";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const DIALECTS = [DRAFT_07, "https://json-schema.org/draft/2019-09/schema", undefined];

/** References that lead somewhere in some of the documents below, and nowhere in others. */
const reference = fc.constantFrom(
  "",
  "#",
  "#/$defs/a",
  "#/$defs/b",
  "#/$defs/a/$defs/b",
  "#/$defs/a/type",
  "#/components/c",
  "#/components/%63",
  "#/%",
  "#x",
  "#y",
  "b",
  "b#",
  "b#x",
  "b#/$defs/a",
  "b#/type",
  "/root",
  "/root#/$defs/b",
  "../dir/b#y",
  "https://example.com/dir/b",
  "https://elsewhere.example/b",
  "urn:example:b",
  "http://[",
);

/** A schema with names and references, each of which may be missing. */
function named(ids: fc.Arbitrary<string>, anchor: string): fc.Arbitrary<object> {
  return fc.record(
    { $id: ids, $anchor: fc.constant(anchor), $ref: reference, type: fc.constant("string") },
    { requiredKeys: [], noNullPrototype: true },
  );
}

const document = fc
  .record({
    $schema: fc.constantFrom(...DIALECTS),
    root: named(fc.constantFrom("https://example.com/root", "https://example.com/dir/"), "z"),
    a: named(fc.constantFrom("dir/", "a", "https://example.com/dir/a"), "x"),
    inner: named(fc.constantFrom("b", "urn:example:b"), "y"),
    b: named(fc.constantFrom("dir/c", "#x"), "y"),
    c: fc.record({ $ref: reference, type: fc.constantFrom("string", "text") }, { requiredKeys: [] }),
  })
  // In draft-07, `$ref` hides what stands next to it from the validator. Here it is looked at all the same.
  .filter(({ $schema, root, a, c }) => $schema !== DRAFT_07 || ![root, a, c].some((schema) => "$ref" in schema))
  .map(({ $schema, root, a, inner, b, c }) => ({
    ...($schema !== undefined && { $schema }),
    ...root,
    $defs: { a: { ...a, $defs: { a: true, b: inner } }, b },
    components: { c },
  }));

test("references are refused at definition if, and only if, the validator will refuse them", () => {
  let refused = 0;
  fc.assert(
    fc.property(document, (schema) => {
      const theirs = refusalOf(() => jsonSchemaValidator.compile(schema));
      const ours = refusalOf(() => checkJsonSchema(schema));
      if (ours !== undefined) refused += 1;
      expect(ours === undefined, `${ours ?? "taken"} here, ${theirs ?? "taken"} there`).toBe(theirs === undefined);
    }),
    { numRuns: 2000 },
  );
  expect(refused).toBeGreaterThan(100);
});

function refusalOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
