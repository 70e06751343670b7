import { parseUriTemplate, type UriTemplateValue } from "@toolwire/protocol/uri-template";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ParameterSpec } from "../../src/request/request-spec.ts";
import { writeParameter } from "./resolve.ts";

/** OpenAPI defines its styles by these templates of RFC 6570 (3.1.2, appendix C). */
const TEMPLATES: [ParameterSpec["in"], ParameterSpec["style"], explode: boolean, template: string][] = [
  ["path", "simple", false, "{color}"],
  ["path", "simple", true, "{color*}"],
  ["path", "label", false, "{.color}"],
  ["path", "label", true, "{.color*}"],
  ["path", "matrix", false, "{;color}"],
  ["path", "matrix", true, "{;color*}"],
  ["query", "form", false, "{?color}"],
  ["query", "form", true, "{?color*}"],
];

const text = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
  .filter((value) => !/^[.\s]*$/.test(value) && !/\.[/\\]|[/\\]\./.test(value));
const scalar = fc.oneof(text, fc.integer(), fc.boolean());
const value: fc.Arbitrary<UriTemplateValue> = fc.oneof(
  scalar,
  fc.array(fc.option(scalar), { maxLength: 4 }).filter((list) => list.some((item) => item !== null)),
  fc
    .dictionary(text, fc.option(scalar), { maxKeys: 4 })
    .filter((object) => Object.values(object).some((item) => item !== null)),
);

describe("styles and the templates that define them", () => {
  it.each(TEMPLATES)(
    "a value in the %s with the style %s and explode %s is that of %s",
    (place, style, explode, template) => {
      const parsed = parseUriTemplate(template);
      fc.assert(
        fc.property(value, (color) => {
          const written = writeParameter(place, { style, explode, pathSeparators: "encode" }, color);
          expect(written).toBe(parsed.expand({ color }).replace(/^\?/, ""));
        }),
        { numRuns: 300 },
      );
    },
  );
});
