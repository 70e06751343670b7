import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodePunycode, encodePunycode } from "../../src/formats/idna.ts";
import { createJsonSchemaValidator } from "../../src/index.ts";

const { compile } = createJsonSchemaValidator();

const isValid = (format: string, text: string): boolean => compile({ format })(text).ok;

describe("a host name in letters of all scripts", () => {
  it.each([
    ["letters outside of ASCII", "bücher.example"],
    ["capitals, which stand for small letters", "Bücher.EXAMPLE"],
    ["letters that were put together from two", "bu\u0308cher.example"],
    ["dots of other scripts", "例え。テスト．a｡b"],
    ["a label in ASCII that stands for another", "XN--BCHER-KVA.example"],
    ["a label that just fits in ASCII", "ü".repeat(50)],
    ["letters that are exceptions", "straße.ς〇"],
    ["a middle dot between two l", "col·legi"],
    ["a Greek numeral sign before a Greek letter", "α͵β"],
    ["a Hebrew accent after a Hebrew letter", "א׳ב"],
    ["a middle dot among Katakana", "ア・ア"],
    ["a joiner after a virama", "क्\u200dष"],
    ["a non-joiner after a virama", "क्\u200cष"],
    ["a non-joiner between letters that join", "می\u200cخواهم"],
    ["Arabic digits of one kind", "ب٣ب"],
    ["a right-to-left label next to one that is not", "שלום.example"],
    ["a right-to-left label that ends with a digit", "שלום1.example"],
  ])("may have %s", (_, name) => {
    expect(isValid("idn-hostname", name)).toBe(true);
  });

  it.each([
    ["empty labels", "a..ä"],
    ["hyphens at the ends of a label", "-ä.ä-"],
    ["two hyphens where Punycode has them", "ab--ä"],
    ["a mark before any letter", "\u0301a"],
    ["a label that is too long in ASCII", "ü".repeat(60)],
    ["a name that is too long in ASCII", Array.from({ length: 5 }, () => "ü".repeat(45)).join(".")],
    ["ligatures", "ﬁ.example"],
    ["symbols", "①.example"],
    ["what is not visible", "a\u00adä"],
    ["letters that are exceptions", "ـب"],
    ["marks of tone", "한〮글"],
    ["a middle dot that is not between two l", "co·op"],
    ["a Greek numeral sign before another letter", "α͵a"],
    ["a Hebrew accent after another letter", "a׳ב"],
    ["a middle dot of Katakana without Katakana", "ab・ab"],
    ["a joiner after a letter", "क\u200dष"],
    ["a non-joiner between letters that do not join", "a\u200cb"],
    ["one non-joiner that fits, and one that does not", "क्\u200cषa\u200cb"],
    ["Arabic digits of two kinds", "ب٣۳"],
    ["letters of both directions in a label", "aש"],
    ["a digit first in a right-to-left label", "1ש"],
    ["a digit first in a label next to a right-to-left one", "1a.שלום"],
    ["digits of two directions in a right-to-left label", "ש1٣"],
  ])("must not have %s", (_, name) => {
    expect(isValid("idn-hostname", name)).toBe(false);
  });
});

describe.each(["hostname", "idn-hostname", "email"])("a label that stands for another, in %s", (format) => {
  const given = (label: string): string => (format === "email" ? `a@${label}.example` : `${label}.example`);

  it.each(["xn--bcher-kva", "XN--Bcher-KVA", "xn--zckzah"])("may be %s", (label) => {
    expect(isValid(format, given(label))).toBe(true);
  });

  it.each([
    ["no Punycode", "xn--a-zz9"],
    ["Punycode of a mark that comes first", `xn--${encodePunycode("\u0301a")}`],
    ["Punycode of a capital", `xn--${encodePunycode("Ä")}`],
    ["Punycode of both directions", `xn--${encodePunycode("aש")}`],
    ["Punycode of something else than letters", "xn--bcher-kva0"],
  ])("must not be %s", (_, label) => {
    expect(isValid(format, given(label))).toBe(false);
  });
});

describe("Punycode", () => {
  it.each([
    ["bücher", "bcher-kva"],
    ["ü", "tda"],
    ["テスト", "zckzah"],
    ["abc", "abc-"],
    ["a😀b", "ab-no82a"],
  ])("the encoding of %s is %s", (text, encoded) => {
    expect(encodePunycode(text)).toBe(encoded);
    expect(decodePunycode(encoded)).toBe(text);
  });

  it("leads back to the text it was made of", () => {
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(text, (given) => {
        expect(decodePunycode(encodePunycode(given))).toBe(given);
      }),
    );
  });

  it.each(["é", "a b", "-ü", "999999999", "a-9"])("is not %s", (text) => {
    expect(decodePunycode(text)).toBeUndefined();
  });
});
