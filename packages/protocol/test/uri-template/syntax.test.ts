import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { parseUriTemplate } from "../../src/uri-template/uri-template.ts";

function refusal(template: string): UsageError {
  try {
    parseUriTemplate(template);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error(`"${template}" was accepted.`);
}

describe("parseUriTemplate", () => {
  it("keeps the text and lists each variable once", () => {
    const template = parseUriTemplate("x://{a}{/b*,a:3}{?c.d,%20e}");
    expect(template.text).toBe("x://{a}{/b*,a:3}{?c.d,%20e}");
    expect(template.variables).toEqual(["a", "b", "c.d", "%20e"]);
  });

  it.each(["", "plain", "{a}", "{a_1.b2.c}", "{%41b}", "{a:1}", "{a:9999}", "{+a*,b}", "%41", "ü", "it's"])(
    "accepts %j",
    (template) => {
      expect(parseUriTemplate(template).text).toBe(template);
    },
  );

  it.each([
    ["{a", 0, /never closed/],
    ["x{/a*", 1, /never closed/],
    ["a}", 1, /closes no expression/],
    ["x{}", 2, /empty/],
    ["{/}", 2, /expected a variable name/],
    ["{a,}", 3, /expected a variable name/],
    ["{a,,b}", 3, /expected a variable name/],
    ["{?a, b}", 4, /expected a variable name/],
    ["{a{b}}", 2, /expected `,`/],
    ["{=a}", 1, /"=" is neither an operator/],
    ["{!a}", 1, /"!" is neither an operator/],
    ["{-a}", 1, /"-" is neither an operator/],
    ["{ a}", 1, /" " is neither an operator/],
    ["{*a}", 1, /"\*" is neither an operator/],
    ["{a-b}", 2, /expected `,`/],
    ["{a b}", 2, /expected `,`/],
    ["{a.}", 2, /expected `,`/],
    ["{a..b}", 2, /expected `,`/],
    ["{.a.}", 3, /expected `,`/],
    ["{%2x}", 1, /expected a variable name/],
    ["{ü}", 1, /"ü" is neither/],
    ["{a:0}", 2, /length from 1 to 9999/],
    ["{a:01}", 2, /length from 1 to 9999/],
    ["{a:10000}", 7, /length from 1 to 9999/],
    ["{a:}", 2, /length from 1 to 9999/],
    ["{a:x}", 2, /length from 1 to 9999/],
    ["{a:2*}", 4, /one modifier/],
    ["{a*:2}", 3, /one modifier/],
    ["{a**}", 3, /one modifier/],
    ["a b", 1, /" " is not allowed.*percent-encoded/],
    ["a\nb", 1, /"\\n" is not allowed/],
    ["a%b", 1, /"%" is not allowed/],
    ["a%2", 1, /"%" is not allowed/],
    ['x"', 1, /is not allowed/],
    ["x<y>", 1, /"<" is not allowed/],
    ["x|y", 1, /"\|" is not allowed/],
    ["x\\y", 1, /is not allowed/],
    ["x^`", 1, /"\^" is not allowed/],
    ["{a}\uD800", 3, /surrogate/],
  ])("refuses %j at position %d", (template, position, message) => {
    const error = refusal(template);
    expect(error.code).toBe("INVALID_URI_TEMPLATE");
    expect(error.message).toContain(`position ${position}:`);
    expect(error.message).toMatch(message);
  });

  it("has bounds", () => {
    expect(parseUriTemplate("x".repeat(8192)).variables).toEqual([]);
    expect(refusal("x".repeat(8193)).message).toMatch(/more than 8192 characters/);
    expect(parseUriTemplate("{a}".repeat(64)).variables).toEqual(["a"]);
    expect(refusal("{a}".repeat(65)).message).toMatch(/more than 64 variables/);
  });

  it("accepts or refuses any text, and what it accepts can be expanded and matched", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "a",
      "%41",
      "%",
      ",",
      "*",
      ":3",
      "+",
      "?",
      "&",
      ";",
      "/",
      ".",
      "#",
      "ü",
      " ",
    );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(piece, { maxLength: 12 }).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(text, (template) => {
        let parsed;
        try {
          parsed = parseUriTemplate(template);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          return;
        }
        const uri = parsed.expand({});
        expect(uri).toMatch(/^[!-~]*$/);
        parsed.match(uri);
      }),
      { numRuns: 2000 },
    );
  });
});
